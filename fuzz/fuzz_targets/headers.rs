//! See `properties::headers`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::headers(data));
