//! The protection of a zone as the spec wants it.

use crate::diagnostic::Place;
use crate::model::expression::Expression;
use crate::model::fields::Value;
use crate::model::managed::{Managed, Paranoia, RuleName, ScoreAction};
use crate::model::state::Unmanaged;

/// What a spec wants of a zone's rulesets. What is not here is left alone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WafWants {
    /// Where the section stands.
    pub place: Place,
    /// What happens to rules of the phases named here, and to overrides of the deployments named here, that the spec does
    /// not name.
    pub unmanaged: Unmanaged,
    /// Managed rulesets, in the order in which they are executed.
    pub deployments: Vec<DeploymentWants>,
    /// Exceptions from managed rulesets, in their order; `None` leaves those that are there alone.
    pub exceptions: Option<Vec<RuleWants>>,
    /// Custom rules, in their order.
    pub custom: Option<Vec<RuleWants>>,
    /// Rate limiting rules, in their order.
    pub rate_limits: Option<Vec<RuleWants>>,
    /// Why weaker protection is accepted: stands for the consent.
    pub accept_weakening: Option<(String, Place)>,
}

impl WafWants {
    /// A section that says nothing.
    #[must_use]
    pub fn new(place: Place) -> Self {
        Self {
            place,
            unmanaged: Unmanaged::Keep,
            deployments: Vec::new(),
            exceptions: None,
            custom: None,
            rate_limits: None,
            accept_weakening: None,
        }
    }

    /// The phases that are managed.
    pub fn phases(&self) -> impl Iterator<Item = super::Phase> + '_ {
        use super::Phase;
        super::Phase::ALL.iter().copied().filter(|phase| match phase {
            Phase::Custom => self.custom.is_some(),
            Phase::RateLimit => self.rate_limits.is_some(),
            Phase::Managed => self.exceptions.is_some() || !self.deployments.is_empty(),
        })
    }
}

/// Whether a deployment is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// It is wanted on.
    On,
    /// It is wanted off, on purpose.
    Off,
}

/// Why an entry is there, for how long, and who answers for it; never sent to the service.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Note {
    /// Why.
    pub reason: Option<String>,
    /// Who.
    pub owner: Option<String>,
    /// The last day on which it holds, `YYYY-MM-DD`.
    pub expires: Option<String>,
    /// Whether that day is over, so that the entry is to be taken back.
    pub is_expired: bool,
}

/// A managed ruleset as it should be deployed and tuned. What is `None` is left as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeploymentWants {
    /// Which ruleset.
    pub ruleset: Managed,
    /// Where it stands.
    pub place: Place,
    /// Whether it is on.
    pub switch: Switch,
    /// Which requests it concerns.
    pub when: Option<(Expression, Place)>,
    /// The version to run, where the spec pins one.
    pub version: Option<(String, Place)>,
    /// The paranoia level (OWASP only).
    pub paranoia: Option<(Paranoia, Place)>,
    /// The score at which the action is taken (OWASP only).
    pub threshold: Option<(u32, Place)>,
    /// What is done with requests at or above the threshold (OWASP only).
    pub action: Option<(ScoreAction, Place)>,
    /// Tags with their tuning, in order: the last that names a rule wins.
    pub tags: Vec<TagTuning>,
    /// Tuning of single rules, and of all present rules of a tag.
    pub rules: Vec<RuleTuning>,
    /// Overrides as the service has them, for what cannot be said otherwise; the rest is laid over them.
    pub raw: Option<(Value, Place)>,
}

impl DeploymentWants {
    /// A deployment of which nothing is said but that it is on or off.
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

    /// Whether it says anything that is laid over overrides.
    #[must_use]
    pub fn tunes(&self) -> bool {
        let Self { paranoia, threshold, action, tags, rules, .. } = self;
        paranoia.is_some() || threshold.is_some() || action.is_some() || !tags.is_empty() || !rules.is_empty()
    }
}

/// Tuning of everything that carries a tag, now and in later versions of the ruleset.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TagTuning {
    /// The tag.
    pub tag: String,
    /// On or off.
    pub enabled: Option<bool>,
    /// What is done.
    pub action: Option<String>,
    /// Why.
    pub note: Note,
    /// Where it stands.
    pub place: Place,
}

/// What a tuning of rules names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TuningTarget {
    /// One rule.
    Rule(RuleName),
    /// Every rule that carries the tag today.
    Tag(String),
}

/// Tuning of single rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleTuning {
    /// Which.
    pub target: TuningTarget,
    /// On or off.
    pub enabled: Option<bool>,
    /// What is done.
    pub action: Option<String>,
    /// Why.
    pub note: Note,
    /// Where it stands.
    pub place: Place,
}

/// Where a rule stands relative to one that may be foreign, named by its `ref` or id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Anchor {
    /// Before it.
    Before(String, Place),
    /// After it.
    After(String, Place),
}

/// A rule with an expression of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleWants {
    /// Its name, which becomes its `ref`.
    pub name: String,
    /// Where it stands.
    pub place: Place,
    /// Which requests it concerns; of a raw rule it stands in the form.
    pub when: Option<(Expression, Place)>,
    /// Whether it is wanted gone.
    pub is_absent: bool,
    /// Whether it is on.
    pub enabled: bool,
    /// Its description; `None` leaves the one that is there, or uses the reason on creation.
    pub description: Option<String>,
    /// What it does.
    pub form: RuleForm,
    /// Whether its hits are logged; `None` leaves it.
    pub log: Option<bool>,
    /// Where it stands relative to other rules.
    pub anchors: Vec<Anchor>,
    /// Why.
    pub note: Note,
}

/// What a rule does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleForm {
    /// It lets requests pass by other rules.
    Skip(Vec<SkipTarget>),
    /// It acts.
    Act {
        /// How.
        action: String,
        /// What a blocked request is answered: `status_code`, `content`, `content_type`.
        response: Option<Value>,
    },
    /// It acts above a rate.
    Rate(RateWants),
    /// The rule's members as the service has them.
    Raw(Value),
}

/// What is passed by.
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

/// A rate and what happens above it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateWants {
    /// What requests are counted by, by the service's names, without the data centre, which always is one.
    pub per: Vec<String>,
    /// How many requests.
    pub requests: u32,
    /// In how many seconds.
    pub period: u32,
    /// What is done above.
    pub action: String,
    /// For how many seconds.
    pub timeout: u32,
    /// Which requests are counted, if not those that the rule concerns.
    pub count: Option<(Expression, Place)>,
    /// Whether only requests that reach the origin are counted.
    pub to_origin: Option<bool>,
    /// What a blocked request is answered.
    pub response: Option<Value>,
}
