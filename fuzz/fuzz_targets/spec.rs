//! See `properties::spec`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::spec(data));
