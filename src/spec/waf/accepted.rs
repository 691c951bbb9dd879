//! `accept`: live settings that may make the protection weaker than the section says.
//!
//! An entry names one thing and its value, so that it does not apply to other values.

use super::super::any_value::AnyValue;
use super::super::deserialize::Spanned;
use super::super::expiry::LastDay;
use super::section::Section;
use super::syntax::AcceptSyntax;
use crate::diagnostic::{Place, findings};
use crate::model::Value;
use crate::model::expression::Expression;
use crate::model::facts::owasp::THRESHOLD_KEYWORDS;
use crate::model::facts::rulesets::{MANAGED_RULESETS, ManagedFacts, SCORE_ACTIONS};
use crate::model::managed::{Managed, RuleName};
use crate::model::ruleset::{AcceptedCause, AcceptedObject, RuleBody};

/// The keys of a deployment that can be accepted, and the form of their values.
const KEYS: &[(&str, &str)] = &[
    ("threshold", "a number, such as `100`"),
    ("action", "an action, such as `log`"),
    ("when", "the live expression"),
    ("enabled", "`false`: an override switches all rules off"),
];

/// Returns a parameter of a live rule that lets requests skip others, which may name rulesets as a
/// spec does; `None` if Cloudflare has no such parameter.
fn skip_parameter((name, value): (&String, &Value)) -> Option<(String, Value)> {
    let id = |value: &Value| {
        let is_named =
            |ruleset: &&ManagedFacts| matches!(value, Value::Text(key) if key == ruleset.key);
        let named_ruleset = MANAGED_RULESETS.iter().find(is_named);
        named_ruleset.map_or_else(|| value.clone(), |ruleset| Value::from(ruleset.id))
    };
    match (name.as_str(), value) {
        ("ruleset", value) if id(value) != *value => {
            Some(("rulesets".to_owned(), Value::List(vec![id(value)])))
        }
        ("rulesets", Value::List(items)) => {
            Some((name.clone(), Value::List(items.iter().map(id).collect())))
        }
        ("ruleset" | "rulesets" | "phase" | "phases" | "products" | "rules", value) => {
            Some((name.clone(), value.clone()))
        }
        _ => None,
    }
}

impl Section<'_> {
    /// Reads the entries of `accept`, without those that have errors.
    pub(super) fn accepted(&mut self, list: &[Spanned<AcceptSyntax>]) -> Vec<AcceptedCause> {
        let mut causes: Vec<AcceptedCause> = Vec::new();
        for syntax in list {
            let Some(accepted) = self.accepted_cause(syntax) else { continue };
            let is_same_object = |other: &&AcceptedCause| {
                other.object.identity() == accepted.object.identity()
                    && other.object.part() == accepted.object.part()
                    && other.ruleset == accepted.ruleset
            };
            match causes.iter().find(is_same_object) {
                Some(first) => self.reader.diagnostics.push(
                    findings::ACCEPTED_TWICE
                        .at(
                            accepted.place,
                            format!("`{}` is accepted already", accepted.object.identity().1),
                        )
                        .and_at(first.place, "here")
                        .help("keep the entry with the live value"),
                ),
                None => causes.push(accepted),
            }
        }
        causes
    }

    /// Reads one entry.
    fn accepted_cause(&mut self, syntax: &Spanned<AcceptSyntax>) -> Option<AcceptedCause> {
        let AcceptSyntax { rule, key, overridden, is, ruleset, reason, owner, expires } =
            &syntax.value;
        let entry = self.handle(syntax.span);
        let named_keys = [("rule", rule), ("key", key), ("override", overridden)];
        let mut named_keys =
            named_keys.into_iter().filter_map(|(kind, name)| Some((kind, name.as_ref()?)));
        let (Some((kind, name)), None) = (named_keys.next(), named_keys.next()) else {
            self.refuse_accepted(
                entry,
                "an entry accepts one thing",
                "write one of `rule: REF or id`, `key: threshold`, `override: RULE or TAG`",
            );
            return None;
        };
        let place = self.reader.place(name);
        let word = name.value.0.trim();
        let ruleset = match ruleset {
            None => None,
            Some(text) => {
                let ruleset = Managed::ALL.iter().copied().find(|m| m.key() == text.value.0.trim());
                if ruleset.is_none() {
                    let at = self.reader.place(text);
                    let detail = format!(
                        "`{}` is no ruleset of this section",
                        super::super::clip(&text.value.0)
                    );
                    self.refuse_accepted(at, &detail, "write `owasp` or `cloudflare`");
                }
                Some(ruleset?)
            }
        };
        let note = self.note_of(
            [reason.as_ref(), owner.as_ref(), expires.as_ref()],
            word,
            LastDay::Accepted,
        );
        self.need_reason(
            &note,
            reason.is_some(),
            syntax.span,
            place,
            &format!("`{word}` may weaken the protection"),
        );
        let Some(is) = is else {
            let help = "add `is:` with the live value; another value is then reported again";
            self.missing("is", syntax.span, place, help);
            return None;
        };
        let object = match kind {
            "rule" => self.accepted_rule(word, is),
            "key" => self.accepted_key(word, place, is),
            _ => self.accepted_override(word, place, is),
        }?;
        Some(AcceptedCause { object, ruleset, note, place })
    }

    /// Reports an invalid entry.
    fn refuse_accepted(&mut self, place: Place, detail: &str, help: &str) {
        self.reader.diagnostics.push(findings::ACCEPT.at(place, detail).help(help));
    }

    /// Reads a rule that lets requests skip managed rules.
    fn accepted_rule(&mut self, name: &str, is: &Spanned<AnyValue>) -> Option<AcceptedObject> {
        let help = "write `is: { when: EXPRESSION, skip: everything }`, or under `skip` the parameters of the live rule, such as \
                    `{ phases: [http_request_firewall_managed] }`; the finding shows the whole entry";
        let parameters = |value: &Value| match value {
            Value::Text(word) if word == "everything" => {
                Some(Value::Map([("ruleset".to_owned(), Value::from("current"))].into()))
            }
            Value::Map(members) if !members.is_empty() => {
                members.iter().map(skip_parameter).collect::<Option<_>>().map(Value::Map)
            }
            _ => None,
        };
        let members = match &is.value.0 {
            Value::Map(members) if members.len() == 2 => members,
            _ => {
                self.refuse_accepted(
                    self.handle(is.span),
                    "the value of a rule is what it matches and skips",
                    help,
                );
                return None;
            }
        };
        let (Some(Value::Text(when)), Some(skip)) =
            (members.get("when"), members.get("skip").and_then(parameters))
        else {
            self.refuse_accepted(
                self.handle(is.span),
                "the value of a rule is what it matches and skips",
                help,
            );
            return None;
        };
        let mut body = RuleBody::default();
        body.set("action", "skip");
        body.set("expression", if when.trim() == "all" { "true" } else { when.as_str() });
        body.set("action_parameters", skip);
        Some(AcceptedObject::Rule { name: name.to_owned(), is: Box::new(body) })
    }

    /// Reads a key of a deployment.
    fn accepted_key(
        &mut self,
        key: &str,
        place: Place,
        is: &Spanned<AnyValue>,
    ) -> Option<AcceptedObject> {
        let Some((_, about)) = KEYS.iter().find(|(name, _)| *name == key) else {
            let words: Vec<String> = KEYS.iter().map(|(name, _)| format!("`{name}`")).collect();
            let detail = format!("`{}` is no key that can be accepted", super::super::clip(key));
            let help = format!(
                "write {}; a rule or tag that is off is accepted as `override`",
                words.join(", ")
            );
            self.refuse_accepted(place, &detail, &help);
            return None;
        };
        let text = scalar_text(&is.value.0);
        let value = text.and_then(|text| match key {
            "threshold" => {
                let keyword = THRESHOLD_KEYWORDS
                    .iter()
                    .find(|(word, _)| *word == text)
                    .map(|(_, number)| *number);
                keyword.or_else(|| text.parse().ok()).map(|number: u32| number.to_string())
            }
            "action" => SCORE_ACTIONS.contains(&text.as_str()).then_some(text),
            "enabled" => matches!(text.as_str(), "false" | "off").then(|| "false".to_owned()),
            _ => Some(Expression::reported(&text).canonical().to_owned())
                .filter(|text| !text.is_empty()),
        });
        if value.is_none() {
            let at = self.handle(is.span);
            self.refuse_accepted(
                at,
                &format!("this is no value of `{key}`"),
                &format!("write {about}"),
            );
        }
        Some(AcceptedObject::Key { name: key.to_owned(), is: value? })
    }

    /// Reads an override of a rule or a tag.
    fn accepted_override(
        &mut self,
        name: &str,
        place: Place,
        is: &Spanned<AnyValue>,
    ) -> Option<AcceptedObject> {
        if name.is_empty() {
            self.refuse_accepted(
                place,
                "the name is empty",
                "write a number, a description or an id of a rule, or a tag",
            );
            return None;
        }
        let text = scalar_text(&is.value.0)
            .map(|text| if text == "false" { "off".to_owned() } else { text });
        let value = text.filter(|text| text == "off" || SCORE_ACTIONS.contains(&text.as_str()));
        if value.is_none() {
            let at = self.handle(is.span);
            self.refuse_accepted(
                at,
                "this is no value of an override",
                "write `off`, or an action such as `log`",
            );
        }
        Some(AcceptedObject::Override { name: RuleName::new(name), is: value? })
    }
}

/// Returns a single value as text.
fn scalar_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.trim().to_owned()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Bool(on) => Some(on.to_string()),
        Value::Null | Value::Decimal(_) | Value::List(_) | Value::Map(_) => None,
    }
}
