//! See `properties::transport`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::transport(data));
