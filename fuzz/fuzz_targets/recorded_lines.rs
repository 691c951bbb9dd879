//! See `properties::recorded_lines`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| properties::recorded_lines(data));
