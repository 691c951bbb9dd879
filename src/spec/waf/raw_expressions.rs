//! Checks the expressions of rules in Cloudflare's form, by the checker of `when` and `count`.

use std::collections::BTreeMap;

use super::super::any_value::AnyValue;
use super::super::deserialize::Spanned;
use super::super::scalar::within;
use super::section::Section;
use crate::diagnostic::{Place, Span, findings};
use crate::model::Value;
use crate::model::expression::{ExpressionProblem, ExpressionSetting, parse_expression};
use crate::model::ruleset::Phase;

/// The mistakes that Cloudflare's engine certainly refuses, whatever fields and functions it has
/// gained since.
const REFUSED_BY_ENGINE: &[&str] = &[
    "bad-regex",
    "bad-wildcard",
    "each-not-first",
    "each-outside-function",
    "regex-too-large",
    "too-long",
    "too-many-regexes",
    "unclosed-string",
];

/// The beginning of the codes for names that this version does not know.
const UNLISTED: &str = "unlisted-";

impl Section<'_> {
    /// Checks the expressions of a rule in Cloudflare's form. Mistakes that the engine certainly
    /// refuses are errors. Any other is a warning, because such a rule can use what this version
    /// does not know. Doubts about the meaning are not reported: the rule is as Cloudflare has it.
    pub(super) fn check_raw_expressions(
        &mut self,
        phase: Phase,
        syntax: &Spanned<AnyValue>,
        members: &BTreeMap<String, Value>,
    ) {
        let counting = match members.get("ratelimit") {
            Some(Value::Map(rate)) => rate.get("counting_expression"),
            _ => None,
        };
        for (text, sees_response) in [(members.get("expression"), false), (counting, true)] {
            let Some(Value::Text(text)) = text.filter(|_| !self.is_enough()) else { continue };
            if text.trim().is_empty() {
                continue;
            }
            let phase = ExpressionSetting::in_phase(phase.as_str());
            let (_, problems) =
                parse_expression(text.trim_end(), ExpressionSetting { sees_response, ..phase });
            let whole_place = self.place_of_text(syntax.span, text);
            let is_told = |problem: &ExpressionProblem| {
                problem.is_error || problem.code.starts_with(UNLISTED)
            };
            for problem in problems.into_iter().filter(is_told) {
                let is_certain = REFUSED_BY_ENGINE.contains(&problem.code);
                let kind =
                    if is_certain { findings::EXPRESSION } else { findings::EXPRESSION_DOUBT };
                let place = match whole_place {
                    Some(whole) => within(whole, self.text, text, problem.span),
                    None => self.handle(syntax.span),
                };
                self.reader.diagnostics.push(kind.at(place, problem.message).help(problem.help));
            }
        }
    }

    /// Returns the place of a text in a part of the file, if it is there once and as it is.
    fn place_of_text(&self, part: Span, text: &str) -> Option<Place> {
        let written = self.text.get(part.start as usize..part.end as usize)?;
        let mut matches = written.match_indices(text.trim_end());
        let (at, found) = matches.next().filter(|_| matches.next().is_none())?;
        let start = part.start as usize + at;
        Some(Place { source: self.reader.source, span: Span::new(start, start + found.len()) })
    }
}
