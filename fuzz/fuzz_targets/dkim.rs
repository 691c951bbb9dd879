//! See `properties::dkim`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::dkim(data));
