//! Reads one `waf` section, and the keys that all its entries share.
//!
//! The other files of this folder read the lists and rulesets, as further methods of [`Section`].
//! Every error becomes a finding. Invalid parts are left out of the layer.

use std::collections::{BTreeMap, HashSet};

use super::super::attributes::{Facet, Reader};
use super::super::deserialize::{Spanned, Text};
use super::super::expiry::{Day, LastDay, is_over, is_soon};
use super::super::limits::is_enough;
use super::super::scalar::within;
use super::layers::Layer;
use super::syntax::{RuleList, SectionKeys, WafSyntax};
use crate::diagnostic::findings;
use crate::diagnostic::{Place, Span};
use crate::model::Gather;
use crate::model::expression::{
    Expression, ExpressionProblem, ExpressionSetting, parse_expression,
};
use crate::model::managed::Managed;
use crate::model::ruleset::{DesiredRule, Note, Phase};

/// Reads sections of one file.
pub(in crate::spec) struct Section<'a> {
    pub(in crate::spec) reader: Reader<'a>,
    /// The text of the file.
    pub(in crate::spec) text: &'a str,
    /// Starts of mappings from which the shape check removed something.
    pub(in crate::spec) reduced: &'a HashSet<u32>,
    /// The date on which expiry is decided.
    pub(in crate::spec) today: Option<Day>,
}

/// The keys for reason, owner and expiry.
pub(super) type NoteKeys<'s> = [Option<&'s Spanned<Text>>; 3];

impl Section<'_> {
    /// Reads a whole section.
    pub(in crate::spec) fn read(&mut self, syntax: &Spanned<WafSyntax>) -> Layer {
        let WafSyntax {
            keys: SectionKeys { unmanaged, accept_weakening, accept, owasp, cloudflare },
            lists,
        } = &syntax.value;
        let unmanaged = unmanaged.map(|u| self.reader.facet(&u, u.value.into()));
        let mut deployments = BTreeMap::new();
        deployments.extend(owasp.as_ref().and_then(|o| Some((Managed::Owasp, self.owasp(o)?))));
        deployments.extend(
            cloudflare.as_ref().and_then(|c| Some((Managed::Cloudflare, self.cloudflare(c)?))),
        );
        let accept_weakening = accept_weakening
            .as_ref()
            .and_then(|words| self.reader.words("accept_weakening", words));
        Layer {
            place: Some(self.handle(syntax.span)),
            unmanaged,
            accept_weakening,
            accept: self.accepted(accept.as_deref().unwrap_or_default()),
            deployments,
            lists: lists.iter().map(|(phase, list)| (*phase, self.list(*phase, list))).gather(),
        }
    }

    /// Reads the rules of a phase, without duplicate names.
    fn list(&mut self, phase: Phase, list: &RuleList) -> Vec<DesiredRule> {
        let rules = match list {
            RuleList::Action(list) => {
                list.iter().filter_map(|rule| self.custom(phase, rule)).collect()
            }
            RuleList::Rate(list) => {
                list.iter().filter_map(|rule| self.rate_limit(phase, rule)).collect()
            }
            RuleList::Exception(list) => {
                list.iter().filter_map(|rule| self.exception(phase, rule)).collect()
            }
        };
        self.distinct(rules)
    }

    /// Returns a short place to show for a mapping, because the whole mapping can be many lines
    /// long.
    pub(super) fn handle(&self, span: Span) -> Place {
        let written = self.text.get(span.start as usize..span.end as usize).unwrap_or_default();
        let length = written.find([':', '\n', ',', '}']).unwrap_or(written.len());
        Place {
            source: self.reader.source,
            span: Span::new(span.start as usize, span.start as usize + length),
        }
    }

    /// Returns true if the shape check removed nothing from a mapping, so that an absent key was
    /// never written.
    pub(super) fn is_whole(&self, span: Span) -> bool {
        !self.reduced.contains(&span.start)
    }

    /// Reports a missing required key at the place of the entry.
    pub(super) fn missing(&mut self, key: &str, span: Span, place: Place, help: &str) {
        if self.is_whole(span) {
            self.reader.diagnostics.push(
                findings::MISSING_KEY.at(place, format!("`{key}` is missing here")).help(help),
            );
        }
    }

    /// Reads a scope: `all`, or an expression.
    pub(super) fn when(
        &mut self,
        syntax: &Spanned<Text>,
        phase: &str,
    ) -> Option<Facet<Expression>> {
        if syntax.value.0.trim() == "all" {
            return Some(self.reader.facet(syntax, Expression::reported("true")));
        }
        self.expression(syntax, phase, false)
    }

    /// Reads an expression. Errors are shown at their place in it.
    pub(super) fn expression(
        &mut self,
        syntax: &Spanned<Text>,
        phase: &str,
        sees_response: bool,
    ) -> Option<Facet<Expression>> {
        // A block ends with a line break, which is not part of the expression.
        let text = syntax.value.0.trim_end();
        let whole_place = self.reader.place(syntax);
        if self.is_enough() {
            return None;
        }
        let setting = ExpressionSetting { sees_response, ..ExpressionSetting::in_phase(phase) };
        let (expression, problems) = parse_expression(text, setting);
        for ExpressionProblem { is_error, span, code: _, message, help } in problems {
            let kind = if is_error { findings::EXPRESSION } else { findings::EXPRESSION_DOUBT };
            let place = within(whole_place, self.text, &syntax.value.0, span);
            self.reader.diagnostics.push(kind.at(place, message).help(help));
        }
        expression.map(|value| Facet { value, place: whole_place })
    }

    /// Returns true if so much has been found that the rest is not checked.
    pub(super) fn is_enough(&self) -> bool {
        is_enough(self.reader.diagnostics)
    }

    /// Reads reason, owner and expiry of an entry. Messages call the entry `what`.
    pub(super) fn note(&mut self, keys: NoteKeys<'_>, what: &str) -> Note {
        self.note_of(keys, what, LastDay::Entry)
    }

    /// Does the same as [`Section::note`] for the given kind of date.
    pub(super) fn note_of(
        &mut self,
        [reason, owner, expires]: NoteKeys<'_>,
        what: &str,
        of_what: LastDay,
    ) -> Note {
        let reason = reason.and_then(|r| self.reader.words("reason", r)).map(|f| f.value);
        let owner = owner.and_then(|o| self.reader.words("owner", o)).map(|f| f.value);
        let mut note = Note { reason, owner, ..Note::default() };
        if let Some(expires) = expires {
            let days_left = self.reader.days_left(expires, what, self.today, of_what);
            note.is_expired = days_left.is_some_and(is_over);
            note.expires_soon = days_left.is_some_and(is_soon);
            note.days_left = days_left.and_then(|days_left| u32::try_from(days_left).ok());
            note.expires = Some(expires.value.0.clone()).filter(|text| Day::parse(text).is_some());
        }
        note
    }

    /// Reports an entry that weakens protection without a reason.
    pub(super) fn need_reason(
        &mut self,
        note: &Note,
        is_given: bool,
        span: Span,
        place: Place,
        what: &str,
    ) {
        // An empty reason has been reported already.
        if note.reason.is_none() && !is_given && self.is_whole(span) {
            self.reader
                .diagnostics
                .push(findings::NO_REASON.at(place, format!("{what}, and nothing says why")).help(
                "add `reason:` with a few words or a ticket, and `expires:` if it is not permanent",
            ));
        }
    }
}
