//! See `properties::expression`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::expression(data));
