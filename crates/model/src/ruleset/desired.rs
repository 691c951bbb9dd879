//! The protection of a zone as the spec wants it.

use std::collections::BTreeMap;

use super::Phase;
use super::rule::RuleBody;
use crate::diagnostic::Place;
use crate::expression::Expression;
use crate::fields::Value;
use crate::managed::{Managed, Paranoia, RuleName, ScoreAction};
use crate::unmanaged::Unmanaged;

/// The rulesets that a spec wants for a zone. Anything that is not here is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredWaf {
    /// The place of the section.
    pub place: Place,
    /// What happens to rules of the phases named here, and to overrides of the deployments named
    /// here, that the spec does not name.
    pub unmanaged: Unmanaged,
    /// Managed rulesets, in the order in which they are executed.
    pub deployments: Vec<DesiredDeployment>,
    /// The rules of each phase that has a list, in their order; in the phase of managed rulesets,
    /// these are exceptions. The live rules of a phase without a list are left alone.
    pub lists: BTreeMap<Phase, Vec<DesiredRule>>,
    /// Why weaker protection is accepted; counts as the consent.
    pub accept_weakening: Option<(String, Place)>,
    /// What may make the live protection weaker than this section says.
    pub accept: Vec<AcceptedCause>,
}

impl DesiredWaf {
    /// An empty section.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self {
            place,
            unmanaged: Unmanaged::Keep,
            deployments: Vec::new(),
            lists: BTreeMap::new(),
            accept_weakening: None,
            accept: Vec::new(),
        }
    }

    /// The phases that are managed.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        let deploys = |phase: Phase| phase.deploys() && !self.deployments.is_empty();
        Phase::ALL
            .iter()
            .copied()
            .filter(move |phase| self.rules(*phase).is_some() || deploys(*phase))
    }

    /// The rules of a phase that have names; `None` leaves the live ones alone.
    #[must_use]
    pub fn rules(&self, phase: Phase) -> Option<&[DesiredRule]> {
        self.lists.get(&phase).map(Vec::as_slice)
    }

    /// The rules of all phases that have names.
    pub fn all_rules(&self) -> impl Iterator<Item = &DesiredRule> {
        self.lists.values().flatten()
    }

    /// The rules that are exceptions from managed rulesets.
    pub fn exceptions(&self) -> impl Iterator<Item = &DesiredRule> {
        self.lists.iter().filter(|(phase, _)| phase.deploys()).flat_map(|(_, rules)| rules)
    }

    /// A rule by its name.
    #[must_use]
    pub fn rule(&self, phase: Phase, name: &str) -> Option<&DesiredRule> {
        self.rules(phase)?.iter().find(|rule| rule.name == name)
    }
}

/// Something at Cloudflare that may make the protection weaker than the spec says, as long as it is
/// as it was when it was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedCause {
    /// What it is.
    pub object: AcceptedObject,
    /// The managed ruleset that it concerns; `None` for any.
    pub ruleset: Option<Managed>,
    /// Why, and until when.
    pub note: Note,
    /// Its place.
    pub place: Place,
}

/// What is accepted, with its value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum AcceptedObject {
    /// A rule that lets requests skip managed rules, by its `ref` or id.
    Rule {
        /// Its `ref` or id.
        name: String,
        /// Its expression and the parameters of its action.
        is: Box<RuleBody>,
    },
    /// A key of a deployment, such as `threshold`.
    Key {
        /// The key.
        name: String,
        /// Its value in the words of the spec.
        is: String,
    },
    /// An override of a rule or a tag.
    Override {
        /// The rule or tag.
        name: RuleName,
        /// `off`, or the action.
        is: String,
    },
}

impl AcceptedObject {
    /// The same object, whatever its value: its key in an entry and its name.
    #[must_use]
    pub fn identity(&self) -> (&'static str, String) {
        match self {
            Self::Rule { name, .. } => ("rule", name.clone()),
            Self::Key { name, .. } => ("key", name.clone()),
            Self::Override { name, .. } => ("override", name.as_str().to_lowercase()),
        }
    }
}

/// Whether a deployment is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// It is wanted on.
    On,
    /// It is wanted off, explicitly.
    Off,
}

/// The reason for an entry, its owner and its expiry; never sent to Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// Why.
    pub reason: Option<String>,
    /// Who.
    pub owner: Option<String>,
    /// The last day on which it is valid, `YYYY-MM-DD`.
    pub expires: Option<String>,
    /// Whether that day has passed, so that the entry must be reverted.
    pub is_expired: bool,
    /// How many days are left until then; `None` without such a day, or if today is unknown.
    pub days_left: Option<u32>,
    /// Whether it is near, so that a plan says what will be done then.
    pub expires_soon: bool,
}

/// A managed ruleset as it should be deployed and tuned. `None` leaves the live value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredDeployment {
    /// Which ruleset.
    pub ruleset: Managed,
    /// Its place.
    pub place: Place,
    /// Whether it is on.
    pub switch: Switch,
    /// Which requests it applies to.
    pub when: Option<(Expression, Place)>,
    /// The version to run, if the spec pins one.
    pub version: Option<(String, Place)>,
    /// The paranoia level (OWASP only).
    pub paranoia: Option<(Paranoia, Place)>,
    /// The score at which the action is taken (OWASP only).
    pub threshold: Option<(u32, Place)>,
    /// The action for requests at or above the threshold (OWASP only).
    pub action: Option<(ScoreAction, Place)>,
    /// Tags with their tuning, in order: for a rule with several of the tags, the last one wins.
    pub tags: Vec<TagTuning>,
    /// Tuning of single rules, and of all current rules of a tag.
    pub rules: Vec<RuleTuning>,
    /// Overrides as Cloudflare has them, for what the spec cannot express otherwise; the rest is
    /// merged into them.
    pub raw: Option<(Value, Place)>,
}

impl DesiredDeployment {
    /// A deployment that is only on or off.
    #[must_use]
    pub fn new(ruleset: Managed, switch: Switch, place: Place) -> Self {
        Self {
            ruleset,
            place,
            switch,
            when: None,
            version: None,
            paranoia: None,
            threshold: None,
            action: None,
            tags: Vec::new(),
            rules: Vec::new(),
            raw: None,
        }
    }

    /// The same with other notes of its entries.
    #[must_use]
    pub fn with_notes(&self, change: impl Fn(&mut Note)) -> Self {
        let mut other = self.clone();
        let notes = other
            .tags
            .iter_mut()
            .map(|tag| &mut tag.note)
            .chain(other.rules.iter_mut().map(|rule| &mut rule.note));
        notes.for_each(change);
        other
    }

    /// Whether it has anything to merge into overrides.
    #[must_use]
    pub fn tunes(&self) -> bool {
        let Self { paranoia, threshold, action, tags, rules, .. } = self;
        paranoia.is_some()
            || threshold.is_some()
            || action.is_some()
            || !tags.is_empty()
            || !rules.is_empty()
    }
}

/// Tuning of all rules with a tag, now and in later versions of the ruleset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagTuning {
    /// The tag.
    pub tag: String,
    /// On or off.
    pub enabled: Option<bool>,
    /// The action.
    pub action: Option<String>,
    /// Why.
    pub note: Note,
    /// Its place.
    pub place: Place,
}

/// The target of a tuning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TuningTarget {
    /// One rule.
    Rule(RuleName),
    /// Every rule that has the tag today.
    Tag(String),
}

/// Tuning of single rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTuning {
    /// Which.
    pub target: TuningTarget,
    /// On or off.
    pub enabled: Option<bool>,
    /// The action.
    pub action: Option<String>,
    /// Why.
    pub note: Note,
    /// Its place.
    pub place: Place,
}

/// The position of a rule relative to another, possibly foreign, rule, named by its `ref` or id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// Before it.
    Before(String, Place),
    /// After it.
    After(String, Place),
}

/// A rule with its own expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredRule {
    /// Its name, which becomes its `ref`.
    pub name: String,
    /// Its place.
    pub place: Place,
    /// Which requests it applies to; for a raw rule, the form has them.
    pub when: Option<(Expression, Place)>,
    /// Whether it must not exist.
    pub is_absent: bool,
    /// Whether it is on.
    pub enabled: bool,
    /// Its description; `None` leaves the live one.
    pub description: Option<String>,
    /// What it does.
    pub form: RuleForm,
    /// Whether its hits are logged; `None` leaves the live value.
    pub log: Option<bool>,
    /// Its position relative to other rules.
    pub anchors: Vec<Anchor>,
    /// Why.
    pub note: Note,
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleForm {
    /// It skips other rules for its requests.
    Skip(Vec<SkipTarget>),
    /// It takes an action.
    Act {
        /// The action.
        action: String,
        /// The response to a blocked request: `status_code`, `content`, `content_type`.
        response: Option<Value>,
    },
    /// It takes an action above a rate.
    Rate(DesiredRate),
    /// The rule's members as Cloudflare has them.
    Raw(Value),
}

/// A target to skip.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SkipTarget {
    /// All rules after this one in its ruleset.
    Everything,
    /// A managed ruleset.
    Ruleset(Managed),
    /// A managed ruleset by its id.
    RulesetId(String),
    /// Single rules of a managed ruleset.
    Rules(Managed, Vec<(RuleName, Place)>),
    /// A later phase.
    Phase(String),
    /// A product outside the rulesets.
    Product(String),
}

/// A rate and the action above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredRate {
    /// What requests are counted by, by Cloudflare's names, without the data centre, which is
    /// always included.
    pub per: Vec<String>,
    /// How many requests.
    pub requests: u32,
    /// In how many seconds.
    pub period: u32,
    /// The action above the rate.
    pub action: String,
    /// For how many seconds the action applies.
    pub timeout: u32,
    /// Which requests are counted, if not those that the rule matches.
    pub count: Option<(Expression, Place)>,
    /// Whether only requests that reach the origin are counted.
    pub to_origin: Option<bool>,
    /// The response to a blocked request.
    pub response: Option<Value>,
}
