//! The `zonewright` program.

fn main() {}
