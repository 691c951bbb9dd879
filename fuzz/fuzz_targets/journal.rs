//! See `properties::journal`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::journal(data));
