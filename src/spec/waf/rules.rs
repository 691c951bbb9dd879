//! Named rules: exceptions, rules that take an action, and keys that the rules of all lists share.

use std::collections::{BTreeMap, HashMap};

use super::super::any_value::AnyValue;
use super::super::deserialize::{Spanned, Text};
use super::super::record_syntax::StateSyntax;
use super::super::scalar_or_parts::ScalarOr;
use super::section::{NoteKeys, Section};
use super::syntax::{
    CustomSkipSyntax, CustomSyntax, ExceptionSkipSyntax, ExceptionSyntax, ResponseSyntax,
};
use crate::diagnostic::findings;
use crate::diagnostic::{Place, Span};
use crate::model::expression::Share;
use crate::model::facts::rulesets::{REF_CHARACTERS, RESPONSE_STATUSES, is_ref, is_ref_character};
use crate::model::managed::{Managed, RuleName};
use crate::model::ruleset::{Anchor, DesiredRule, Phase, RuleForm, RuleKind, SkipTarget};
use crate::model::{Gather, Value};

/// The keys that every named rule has.
pub(super) struct Parts<'s> {
    /// The whole entry.
    pub(super) span: Span,
    pub(super) name: Option<&'s Spanned<Text>>,
    /// The requests that it applies to.
    pub(super) when: Option<&'s Spanned<Text>>,
    pub(super) enabled: Option<&'s Spanned<bool>>,
    /// The description that Cloudflare shows.
    pub(super) description: Option<&'s Spanned<Text>>,
    pub(super) note: NoteKeys<'s>,
    /// The rules that it comes before and after.
    pub(super) anchors: [Option<&'s Spanned<Text>>; 2],
    /// True if it must exist.
    pub(super) state: Option<StateSyntax>,
    /// The rule in Cloudflare's form.
    pub(super) raw: Option<&'s Spanned<AnyValue>>,
    /// The keys present that only this kind of rule has, with their places.
    pub(super) own: Vec<(&'static str, Span)>,
    pub(super) phase: Phase,
}

/// Collects the parts of a rule: the shared keys, and the names of its own keys.
macro_rules! parts {
    ($syntax:expr, $phase:expr, $($own:ident)+) => {{
        let syntax = $syntax;
        let mut own = Vec::new();
        $(own.extend(syntax.value.$own.as_ref().map(|v| (stringify!($own), v.span)));)+
        crate::spec::waf::rules::Parts {
            span: syntax.span,
            name: syntax.value.name.as_ref(),
            when: syntax.value.when.as_ref(),
            enabled: syntax.value.enabled.as_ref(),
            description: syntax.value.description.as_ref(),
            note: [syntax.value.reason.as_ref(), syntax.value.owner.as_ref(), syntax.value.expires.as_ref()],
            anchors: [syntax.value.before.as_ref(), syntax.value.after.as_ref()],
            state: syntax.value.state.map(|s| s.value),
            raw: syntax.value.raw.as_ref(),
            own,
            phase: $phase,
        }
    }};
}
pub(super) use parts;

impl Section<'_> {
    pub(super) fn exception(
        &mut self,
        phase: Phase,
        syntax: &Spanned<ExceptionSyntax>,
    ) -> Option<DesiredRule> {
        let parts = parts!(syntax, phase, skip log);
        let rule = self.named(&parts, |section, place| {
            let Some(skip) = &syntax.value.skip else {
                section.missing(
                    "skip",
                    parts.span,
                    place,
                    "add `skip:` with `everything` or the rules to bypass",
                );
                return None;
            };
            section.exception_skip(skip).map(RuleForm::Skip)
        })?;
        if let RuleForm::Skip(targets) = &rule.form {
            let what = format!("`{}` lets requests pass", rule.name);
            self.need_reason(
                &rule.note,
                syntax.value.reason.is_some(),
                parts.span,
                rule.place,
                &what,
            );
            self.doubt_exception(rule.when.as_ref().map(|(w, at)| (w, *at)), targets, rule.place);
        }
        Some(DesiredRule { log: syntax.value.log.map(|l| l.value), ..rule })
    }

    /// Reads a rule that takes an action.
    pub(super) fn custom(
        &mut self,
        phase: Phase,
        syntax: &Spanned<CustomSyntax>,
    ) -> Option<DesiredRule> {
        let parts = parts!(syntax, phase, action share response skip log);
        let CustomSyntax { action, share, response, skip, log, reason, .. } = &syntax.value;
        let rule = self.named(&parts, |section, place| {
            let Some(action) = action else {
                let help = if skip.is_some() {
                    "add `action: skip`"
                } else {
                    "add `action:`, such as `block`"
                };
                section.missing("action", parts.span, place, help);
                return None;
            };
            let word = action.value.0.as_str();
            if word != "skip" {
                let skips = [("skip", skip.as_ref().map(|s| s.span)), ("log", log.map(|l| l.span))];
                for (key, span) in skips {
                    section.only_with(key, span, "`action: skip`");
                }
                let response = response.as_ref().and_then(|r| section.response(r, word));
                return Some(RuleForm::Act { action: word.to_owned(), response });
            }
            section.only_with("response", response.as_ref().map(|r| r.span), "`action: block`");
            let Some(skip) = skip else {
                section.missing(
                    "skip",
                    parts.span,
                    place,
                    "add `skip:` with `everything`, `phases` or `products`",
                );
                return None;
            };
            section.custom_skip(skip).map(RuleForm::Skip)
        })?;
        if let RuleForm::Skip(_) = &rule.form {
            let what = format!("`{}` lets requests pass", rule.name);
            self.need_reason(&rule.note, reason.is_some(), parts.span, rule.place, &what);
        }
        let when = match (share.as_ref().filter(|_| parts.raw.is_none()), rule.when) {
            (Some(share), Some((when, place))) => Some((when.of_share(self.share(share)?), place)),
            (_, when) => when,
        };
        Some(DesiredRule { log: log.map(|l| l.value), when, ..rule })
    }

    /// Reads the share of the requests on which a rule acts.
    fn share(&mut self, syntax: &Spanned<Text>) -> Option<Share> {
        let text = syntax.value.0.as_str();
        let of_number = |number: &str| number.trim().parse().ok().and_then(Share::of_percent);
        let share = text.strip_suffix('%').and_then(of_number);
        if share.is_none() {
            let place = self.reader.place(syntax);
            let detail = format!("`{}` is not a share", super::super::clip(text));
            self.reader.diagnostics.push(findings::SHARE.at(place, detail).help(
                match of_number(text) {
                    Some(meant) => format!("write `{}%`", meant.percent()),
                    None => "write 1% to 99%, or remove the key for all requests".to_owned(),
                },
            ));
        }
        share
    }

    /// Reads a named rule. `form` reads its own keys and gets the place to show for it.
    pub(super) fn named(
        &mut self,
        parts: &Parts<'_>,
        form: impl FnOnce(&mut Self, Place) -> Option<RuleForm>,
    ) -> Option<DesiredRule> {
        let Parts { span, name, when, enabled, description, note, anchors, state, raw, own, phase } =
            parts;
        let place = name.map_or_else(|| self.handle(*span), |n| self.reader.place(n));
        let name = name.and_then(|n| self.name(n, *phase));
        let what = name.clone().unwrap_or_else(|| "this rule".to_owned());
        let note = self.note(*note, &what);
        if *state == Some(StateSyntax::Absent) {
            self.refuse_beside(parts, true);
            let form = RuleForm::Raw(Value::Map(BTreeMap::new()));
            let rule = DesiredRule {
                name: name?,
                place,
                when: None,
                is_absent: true,
                enabled: true,
                description: None,
                form,
                log: None,
                anchors: Vec::new(),
                note,
                key_places: Vec::new(),
            };
            return Some(rule);
        }
        let anchors = self.anchors(*anchors, name.as_deref());
        let key_places = own.iter().copied().chain(raw.map(|raw| ("raw", raw.span)));
        let description = description.map(|d| d.value.0.clone());
        let (when, form) = match raw {
            Some(raw) => (None, self.raw_rule(parts, raw, name.as_deref())),
            None => {
                if when.is_none() {
                    self.missing(
                        "when",
                        *span,
                        place,
                        "add `when:` with an expression, or `when: all`",
                    );
                }
                (when.map(|w| self.when(w, phase.as_str())), form(self, place))
            }
        };
        let when = match when {
            Some(when) => Some(when.map(|f| (f.value, f.place))?),
            None => None,
        };
        // The missing keys have been reported, and a rule needs them.
        if raw.is_none() && when.is_none() {
            return None;
        }
        Some(DesiredRule {
            name: name?,
            place,
            when,
            is_absent: false,
            enabled: enabled.is_none_or(|e| e.value),
            description,
            form: form?,
            log: None,
            anchors,
            note,
            key_places: key_places.map(|(key, span)| (key, self.handle(span))).collect(),
        })
    }

    /// Reads the name of a rule.
    fn name(&mut self, syntax: &Spanned<Text>, phase: Phase) -> Option<String> {
        let (text, place) = (syntax.value.0.as_str(), self.reader.place(syntax));
        let complain =
            |detail: String, help: String| findings::RULE_NAME.at(place, detail).help(help);
        let diagnostic = if text.is_empty() || text.chars().count() > REF_CHARACTERS {
            let count = text.chars().count();
            complain(
                format!("the name has {count} characters"),
                format!("write 1 to {REF_CHARACTERS} characters"),
            )
        } else if let Some(c) = text.chars().find(|c| !is_ref_character(*c)) {
            let plain = |c: char| if is_ref_character(c) { c.to_ascii_lowercase() } else { '-' };
            let better: String = text.chars().map(plain).collect();
            let better = better.trim_matches(['-', '.']);
            let help = match better.is_empty() {
                true => "write a word, such as `office`".to_owned(),
                false => format!("write `{}`", super::super::clip(better)),
            };
            complain(format!("{c:?} cannot be in a name"), help)
        } else if !is_ref(text) {
            let help = match text.trim_matches(['-', '.']) {
                "" => "write a word, such as `office`".to_owned(),
                better => format!("write `{better}`"),
            };
            complain(
                format!("`{text}` begins or ends with a separator; Cloudflare refuses that"),
                help,
            )
        } else if phase.deploys() && Managed::ALL.iter().any(|m| m.key() == text) {
            complain(
                format!("`{text}` is the name of the rule that executes the managed ruleset"),
                "choose a name that says what the rule is for".to_owned(),
            )
        } else {
            return Some(text.to_owned());
        };
        self.reader.diagnostics.push(diagnostic);
        None
    }

    /// Reads the position of a rule relative to others.
    fn anchors(
        &mut self,
        [before, after]: [Option<&Spanned<Text>>; 2],
        own: Option<&str>,
    ) -> Vec<Anchor> {
        let mut anchors = Vec::new();
        for (key, anchor, is_before) in [("before", before, true), ("after", after, false)] {
            let Some(facet) = anchor.and_then(|a| self.reader.words(key, a)) else { continue };
            if own == Some(facet.value.as_str()) {
                let diagnostic =
                    findings::NOT_HERE.at(facet.place, format!("the rule cannot be {key} itself"));
                self.reader
                    .diagnostics
                    .push(diagnostic.help("write the `ref` or id of another rule"));
                continue;
            }
            let make = if is_before { Anchor::Before } else { Anchor::After };
            anchors.push(make(facet.value, facet.place));
        }
        anchors
    }

    /// Reports a key that is valid only together with another.
    pub(super) fn only_with(&mut self, key: &str, span: Option<Span>, with: &str) {
        if let Some(span) = span {
            let place = self.handle(span);
            let diagnostic = findings::NOT_HERE.at(place, format!("`{key}` goes with {with} only"));
            self.reader
                .diagnostics
                .push(diagnostic.help(format!("remove `{key}`, or write {with}")));
        }
    }

    /// Reports keys that have no meaning together with `raw` or `state: absent`.
    fn refuse_beside(&mut self, parts: &Parts<'_>, is_absent: bool) {
        let other_keys = [
            ("when", parts.when.map(|w| w.span)),
            ("enabled", parts.enabled.map(|e| e.span)),
            ("description", parts.description.map(|d| d.span)),
            ("before", parts.anchors[0].filter(|_| is_absent).map(|a| a.span)),
            ("after", parts.anchors[1].filter(|_| is_absent).map(|a| a.span)),
            ("raw", parts.raw.filter(|_| is_absent).map(|r| r.span)),
        ];
        let other_keys = other_keys.into_iter().filter_map(|(key, span)| Some((key, span?)));
        let (beside, help) = match is_absent {
            true => (
                "state: absent",
                "remove it; a rule that should be gone has a name, and perhaps a reason",
            ),
            false => ("raw", "write it under `raw`, in Cloudflare's form"),
        };
        for (key, span) in other_keys.chain(parts.own.iter().copied()) {
            let place = self.handle(span);
            let diagnostic =
                findings::NOT_HERE.at(place, format!("`{key}` is given beside `{beside}`"));
            self.reader.diagnostics.push(diagnostic.help(help));
        }
    }

    /// Reads a rule in Cloudflare's form.
    fn raw_rule(
        &mut self,
        parts: &Parts<'_>,
        syntax: &Spanned<AnyValue>,
        name: Option<&str>,
    ) -> Option<RuleForm> {
        self.refuse_beside(parts, false);
        let place = self.handle(syntax.span);
        let Value::Map(members) = &syntax.value.0 else { return None };
        let lacks = ["action", "expression"]
            .into_iter()
            .find(|key| !matches!(members.get(*key), Some(Value::Text(_))));
        if let Some(key) = lacks {
            let diagnostic =
                findings::RAW.at(place, format!("a rule at Cloudflare has `{key}`, which is text"));
            self.reader.diagnostics.push(diagnostic.help(format!("add `{key}:` under `raw`")));
            return None;
        }
        if members.contains_key("ratelimit") && parts.phase.rules() != RuleKind::Rate {
            let detail = format!("`ratelimit` has no effect in {}", parts.phase.as_str());
            let help = "move the rule to `rate_limits`, or remove `ratelimit`";
            self.reader.diagnostics.push(findings::RAW.at(place, detail).help(help));
            return None;
        }
        let members_set_by_cloudflare = ["id", "version", "last_updated", "position"]
            .into_iter()
            .find(|key| members.contains_key(*key));
        if let Some(key) = members_set_by_cloudflare {
            let help = if key == "position" {
                "write `before` or `after` beside `raw`"
            } else {
                "remove it; Cloudflare sets it"
            };
            self.reader.diagnostics.push(
                findings::RAW
                    .at(place, format!("`{key}` is not part of a rule's definition"))
                    .help(help),
            );
            return None;
        }
        if let (Some(Value::Text(reference)), Some(name)) = (members.get("ref"), name)
            && reference != name
        {
            let detail =
                format!("`ref` is `{}`, and the name `{name}`", super::super::clip(reference));
            self.reader
                .diagnostics
                .push(findings::RAW.at(place, detail).help("remove `ref`; the name becomes it"));
            return None;
        }
        self.check_raw_expressions(parts.phase, syntax, members);
        Some(RuleForm::Raw(syntax.value.0.clone()))
    }

    /// Reads the targets that an exception skips.
    fn exception_skip(
        &mut self,
        syntax: &Spanned<ScalarOr<ExceptionSkipSyntax>>,
    ) -> Option<Vec<SkipTarget>> {
        let parts = match &syntax.value {
            ScalarOr::Word(word) => {
                return self.everything(
                    syntax,
                    word,
                    "`{ owasp: [942430] }`, `{ ruleset: owasp }`",
                );
            }
            ScalarOr::Parts(parts) => parts,
        };
        let ExceptionSkipSyntax { owasp, cloudflare, ruleset, rulesets } = parts;
        let mut targets = Vec::new();
        for (managed, list) in [(Managed::Owasp, owasp), (Managed::Cloudflare, cloudflare)] {
            let Some(list) = list else { continue };
            let names: Vec<_> = list
                .value
                .iter()
                .map(|n| (RuleName::new(&n.value.0), self.reader.place(n)))
                .collect();
            if names.is_empty() {
                if !self.is_whole(list.span) {
                    return None;
                }
                let detail = format!("the list of rules of `{}` is empty", managed.key());
                self.refuse_skip(self.handle(list.span), detail);
                return None;
            }
            targets.push(SkipTarget::Rules(managed, names));
        }
        for word in ruleset.iter().chain(rulesets.iter().flat_map(|r| &r.value)) {
            let target = self.ruleset(word)?;
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        self.some_target(syntax.span, targets)
    }

    /// Reads the targets that a custom rule skips.
    fn custom_skip(
        &mut self,
        syntax: &Spanned<ScalarOr<CustomSkipSyntax>>,
    ) -> Option<Vec<SkipTarget>> {
        let parts = match &syntax.value {
            ScalarOr::Word(word) => {
                return self.everything(syntax, word, "`{ phases: […] }`, `{ products: […] }`");
            }
            ScalarOr::Parts(parts) => parts,
        };
        let CustomSkipSyntax { everything, phases, products } = parts;
        let lists = [phases.as_ref().map(|p| p.span), products.as_ref().map(|p| p.span)];
        let words = |list: &Option<Spanned<Vec<Spanned<Text>>>>| -> Vec<String> {
            list.iter().flat_map(|l| &l.value).map(|w| w.value.0.clone()).collect()
        };
        let targets = words(phases).into_iter().map(SkipTarget::Phase);
        let products = words(products).into_iter().map(SkipTarget::Product);
        let everything = everything.filter(|e| e.value).map(|_| SkipTarget::Everything);
        let targets: Vec<_> = targets.chain(products).chain(everything).collect();
        // The shape check has reported what it refused.
        if targets.is_empty() && lists.into_iter().flatten().any(|list| !self.is_whole(list)) {
            return None;
        }
        self.some_target(syntax.span, targets)
    }

    /// Reads `everything`.
    fn everything<T>(
        &mut self,
        syntax: &Spanned<T>,
        word: &Text,
        others: &str,
    ) -> Option<Vec<SkipTarget>> {
        if word.0 == "everything" {
            return Some(vec![SkipTarget::Everything]);
        }
        let place = self.reader.place(syntax);
        self.reader.diagnostics.push(
            findings::SKIP
                .at(place, format!("`{}` cannot be bypassed", super::super::clip(&word.0)))
                .help(format!("write `everything`, or a mapping such as {others}")),
        );
        None
    }

    /// Refuses an empty list of targets.
    fn some_target(&mut self, span: Span, targets: Vec<SkipTarget>) -> Option<Vec<SkipTarget>> {
        if targets.is_empty() {
            if self.is_whole(span) {
                self.refuse_skip(self.handle(span), "nothing is bypassed".to_owned());
            }
            return None;
        }
        Some(targets)
    }

    /// Reports an invalid `skip`.
    fn refuse_skip(&mut self, place: Place, detail: String) {
        let diagnostic = findings::SKIP.at(place, detail);
        self.reader
            .diagnostics
            .push(diagnostic.help("name what requests bypass, or remove the rule"));
    }

    /// Reads a ruleset by its word or id.
    fn ruleset(&mut self, syntax: &Spanned<Text>) -> Option<SkipTarget> {
        let text = syntax.value.0.as_str();
        let ruleset_word = Managed::ALL
            .iter()
            .find(|m| m.key() == text || m.facts().id == text.to_ascii_lowercase());
        if let Some(managed) = ruleset_word {
            return Some(SkipTarget::Ruleset(*managed));
        }
        if text.len() == 32 && text.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Some(SkipTarget::RulesetId(text.to_ascii_lowercase()));
        }
        let place = self.reader.place(syntax);
        let nearest = super::super::suggest::nearest(text, Managed::ALL.iter().map(|m| m.key()));
        let help = match nearest {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "write `owasp`, `cloudflare`, or the id of a ruleset: 32 hexadecimal digits"
                .to_owned(),
        };
        let detail = format!("`{}` is not a managed ruleset", super::super::clip(text));
        self.reader.diagnostics.push(findings::SKIP.at(place, detail).help(help));
        None
    }

    /// Reads the response to a blocked request.
    pub(super) fn response(
        &mut self,
        syntax: &Spanned<ResponseSyntax>,
        action: &str,
    ) -> Option<Value> {
        let place = self.handle(syntax.span);
        if action != "block" {
            self.reader.diagnostics.push(
                findings::RESPONSE
                    .at(place, format!("`{action}` does not send this response"))
                    .help("remove `response`, or block"),
            );
            return None;
        }
        let ResponseSyntax { status_code, content, content_type } = &syntax.value;
        let (status, content, content_type) =
            (status_code.as_ref()?, content.as_ref()?, content_type.as_ref()?);
        let Some(number) = status.value.0.parse().ok().filter(|n| RESPONSE_STATUSES.contains(n))
        else {
            let place = self.reader.place(status);
            let detail = format!(
                "`{}` is not a status for a blocked request",
                super::super::clip(&status.value.0)
            );
            self.reader
                .diagnostics
                .push(findings::RESPONSE.at(place, detail).help("write a number from 400 to 499"));
            return None;
        };
        let response = [
            ("status_code".to_owned(), Value::Integer(number)),
            ("content".to_owned(), Value::from(content.value.0.as_str())),
            ("content_type".to_owned(), Value::from(content_type.value.0.as_str())),
        ];
        Some(Value::Map(response.into_iter().gather()))
    }

    /// Returns the rules of a list, without duplicate names.
    pub(super) fn distinct(&mut self, rules: Vec<DesiredRule>) -> Vec<DesiredRule> {
        let mut places: HashMap<String, Place> = HashMap::new();
        let mut kept = Vec::with_capacity(rules.len());
        for rule in rules {
            if let Some(first) = places.get(&rule.name) {
                self.reader.diagnostics.push(
                    findings::NAME_TWICE
                        .at(
                            rule.place,
                            format!("`{}` is the name of another rule of the list", rule.name),
                        )
                        .and_at(*first, "the first one")
                        .help("give one of them another name"),
                );
                continue;
            }
            places.insert(rule.name.clone(), rule.place);
            kept.push(rule);
        }
        kept
    }
}
