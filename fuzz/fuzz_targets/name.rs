//! See `properties::name`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::name(data));
