//! See `properties::txt`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::txt(data));
