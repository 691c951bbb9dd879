//! See `properties::snapshot`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::snapshot(data));
