//! See `properties::access_log`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::access_log(data));
