//! See `properties::archive`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::archive(data));
