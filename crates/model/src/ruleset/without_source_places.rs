//! Moves all places in a desired value to one place, so that equality compares only the meaning.

use super::desired::{
    AcceptedCause, Anchor, DesiredDeployment, DesiredRate, DesiredRule, DesiredWaf, RuleForm,
    RuleTuning, SkipTarget, TagTuning,
};
use crate::Gather;
use crate::diagnostic::Place;

impl DesiredWaf {
    /// Returns this value with everything at one place.
    #[must_use]
    pub fn at_place(self, place: Place) -> Self {
        let Self { place: _, unmanaged, deployments, lists, accept_weakening, accept } = self;
        let moved =
            |list: Vec<DesiredRule>| list.into_iter().map(|rule| rule.at_place(place)).collect();
        Self {
            place,
            unmanaged,
            deployments: deployments.into_iter().map(|d| d.at_place(place)).collect(),
            lists: lists.into_iter().map(|(phase, list)| (phase, moved(list))).gather(),
            accept_weakening: at(accept_weakening, place),
            accept: accept
                .into_iter()
                .map(|accepted| AcceptedCause { place, ..accepted })
                .collect(),
        }
    }
}

fn at<T>(value: Option<(T, Place)>, place: Place) -> Option<(T, Place)> {
    value.map(|(value, _)| (value, place))
}

impl DesiredDeployment {
    /// Returns this value with everything at one place.
    #[must_use]
    pub fn at_place(self, place: Place) -> Self {
        let Self {
            ruleset,
            place: _,
            switch,
            when,
            version,
            paranoia,
            threshold,
            action,
            tags,
            rules,
            raw,
        } = self;
        Self {
            ruleset,
            place,
            switch,
            when: at(when, place),
            version: at(version, place),
            paranoia: at(paranoia, place),
            threshold: at(threshold, place),
            action: at(action, place),
            tags: tags.into_iter().map(|tag| TagTuning { place, ..tag }).collect(),
            rules: rules.into_iter().map(|rule| RuleTuning { place, ..rule }).collect(),
            raw: at(raw, place),
        }
    }
}

impl DesiredRule {
    /// Returns this value with everything at one place.
    #[must_use]
    pub fn at_place(self, place: Place) -> Self {
        let Self {
            name,
            place: _,
            when,
            is_absent,
            enabled,
            description,
            form,
            log,
            anchors,
            note,
            key_places: _,
        } = self;
        let form = match form {
            RuleForm::Skip(targets) => {
                RuleForm::Skip(targets.into_iter().map(|t| t.at_place(place)).collect())
            }
            RuleForm::Rate(rate) => {
                RuleForm::Rate(DesiredRate { count: at(rate.count, place), ..rate })
            }
            other @ (RuleForm::Act { .. } | RuleForm::Raw(_)) => other,
        };
        let anchor = |anchor| match anchor {
            Anchor::Before(name, _) => Anchor::Before(name, place),
            Anchor::After(name, _) => Anchor::After(name, place),
        };
        let anchors = anchors.into_iter().map(anchor).collect();
        Self {
            name,
            place,
            when: at(when, place),
            is_absent,
            enabled,
            description,
            form,
            log,
            anchors,
            note,
            key_places: Vec::new(),
        }
    }
}

impl SkipTarget {
    /// Returns this value with everything at one place.
    fn at_place(self, place: Place) -> Self {
        match self {
            Self::Rules(managed, names) => {
                Self::Rules(managed, names.into_iter().map(|(name, _)| (name, place)).collect())
            }
            other @ (Self::Everything
            | Self::Ruleset(_)
            | Self::RulesetId(_)
            | Self::Phase(_)
            | Self::Product(_)) => other,
        }
    }
}
