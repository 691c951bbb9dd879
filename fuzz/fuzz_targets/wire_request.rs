//! See `properties::wire_request`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::wire_request(data));
