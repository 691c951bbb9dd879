//! Cloudflare's Rules language: parses and checks expressions, compares what they match, and
//! evaluates them on requests, offline.
//!
//! [`parse_expression`] returns an [`Expression`], or every [`ExpressionProblem`] with its place.
//! [`Expression::compile`] returns a [`Program`], which [`Request::sample`] gives the values of a
//! request. Unknown parts of a request make the result unknown, with a [`Reason`].
//!
//! | step | files |
//! |---|---|
//! | fields, functions, lists and limits | `vocabulary` |
//! | text to tokens | `lexer` |
//! | tokens to a tree with places | `parse`, `operand`, `compared_value`; `mistaken_terms`: words of the dashboard and of other languages; `syntax`: the tree |
//! | types and vocabulary | `check`, `call`, `literals`; `checked_expression`: what they share |
//! | valid, but probably not what was meant | `suspicious_values`, `patterns` |
//! | the canonical form | `canonical` |
//! | whether one expression matches more or less than another | `scope`, `conditions`; `decision`: the proofs, about a `formula`; `predicate`, `values`: sets of values; `constants` |
//! | a share of the requests | `share` |
//! | what an expression names: a page, hosts, clients | `bounds`, `few_requests` |
//! | the Cloudflare plan that an expression needs | `requirement` |
//! | a request and the values of its fields | `request`, `given`, `field_values` |
//! | whether an expression matches a request | `evaluate` |
//!
//! Cloudflare decides what is valid. This package refuses only what Cloudflare's documentation
//! excludes.
//!
//! # Sources
//! developers.cloudflare.com/ruleset-engine/rules-language and the language's public engine,
//! github.com/cloudflare/wirefilter. Each file names its pages and the day on which they were read.

mod bounds;
mod browsers;
mod call;
mod canonical;
mod check;
mod checked_expression;
mod clients;
mod compared_value;
mod conditions;
mod constants;
mod counterexample;
mod decision;
mod evaluate;
mod excerpt;
mod expression;
mod expression_setting;
mod few_requests;
mod field_values;
mod formula;
mod given;
mod lexer;
mod literals;
mod mistaken_terms;
mod operand;
mod pages;
mod parse;
mod patterns;
mod predicate;
mod problem;
mod request;
mod requirement;
mod scope;
mod share;
mod suspicious_values;
mod syntax;
mod values;
pub mod vocabulary;

pub use bounds::Bound;
pub use conditions::Conditions;
pub use counterexample::Counterexample;
pub use evaluate::{
    Fields, ListItems, Lists, Program, Reason, Reasons, Sample, Truth, Value as SampleValue,
};
#[doc(hidden)]
pub use excerpt::clip;
pub use expression::{Expression, TextTest, parse_expression};
pub use expression_setting::ExpressionSetting;
pub use given::Given;
pub use problem::ExpressionProblem;
pub use request::{Body, Request, RequestError};
pub use requirement::Requirement;
pub use scope::ScopeChange;
pub use share::Share;

/// Runs the example of the README as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
