//! Measures how many expressions a second one core checks, and how many evaluations of 50 rules it
//! makes.
//!
//! The numbers are for comparing two versions on one machine.

#![allow(clippy::print_stdout, reason = "a benchmark prints its results")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use bumpalo::Bump;
use zonewright_expression::{Expression, ExpressionSetting, Program, Request, parse_expression};

/// Time that each case is measured.
const DURATION: Duration = Duration::from_secs(2);

/// Number of rules that each request is evaluated on.
const RULES: usize = 50;

fn rule(n: usize) -> String {
    match n % 5 {
        0 => format!("http.request.uri.path contains \"/wp-{n}\""),
        1 => format!("http.host eq \"h{n}.example.com\" and not ip.src in {{192.0.2.0/24}}"),
        2 => format!("lower(http.user_agent) contains \"scanner{n}\""),
        3 => format!("http.request.uri.path matches \"^/api/v{n}/[a-z]+/[0-9]+$\""),
        _ => format!("any(lower(http.request.uri.args.names[*])[*] eq \"debug{n}\")"),
    }
}

/// Repeats an action and prints how often it was done in a second.
fn measure(case: &str, mut action: impl FnMut(usize)) {
    let (start, mut times) = (Instant::now(), 0);
    while start.elapsed() < DURATION {
        action(times);
        times += 1;
    }
    println!("{case}: {:.0} a second", times as f64 / start.elapsed().as_secs_f64());
}

fn main() {
    let setting = ExpressionSetting::in_phase("http_request_firewall_custom");
    let rules: Vec<String> = (0..RULES).map(rule).collect();
    measure("expressions parsed and checked", |n| {
        black_box(parse_expression(&rules[n % RULES], setting));
    });
    let compile = |rule: &String| Expression::reported(rule).compile().expect("it is valid");
    let programs: Vec<Program> = rules.iter().map(compile).collect();
    let mut arena = Bump::new();
    measure("requests evaluated on 50 rules", |n| {
        let text = format!("GET https://www.example.com/shop/item/{n}?q=blue+shoes&page=2");
        let request = Request::parse(&text).expect("it is a request");
        let sample = request.sample(&arena);
        for program in &programs {
            black_box(program.evaluate(&sample));
        }
        arena.reset();
    });
}
