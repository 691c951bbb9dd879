//! The desired protection of a zone.

use std::collections::BTreeMap;

use super::Phase;
use super::rule::RuleBody;
use crate::diagnostic::Place;
use crate::expression::Expression;
use crate::fields::Value;
use crate::managed::{Managed, Paranoia, RuleName, ScoreAction};
use crate::unmanaged::Unmanaged;

/// The desired rulesets of a zone. Anything else is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredWaf {
    /// The place of the section.
    pub place: Place,
    /// The treatment of unmanaged rules and overrides in the phases and deployments named here.
    pub unmanaged: Unmanaged,
    /// Managed rulesets, in the order in which they are executed.
    pub deployments: Vec<DesiredDeployment>,
    /// The rules of each phase that has a list, in order. In the phase of managed rulesets, these
    /// are exceptions. The live rules of a phase without a list are left alone.
    pub lists: BTreeMap<Phase, Vec<DesiredRule>>,
    /// The reason why weaker protection is accepted, which counts as the consent.
    pub accept_weakening: Option<(String, Place)>,
    /// Live settings that may make the protection weaker than this section.
    pub accept: Vec<AcceptedCause>,
}

impl DesiredWaf {
    /// Returns an empty section.
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

    /// Returns the phases that are managed.
    pub fn phases(&self) -> impl Iterator<Item = Phase> + '_ {
        let deploys = |phase: Phase| phase.deploys() && !self.deployments.is_empty();
        Phase::ALL
            .iter()
            .copied()
            .filter(move |phase| self.rules(*phase).is_some() || deploys(*phase))
    }

    /// Returns the named rules of a phase; `None` leaves the live ones alone.
    #[must_use]
    pub fn rules(&self, phase: Phase) -> Option<&[DesiredRule]> {
        self.lists.get(&phase).map(Vec::as_slice)
    }

    /// Returns the named rules of all phases.
    pub fn all_rules(&self) -> impl Iterator<Item = &DesiredRule> {
        self.lists.values().flatten()
    }

    /// Returns the rules that are exceptions from managed rulesets.
    pub fn exceptions(&self) -> impl Iterator<Item = &DesiredRule> {
        self.lists.iter().filter(|(phase, _)| phase.deploys()).flat_map(|(_, rules)| rules)
    }

    /// Returns a rule by its name.
    #[must_use]
    pub fn rule(&self, phase: Phase, name: &str) -> Option<&DesiredRule> {
        self.rules(phase)?.iter().find(|rule| rule.name == name)
    }
}

/// A live setting that may make the protection weaker than the spec. It is accepted as long as it
/// is unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AcceptedCause {
    /// The accepted setting.
    pub object: AcceptedObject,
    /// The managed ruleset that it concerns; `None` for any.
    pub ruleset: Option<Managed>,
    /// The reason and the expiry.
    pub note: Note,
    /// Part of the spec to point at.
    pub place: Place,
}

/// An accepted object with its value.
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
    /// Returns the identity of the object without its value: its key in an entry and its name.
    #[must_use]
    pub fn identity(&self) -> (&'static str, String) {
        match self {
            Self::Rule { name, .. } => ("rule", name.clone()),
            Self::Key { name, .. } => ("key", name.clone()),
            Self::Override { name, .. } => ("override", name.as_str().to_lowercase()),
        }
    }

    /// Returns the part of an override that it accepts: one override can switch some rules off, and
    /// change the action of others.
    #[must_use]
    pub fn part(&self) -> &'static str {
        match self {
            Self::Override { is, .. } if is == "off" => "enabled",
            Self::Override { .. } => "action",
            Self::Rule { .. } | Self::Key { .. } => "",
        }
    }
}

/// The desired state of a deployment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// Deployed; Cloudflare evaluates the rules.
    On,
    /// Off, explicitly.
    Off,
}

/// The reason for an entry, its owner and its expiry; never sent to Cloudflare.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// Reason of the author, for readers of the plan.
    pub reason: Option<String>,
    /// Person or team to ask.
    pub owner: Option<String>,
    /// The last day on which it is valid, `YYYY-MM-DD`.
    pub expires: Option<String>,
    /// True if that day has passed, so that the entry must be reverted.
    pub is_expired: bool,
    /// Number of days until it expires; `None` without an expiry date, or if today is unknown.
    pub days_left: Option<u32>,
    /// True if it expires so soon that a plan has to mention it.
    pub expires_soon: bool,
}

/// The desired deployment and tuning of a managed ruleset. `None` leaves the live value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DesiredDeployment {
    /// Managed ruleset of Cloudflare.
    pub ruleset: Managed,
    /// Part of the spec to point at.
    pub place: Place,
    /// Its desired state.
    pub switch: Switch,
    /// The requests that it applies to.
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
    /// Overrides in Cloudflare's form, for parts that the spec cannot express otherwise. The rest
    /// is merged into them.
    pub raw: Option<(Value, Place)>,
}

impl DesiredDeployment {
    /// Returns a deployment that is only on or off.
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

    /// Returns the deployment with changed notes of its entries.
    #[must_use]
    pub fn with_notes(&self, change: impl Fn(&mut Note)) -> Self {
        let mut deployment = self.clone();
        let notes = deployment
            .tags
            .iter_mut()
            .map(|tag| &mut tag.note)
            .chain(deployment.rules.iter_mut().map(|rule| &mut rule.note));
        notes.for_each(change);
        deployment
    }

    /// Returns true if it has anything to merge into overrides.
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
    /// Cloudflare calls it a category.
    pub tag: String,
    /// On or off.
    pub enabled: Option<bool>,
    /// Replaces the default action of the rules.
    pub action: Option<String>,
    /// The reason, owner and expiry.
    pub note: Note,
    /// Part of the spec to point at.
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
    /// Rules that the tuning concerns.
    pub target: TuningTarget,
    /// On or off.
    pub enabled: Option<bool>,
    /// Replaces the default action of the rules.
    pub action: Option<String>,
    /// The reason, owner and expiry.
    pub note: Note,
    /// Part of the spec to point at.
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
    /// Part of the spec to point at.
    pub place: Place,
    /// The requests that it applies to. For a raw rule, `form` contains them.
    pub when: Option<(Expression, Place)>,
    /// True if it must not exist.
    pub is_absent: bool,
    /// True if it is on.
    pub enabled: bool,
    /// Its description; `None` leaves the live one.
    pub description: Option<String>,
    /// Its effect.
    pub form: RuleForm,
    /// True if its hits are logged; `None` leaves the live value.
    pub log: Option<bool>,
    /// Its position relative to other rules.
    pub anchors: Vec<Anchor>,
    /// The reason, owner and expiry.
    pub note: Note,
    /// The places of keys that only its kind of rule has, and of `raw`.
    pub key_places: Vec<(&'static str, Place)>,
}

impl DesiredRule {
    /// Returns the place of a key; of `raw` or the name if the rule does not have the key.
    #[must_use]
    pub fn place_of_key(&self, key: &str) -> Place {
        let place = |wanted: &str| {
            self.key_places.iter().find(|(known, _)| *known == wanted).map(|(_, place)| *place)
        };
        let of_when = || self.when.as_ref().filter(|_| key == "when").map(|(_, place)| *place);
        place(key).or_else(of_when).or_else(|| place("raw")).unwrap_or(self.place)
    }
}

/// The effect of a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleForm {
    /// The rule skips other rules for its requests.
    Skip(Vec<SkipTarget>),
    /// The rule takes an action.
    Act {
        /// Cloudflare's word, such as `block` or `managed_challenge`.
        action: String,
        /// The response to a blocked request: `status_code`, `content`, `content_type`.
        response: Option<Value>,
    },
    /// The rule takes an action above a rate.
    Rate(DesiredRate),
    /// The rule's members in Cloudflare's form.
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
    /// The characteristics by which requests are counted, with Cloudflare's names. The data centre
    /// is always included and not listed.
    pub per: Vec<String>,
    /// Number of requests.
    pub requests: u32,
    /// Number of seconds in which they are counted.
    pub period: u32,
    /// The action above the rate.
    pub action: String,
    /// Number of seconds for which the action applies.
    pub timeout: u32,
    /// The requests that are counted, if they are not those that the rule matches.
    pub count: Option<(Expression, Place)>,
    /// True if only requests that reach the origin are counted.
    pub to_origin: Option<bool>,
    /// The response to a blocked request.
    pub response: Option<Value>,
}
