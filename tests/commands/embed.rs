//! The program that `examples/embed.rs` shows, run as it is.

#[path = "../../examples/embed.rs"]
mod example;

#[test]
fn the_example_converges() {
    example::main().unwrap();
}
