//! Managed rulesets: `owasp` and `cloudflare`, and the entries that tune their rules.

use std::collections::HashMap;

use super::super::any_value::AnyValue;
use super::super::attributes::Facet;
use super::super::deserialize::{Spanned, Text};
use super::super::scalar_or_parts::ScalarOr;
use super::layers::DeploymentLayer;
use super::section::{NoteKeys, Section};
use super::syntax::{CloudflareSyntax, OwaspSyntax, RuleSyntax, TagSyntax, TuneSyntax};
use crate::diagnostic::findings;
use crate::diagnostic::{Place, Span};
use crate::model::Value;
use crate::model::expression::Expression;
use crate::model::facts::owasp::THRESHOLD_KEYWORDS;
use crate::model::facts::rulesets::MANAGED_PHASE;
use crate::model::managed::{Managed, Overrides, Paranoia, RuleName, ScoreAction};
use crate::model::ruleset::{RuleTuning, Switch, TagTuning, TuningTarget};

impl Section<'_> {
    /// Reads the OWASP section.
    pub(super) fn owasp(
        &mut self,
        syntax: &Spanned<ScalarOr<OwaspSyntax>>,
    ) -> Option<DeploymentLayer> {
        let parts = match &syntax.value {
            ScalarOr::Word(word) => return self.switch(syntax, word, "owasp"),
            ScalarOr::Parts(parts) => parts,
        };
        let OwaspSyntax {
            paranoia,
            threshold,
            action,
            when,
            expression,
            version,
            disable,
            enable,
            raw,
        } = parts;
        let mut layer = DeploymentLayer::new(self.handle(syntax.span), Switch::On);
        layer.paranoia = paranoia.as_ref().and_then(|p| self.paranoia(p));
        layer.threshold = threshold.as_ref().and_then(|t| self.threshold(t));
        layer.action = action
            .as_ref()
            .and_then(|a| Some(self.reader.facet(a, ScoreAction::parse(&a.value.0)?)));
        layer.when = self.scope(when.as_ref(), expression.as_ref());
        layer.version = version.as_ref().and_then(|v| self.reader.words("version", v));
        layer.raw =
            raw.as_ref().and_then(|r| self.overrides(r, Managed::Owasp, layer.paranoia.is_some()));
        self.tunings(disable.as_deref(), false, Managed::Owasp, &mut layer);
        self.tunings(enable.as_deref(), true, Managed::Owasp, &mut layer);
        Some(self.finish(layer, Managed::Owasp))
    }

    /// Reads the section of the Cloudflare Managed Ruleset.
    pub(super) fn cloudflare(
        &mut self,
        syntax: &Spanned<ScalarOr<CloudflareSyntax>>,
    ) -> Option<DeploymentLayer> {
        let parts = match &syntax.value {
            ScalarOr::Word(word) => return self.switch(syntax, word, "cloudflare"),
            ScalarOr::Parts(parts) => parts,
        };
        let CloudflareSyntax { when, expression, version, tags, rules, disable, enable, raw } =
            parts;
        let mut layer = DeploymentLayer::new(self.handle(syntax.span), Switch::On);
        layer.when = self.scope(when.as_ref(), expression.as_ref());
        layer.version = version.as_ref().and_then(|v| self.reader.words("version", v));
        layer.raw = raw.as_ref().and_then(|r| self.overrides(r, Managed::Cloudflare, false));
        for tag in tags.iter().flatten() {
            layer.tags.extend(self.tag(tag));
        }
        self.tunings(disable.as_deref(), false, Managed::Cloudflare, &mut layer);
        self.tunings(enable.as_deref(), true, Managed::Cloudflare, &mut layer);
        for rule in rules.iter().flatten() {
            layer.rules.extend(self.rule(rule));
        }
        Some(self.finish(layer, Managed::Cloudflare))
    }

    /// Reads `on` or `off`.
    fn switch<T>(
        &mut self,
        syntax: &Spanned<T>,
        word: &Text,
        key: &str,
    ) -> Option<DeploymentLayer> {
        let place = self.reader.place(syntax);
        match word.0.as_str() {
            "on" => Some(DeploymentLayer::new(place, Switch::On)),
            "off" => Some(DeploymentLayer::new(place, Switch::Off)),
            other => {
                let detail = format!("`{}` is not a state of `{key}`", super::super::clip(other));
                let help = match (other, key) {
                    ("log", "owasp") => "write `owasp: { action: log }` to log only".to_owned(),
                    _ => "write `on`, `off`, or keys below it, indented".to_owned(),
                };
                self.reader.diagnostics.push(findings::SECTION.at(place, detail).help(help));
                None
            }
        }
    }

    /// Reads the scope of a ruleset: `when`, or an expression that is not checked.
    fn scope(
        &mut self,
        when: Option<&Spanned<Text>>,
        raw: Option<&Spanned<Text>>,
    ) -> Option<Facet<Expression>> {
        let Some(raw) = raw else { return self.when(when?, MANAGED_PHASE) };
        let (text, place) = (raw.value.0.trim(), self.reader.place(raw));
        if let Some(when) = when {
            let diagnostic = findings::NOT_HERE.at(place, "`expression` is given beside `when`");
            let diagnostic = diagnostic.and_at(self.reader.place(when), "the `when`");
            self.reader.diagnostics.push(
                diagnostic.help("keep `when`, which is checked, unless it refuses what you need"),
            );
            return None;
        }
        if text.is_empty() {
            self.reader.diagnostics.push(
                findings::RAW
                    .at(place, "the expression is empty")
                    .help("write one, or `when: all`"),
            );
            return None;
        }
        Some(Facet { value: Expression::reported(text), place })
    }

    /// Reads a paranoia level. The inner `None` is `custom`.
    fn paranoia(&mut self, syntax: &Spanned<Text>) -> Option<Facet<Option<Paranoia>>> {
        let text = syntax.value.0.as_str();
        if text == "custom" {
            return Some(self.reader.facet(syntax, None));
        }
        let number = text.parse::<u32>().ok();
        if let Some(level) = number.and_then(|n| u8::try_from(n).ok()).and_then(Paranoia::new) {
            return Some(self.reader.facet(syntax, Some(level)));
        }
        let place = self.reader.place(syntax);
        let help = match number {
            Some(n) if n > 9 => format!("write 1 to 4; a score belongs under `threshold: {n}`"),
            _ => "write 1, 2, 3 or 4, or `custom` if `raw` switches the levels".to_owned(),
        };
        let detail = format!("`{}` is not a paranoia level", super::super::clip(text));
        self.reader.diagnostics.push(findings::PARANOIA.at(place, detail).help(help));
        None
    }

    fn threshold(&mut self, syntax: &Spanned<Text>) -> Option<Facet<u32>> {
        let (text, place) = (syntax.value.0.as_str(), self.reader.place(syntax));
        let keyword_number =
            THRESHOLD_KEYWORDS.iter().find(|(word, _)| *word == text).map(|(_, number)| *number);
        let Some(number) = keyword_number.or_else(|| text.parse().ok()).filter(|n| *n > 0) else {
            let words: Vec<_> =
                THRESHOLD_KEYWORDS.iter().map(|(word, n)| format!("`{word}` ({n})")).collect();
            self.reader.diagnostics.push(
                findings::THRESHOLD
                    .at(place, format!("`{}` is not a threshold", super::super::clip(text)))
                    .help(format!(
                        "write {}, or a whole number from 1; lower is stricter",
                        words.join(", ")
                    )),
            );
            return None;
        };
        self.doubt_threshold(number, place);
        Some(Facet { value: number, place })
    }

    /// Reads overrides in Cloudflare's form.
    fn overrides(
        &mut self,
        syntax: &Spanned<AnyValue>,
        ruleset: Managed,
        has_level: bool,
    ) -> Option<Facet<Value>> {
        let (value, place) = (&syntax.value.0, self.handle(syntax.span));
        let Some(overrides) = Overrides::read(Some(value)) else {
            self.reader.diagnostics.push(findings::RAW.at(place, "these are not overrides").help(
                "write `categories` as a list with `category`, `rules` as a list with `id`, and \
                what to override in each",
            ));
            return None;
        };
        if ruleset == Managed::Owasp {
            self.doubt_overrides(&overrides, has_level, place);
        }
        for tag in &overrides.tags {
            self.doubt_level(&tag.tag, ruleset, place);
        }
        Some(Facet { value: value.clone(), place })
    }

    /// Reads `disable` or `enable`.
    fn tunings(
        &mut self,
        list: Option<&[Spanned<TuneSyntax>]>,
        enabled: bool,
        ruleset: Managed,
        layer: &mut DeploymentLayer,
    ) {
        for item in list.unwrap_or_default() {
            let TuneSyntax { rule, tag, future, reason, owner, expires } = &item.value;
            let notes = [reason.as_ref(), owner.as_ref(), expires.as_ref()];
            let Some((target, place)) = self.target(item.span, rule.as_ref(), tag.as_ref()) else {
                continue;
            };
            let what = match &target {
                TuningTarget::Rule(name) => name.to_string(),
                TuningTarget::Tag(tag) => tag.clone(),
            };
            let note = self.note(notes, &what);
            if !enabled {
                self.need_reason(
                    &note,
                    reason.is_some(),
                    item.span,
                    place,
                    &format!("`{what}` is switched off"),
                );
            }
            let future = future.filter(|f| f.value);
            match (target, future) {
                (TuningTarget::Tag(tag), Some(_)) => {
                    self.doubt_level(&tag, ruleset, place);
                    layer.tags.push(TagTuning {
                        tag,
                        enabled: Some(enabled),
                        action: None,
                        note,
                        place,
                    });
                }
                (TuningTarget::Rule(_), Some(future)) => {
                    let place = self.reader.place(&future);
                    self.reader.diagnostics.push(
                        findings::NOT_HERE
                            .at(place, "`future` is about the rules of a tag")
                            .help("remove `future`, or name a `tag` instead of a `rule`"),
                    );
                }
                (target, None) => {
                    if let (TuningTarget::Rule(name), false, Managed::Owasp) =
                        (&target, enabled, ruleset)
                    {
                        self.doubt_anomaly(name, place, "`owasp: off` if that is meant");
                    }
                    if let TuningTarget::Tag(tag) = &target {
                        self.doubt_level(tag, ruleset, place);
                    }
                    layer.rules.push(RuleTuning {
                        target,
                        enabled: Some(enabled),
                        action: None,
                        note,
                        place,
                    });
                }
            }
        }
    }

    /// Reads the target of an entry: a rule or a tag.
    fn target(
        &mut self,
        span: Span,
        rule: Option<&Spanned<Text>>,
        tag: Option<&Spanned<Text>>,
    ) -> Option<(TuningTarget, Place)> {
        let rule_or_tag = match (rule, tag) {
            (Some(rule), None) => rule,
            (None, Some(tag)) => tag,
            (Some(_), Some(tag)) => {
                let place = self.reader.place(tag);
                let diagnostic = findings::TUNING.at(place, "the entry names a rule and a tag");
                self.reader.diagnostics.push(diagnostic.help("write two entries, one for each"));
                return None;
            }
            (None, None) => {
                let place = self.handle(span);
                self.missing(
                    "rule",
                    span,
                    place,
                    "add `rule:` with a number, a description or an id, or `tag:`",
                );
                return None;
            }
        };
        let place = self.reader.place(rule_or_tag);
        let name = RuleName::new(&rule_or_tag.value.0);
        if name.as_str().is_empty() {
            let diagnostic = findings::TUNING.at(place, "the name is empty");
            self.reader.diagnostics.push(
                diagnostic.help("write a number, a description or an id of a rule, or a tag"),
            );
            return None;
        }
        let target = match tag {
            Some(_) => TuningTarget::Tag(name.as_str().to_owned()),
            None => TuningTarget::Rule(name),
        };
        Some((target, place))
    }

    /// Reads an item of `tags`.
    fn tag(&mut self, syntax: &Spanned<TagSyntax>) -> Option<TagTuning> {
        let TagSyntax { tag, action, enabled, reason, owner, expires } = &syntax.value;
        let (TuningTarget::Tag(tag), place) =
            self.target(syntax.span, None, Some(tag.as_ref()?))?
        else {
            return None;
        };
        self.doubt_level(&tag, Managed::Cloudflare, place);
        let notes = [reason.as_ref(), owner.as_ref(), expires.as_ref()];
        let (enabled, action) =
            (enabled.map(|e| e.value), action.as_ref().map(|a| a.value.0.clone()));
        let note = self.change(syntax.span, place, &tag, enabled, action.as_deref(), notes)?;
        Some(TagTuning { tag, enabled, action, note, place })
    }

    /// Reads an item of `rules`.
    fn rule(&mut self, syntax: &Spanned<RuleSyntax>) -> Option<RuleTuning> {
        let RuleSyntax { rule, action, enabled, reason, owner, expires } = &syntax.value;
        let (target, place) = self.target(syntax.span, Some(rule.as_ref()?), None)?;
        let TuningTarget::Rule(name) = &target else { return None };
        let notes = [reason.as_ref(), owner.as_ref(), expires.as_ref()];
        let (enabled, action) =
            (enabled.map(|e| e.value), action.as_ref().map(|a| a.value.0.clone()));
        let note =
            self.change(syntax.span, place, name.as_str(), enabled, action.as_deref(), notes)?;
        Some(RuleTuning { target, enabled, action, note, place })
    }

    /// Reads the change that an item of either list makes. It must change something, and it needs a
    /// reason if it weakens.
    fn change(
        &mut self,
        span: Span,
        place: Place,
        what: &str,
        enabled: Option<bool>,
        action: Option<&str>,
        notes: NoteKeys<'_>,
    ) -> Option<crate::model::ruleset::Note> {
        let note = self.note(notes, what);
        if enabled.is_none() && action.is_none() {
            if self.is_whole(span) {
                let diagnostic = findings::TUNING.at(place, "the entry changes nothing");
                self.reader
                    .diagnostics
                    .push(diagnostic.help("add `action:` or `enabled:`, or remove the entry"));
            }
            return None;
        }
        let weak = match (enabled, action) {
            (Some(false), _) => Some("is switched off"),
            (_, Some("log")) => Some("is only logged"),
            _ => None,
        };
        if let Some(weak) = weak {
            self.need_reason(&note, notes[0].is_some(), span, place, &format!("`{what}` {weak}"));
        }
        Some(note)
    }

    /// Reports targets that are tuned twice, and sorts the entries.
    fn finish(&mut self, mut layer: DeploymentLayer, ruleset: Managed) -> DeploymentLayer {
        let mut places: HashMap<String, Place> = HashMap::new();
        let mut doubles = Vec::new();
        for (key, place) in layer.keys() {
            match places.get(&key) {
                Some(first) => doubles.push((key, *first, place)),
                None => drop(places.insert(key, place)),
            }
        }
        for (key, first, place) in doubles {
            let (first, place) = (first.min(place), first.max(place));
            let name = key.split_once(' ').map_or(key.as_str(), |(_, name)| name);
            self.reader.diagnostics.push(
                findings::TUNED_TWICE
                    .at(place, format!("`{name}` is tuned here again"))
                    .and_at(first, "it is tuned here first")
                    .help(format!("keep one entry for it under `{}`", ruleset.key())),
            );
        }
        layer.sort();
        layer
    }
}
