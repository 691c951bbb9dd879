//! See `properties::lock`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::lock(data));
