//! See `properties::answer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::answer(data));
