//! Rate limits: `per`, `limit` and `then`, and durations such as `10m`.

use super::super::deserialize::{OneOrMany, Spanned, Text};
use super::rules::parts;
use super::section::Section;
use super::syntax::RateSyntax;
use crate::diagnostic::Place;
use crate::diagnostic::findings;
use crate::model::expression::Expression;
use crate::model::facts::rate_limits::{
    LONGEST_TIMEOUT, RATE_COLO, RATE_IP, RATE_PERIODS, RATE_TIMEOUTS, RATE_VISITOR,
};
use crate::model::ruleset::{
    CountingError, DesiredRate, DesiredRule, Phase, RuleForm, counting_error,
};

/// Words for characteristics with Cloudflare's names.
pub(super) const CHARACTERISTICS: &[(&str, &str)] = &[("ip", RATE_IP), ("visitor", RATE_VISITOR)];

/// Units of durations, the longest first.
const UNITS: &[(char, u32)] = &[('d', 86_400), ('h', 3_600), ('m', 60), ('s', 1)];

/// Returns a duration as text, in the largest unit that divides it.
pub(super) fn duration(seconds: u32) -> String {
    let fits = |(_, unit): &&(char, u32)| seconds > 0 && seconds.is_multiple_of(*unit);
    match UNITS.iter().find(fits) {
        Some((letter, unit)) => format!("{}{letter}", seconds / unit),
        None => format!("{seconds}s"),
    }
}

/// Parses a duration such as `10m` and returns its seconds.
fn duration_seconds(text: &str) -> Option<u32> {
    let (number, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    let factor =
        UNITS.iter().find(|(letter, _)| unit == letter.to_string()).map(|(_, factor)| *factor)?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    number.parse::<u32>().ok().filter(|_| is_number)?.checked_mul(factor)
}

/// Returns all durations of a table as text.
fn list_durations(table: &[u32]) -> String {
    table.iter().map(|s| duration(*s)).collect::<Vec<_>>().join(", ")
}

impl Section<'_> {
    /// Reads a rule that takes an action above a rate.
    pub(super) fn rate_limit(
        &mut self,
        phase: Phase,
        syntax: &Spanned<RateSyntax>,
    ) -> Option<DesiredRule> {
        let parts = parts!(syntax, phase, per limit then count to_origin response);
        self.named(&parts, |section, place| section.rate(phase, syntax, place).map(RuleForm::Rate))
    }

    /// Reads the rate of a rule.
    fn rate(
        &mut self,
        phase: Phase,
        syntax: &Spanned<RateSyntax>,
        place: Place,
    ) -> Option<DesiredRate> {
        let RateSyntax { per, limit, then, count, to_origin, response, .. } = &syntax.value;
        let needed = [
            ("per", per.is_none(), "add `per: [ip]`"),
            ("limit", limit.is_none(), "add `limit:`, such as `5 in 1m`"),
            ("then", then.is_none(), "add `then:`, such as `block for 10m`"),
        ];
        for (key, _, help) in needed.into_iter().filter(|(_, is_missing, _)| *is_missing) {
            self.missing(key, syntax.span, place, help);
        }
        let count = count.as_ref().map(|count| match count.value.0.trim() {
            // Cloudflare's default: the rule's own expression is counted.
            "" => Some((Expression::reported(""), self.reader.place(count))),
            _ => self.expression(count, phase.as_str(), true).map(|f| (f.value, f.place)),
        });
        let per = per.as_ref().and_then(|p| self.per(p));
        let limit = limit.as_ref().and_then(|l| self.limit(l));
        let action_and_timeout = then.as_ref().and_then(|t| self.then(phase, t));
        let (action, timeout) = action_and_timeout?;
        let response = response.as_ref().and_then(|r| self.response(r, &action));
        let (requests, period) = limit?;
        let to_origin = to_origin.map(|t| t.value);
        Some(DesiredRate {
            per: per?,
            requests,
            period,
            action,
            timeout,
            count: count.map_or(Some(None), |c| c.map(Some))?,
            to_origin,
            response,
        })
    }

    /// Reads the characteristics by which requests are counted. The data centre is always included
    /// and never written.
    fn per(&mut self, syntax: &Spanned<OneOrMany<Spanned<Text>>>) -> Option<Vec<String>> {
        let (mut names, mut places): (Vec<String>, Vec<Place>) = Default::default();
        let mut good = true;
        for item in &syntax.value.0 {
            let (text, place) = (item.value.0.trim(), self.reader.place(item));
            let name = CHARACTERISTICS
                .iter()
                .find(|(word, _)| *word == text)
                .map_or(text, |(_, name)| name);
            let shown = super::super::clip(text);
            let diagnostic = match counting_error(&names, name) {
                None => {
                    names.push(name.to_owned());
                    places.push(place);
                    continue;
                }
                Some(CountingError::NoField) => {
                    let nearest = super::super::suggest::nearest(
                        text,
                        CHARACTERISTICS.iter().map(|(word, _)| *word),
                    );
                    let help = match nearest {
                        Some(nearest) => format!("did you mean `{nearest}`?"),
                        None => "write `ip`, `visitor`, or a name of Cloudflare's such as \
                                 `http.request.headers[\"x-api-key\"]`"
                            .to_owned(),
                    };
                    findings::CHARACTERISTIC
                        .at(place, format!("`{shown}` cannot be counted by"))
                        .help(help)
                }
                Some(CountingError::UpperCaseHeader) => findings::CHARACTERISTIC
                    .at(place, "names of headers are in lower case here")
                    .help(format!("write `{}`", name.to_ascii_lowercase())),
                Some(CountingError::Repeated) => findings::CHARACTERISTIC
                    .at(place, format!("`{shown}` is already defined here"))
                    .help("remove one of the two"),
                Some(CountingError::Excluded(other)) => findings::CHARACTERISTIC
                    .at(place, "`ip` and `visitor` exclude each other")
                    .and_at(places[other], "the other one")
                    .help("keep `visitor` to tell people behind one address apart, else `ip`"),
            };
            self.reader.diagnostics.push(diagnostic);
            good = false;
        }
        good.then(|| names.into_iter().filter(|n| n != RATE_COLO).collect())
    }

    /// Reads the number of requests and the number of seconds.
    fn limit(&mut self, syntax: &Spanned<Text>) -> Option<(u32, u32)> {
        let (text, place) = (syntax.value.0.trim(), self.reader.place(syntax));
        let words: Vec<&str> = text.split_whitespace().collect();
        let parsed = match words.as_slice() {
            [count, "in", period] => count.parse::<u32>().ok().zip(duration_seconds(period)),
            _ => None,
        };
        let Some((requests, period)) = parsed else {
            let detail = format!("`{}` is not a rate", super::super::clip(text));
            let help =
                "write a number of requests and a time, such as `5 in 1m`; units are s, m, h and d";
            self.reader.diagnostics.push(findings::RATE.at(place, detail).help(help));
            return None;
        };
        if requests == 0 {
            let help = "write at least 1; to act on every request, write a custom rule";
            self.reader
                .diagnostics
                .push(findings::RATE.at(place, "the rate is 0 requests").help(help));
            return None;
        }
        if !RATE_PERIODS.contains(&period) {
            let detail = format!("requests cannot be counted over {}", duration(period));
            let help = format!("write one of {}", list_durations(RATE_PERIODS));
            self.reader.diagnostics.push(findings::RATE.at(place, detail).help(help));
            return None;
        }
        Some((requests, period))
    }

    /// Reads the action and its number of seconds.
    fn then(&mut self, phase: Phase, syntax: &Spanned<Text>) -> Option<(String, u32)> {
        let (text, place) = (syntax.value.0.trim(), self.reader.place(syntax));
        let words: Vec<&str> = text.split_whitespace().collect();
        let (action, time) = match words.as_slice() {
            [action] => (*action, None),
            [action, "for", time] => (*action, Some(*time)),
            _ => {
                let detail = format!("`{}` is not an action", super::super::clip(text));
                let help = "write an action and how long, such as `block for 10m`, or only `managed_challenge`";
                self.reader.diagnostics.push(findings::RATE.at(place, detail).help(help));
                return None;
            }
        };
        let actions = phase.facts().actions;
        if !actions.contains(&action) {
            let detail =
                format!("`{}` is not an action of rate limits", super::super::clip(action));
            let help = super::super::suggest::hint(action, actions.iter().copied(), "actions");
            self.reader.diagnostics.push(findings::RATE.at(place, detail).help(help));
            return None;
        }
        let timeout = match time {
            None if action == "block" => {
                let help = "write `block for 10m`; `block for 0s` blocks only what is above the rate (Enterprise)";
                self.reader
                    .diagnostics
                    .push(findings::RATE.at(place, "the duration is missing").help(help));
                return None;
            }
            None => Some(0),
            Some(time) => duration_seconds(time),
        };
        let Some(timeout) = timeout.filter(|timeout| *timeout <= LONGEST_TIMEOUT) else {
            let detail = format!(
                "`{}` is not a duration that Cloudflare supports",
                super::super::clip(time.unwrap_or_default())
            );
            let help = format!("write one of {}", list_durations(RATE_TIMEOUTS));
            self.reader.diagnostics.push(findings::RATE.at(place, detail).help(help));
            return None;
        };
        Some((action.to_owned(), timeout))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_back() {
        for seconds in RATE_PERIODS.iter().chain(RATE_TIMEOUTS) {
            assert_eq!(super::duration_seconds(&duration(*seconds)), Some(*seconds));
        }
        assert_eq!(
            (duration(600), duration(3600), duration(90)),
            ("10m".to_owned(), "1h".to_owned(), "90s".to_owned())
        );
        for bad in ["", "m", "10", "1 m", "-1m", "1w", "99999999999d", "ü"] {
            assert_eq!(super::duration_seconds(bad), None, "{bad}");
        }
    }
}
