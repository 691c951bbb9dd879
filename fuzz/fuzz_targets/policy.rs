//! See `properties::policy`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::policy(data));
