//! The effect of a zone's rules on every request of a small set: a model of Cloudflare that shares
//! nothing with the program's own.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::support::rulesets::{cloudflare, id_of, owasp_of, plan_of, scoring_rule};
use serde_json::{Value as Json, json};
use zonewright::model::facts::owasp::ANOMALY_RULE;
use zonewright::model::managed::Managed;
use zonewright::model::ruleset::{LiveWaf, Phase, Position, RuleBody};
use zonewright::plan::{RuleAction, ZonePlan};

pub(super) const PATHS: [&str; 3] = ["/a", "/b", "/c"];
pub(super) const HOSTS: [&str; 2] = ["x.example.com", "y.example.com"];
/// Paranoia levels and scores of the OWASP ruleset for a request: below and above each threshold.
pub(super) const SCORES: [(u64, u64); 5] = [(1, 30), (1, 50), (3, 30), (3, 50), (3, 70)];

/// A client that passes no challenge, and the two readings of what follows one that is passed.
const CHALLENGED: [(bool, bool); 3] = [(false, false), (true, false), (true, true)];

/// A request, and what the zone detects about it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request {
    pub(super) host: &'static str,
    pub(super) path: &'static str,
    /// Requests in a minute.
    pub(super) rate: i64,
    /// The rule of Cloudflare's ruleset that matches it.
    pub(super) attack: Option<&'static str>,
    /// At which level the OWASP ruleset finds it, and with which score.
    pub(super) score: Option<(u64, u64)>,
    /// The product outside the rulesets that stops it, or the phase that a spec cannot have.
    pub(super) product: Option<&'static str>,
    pub(super) solves: bool,
    /// Whether the rules behind a challenge that it passes see it as well.
    pub(super) goes_on: bool,
}

pub(super) fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    let scores = || std::iter::once(None).chain(SCORES.map(Some));
    for host in HOSTS {
        for path in PATHS {
            for rate in [1, 7, 20] {
                for attack in [None, Some("A"), Some("B"), Some("C")] {
                    for score in scores() {
                        for product in [None, Some("bic"), Some("http_request_sbfm")] {
                            for (solves, goes_on) in CHALLENGED {
                                all.push(Request {
                                    host,
                                    path,
                                    rate,
                                    attack,
                                    score,
                                    product,
                                    solves,
                                    goes_on,
                                });
                            }
                        }
                    }
                }
            }
        }
    }
    all
}

/// The requests that a rule applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    All,
    Path(&'static str),
    NotPath(&'static str),
    Host(&'static str),
    Both(&'static str, &'static str),
}

impl When {
    pub(super) fn text(self) -> String {
        match self {
            Self::All => "true".to_owned(),
            Self::Path(path) => format!("http.request.uri.path eq \"{path}\""),
            Self::NotPath(path) => format!("not http.request.uri.path eq \"{path}\""),
            Self::Host(host) => format!("http.host eq \"{host}\""),
            Self::Both(host, path) => {
                format!("http.host eq \"{host}\" and http.request.uri.path eq \"{path}\"")
            }
        }
    }

    pub(super) fn all() -> Vec<Self> {
        let paths = PATHS.into_iter().flat_map(|path| [Self::Path(path), Self::NotPath(path)]);
        let hosts = HOSTS.into_iter().map(Self::Host);
        let both = HOSTS
            .into_iter()
            .flat_map(|host| PATHS.into_iter().map(move |path| Self::Both(host, path)));
        [Self::All].into_iter().chain(paths).chain(hosts).chain(both).collect()
    }

    pub(super) fn of(expression: &str) -> Self {
        Self::all()
            .into_iter()
            .find(|when| when.text() == expression)
            .unwrap_or_else(|| panic!("{expression}"))
    }

    pub(super) fn holds(self, request: Request) -> bool {
        match self {
            Self::All => true,
            Self::Path(path) => request.path == path,
            Self::NotPath(path) => request.path != path,
            Self::Host(host) => request.host == host,
            Self::Both(host, path) => request.host == host && request.path == path,
        }
    }
}

/// A rule, with what follows its condition in a spec.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rule {
    pub(super) name: String,
    pub(super) when: When,
    pub(super) does: &'static str,
}

/// The protection of a zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Protection {
    pub(super) custom: Vec<Rule>,
    pub(super) rates: Vec<Rule>,
    pub(super) exceptions: Vec<Rule>,
    /// The rules of Cloudflare's ruleset that are off; none if it is not deployed.
    pub(super) deployed: Option<Vec<&'static str>>,
    /// The level, the threshold and the action of the OWASP ruleset; none if it is not deployed.
    pub(super) owasp: Option<(u8, u16, &'static str)>,
}

/// The protection that a spec wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Scope {
    /// True if it names the custom rules, the rate limits, the exceptions and rulesets. Other parts
    /// are not read.
    pub(super) named: [bool; 3],
    /// True if it deletes the rules of others.
    pub(super) prune: bool,
}

impl Scope {
    pub(super) const COMPLETE: Self = Self { named: [true; 3], prune: true };
}

pub(super) const CUSTOM: [&str; 10] = [
    "action: block",
    "action: block",
    "action: managed_challenge",
    "action: skip, skip: everything",
    "action: skip, skip: { phases: [http_request_firewall_managed] }",
    "action: skip, skip: { phases: [http_ratelimit] }",
    "action: skip, skip: { phases: [http_ratelimit, http_request_firewall_managed] }",
    "action: skip, skip: { phases: [http_request_sbfm] }",
    "action: skip, skip: { products: [bic] }",
    "action: skip, skip: { products: [bic, uaBlock], phases: [http_request_firewall_managed, http_request_sbfm] }",
];
pub(super) const RATES: [&str; 2] = [
    "per: [ip], limit: 5 in 1m, then: block for 1m",
    "per: [ip], limit: 10 in 1m, then: block for 1m",
];
pub(super) const EXCEPTIONS: [&str; 7] = [
    "skip: { cloudflare: [A] }",
    "skip: { cloudflare: [B] }",
    "skip: { ruleset: cloudflare }",
    "skip: { ruleset: owasp }",
    "skip: { owasp: [942100] }",
    "skip: { rulesets: [owasp, cloudflare] }",
    "skip: everything",
];

impl Protection {
    /// Returns as a section of a spec; the rulesets are on or off, as a deployment is never
    /// deleted.
    pub(super) fn section(&self, Scope { named, prune }: Scope) -> String {
        let list = |rules: &[Rule], key: &str| {
            let lines = rules.iter().map(|rule| {
                format!(
                    "  - {{ name: {}, when: '{}', {}, reason: r }}\n",
                    rule.name,
                    rule.when.text(),
                    rule.does
                )
            });
            let lines: String = lines.collect();
            if lines.is_empty() { format!("{key}: []\n") } else { format!("{key}:\n{lines}") }
        };
        let deployed = match &self.deployed {
            None => "cloudflare: off\n".to_owned(),
            Some(off) => {
                let off: Vec<String> =
                    off.iter().map(|rule| format!("{{ rule: {rule}, reason: r }}")).collect();
                format!("cloudflare: {{ disable: [{}] }}\n", off.join(", "))
            }
        };
        let owasp = match self.owasp {
            None => "owasp: off\n".to_owned(),
            Some((level, threshold, action)) => {
                format!(
                    "owasp: {{ paranoia: {level}, threshold: {threshold}, action: {action} }}\n"
                )
            }
        };
        let managed = format!("{deployed}{owasp}{}", list(&self.exceptions, "exceptions"));
        let parts = [list(&self.custom, "custom"), list(&self.rates, "rate_limits"), managed];
        let parts: String = parts
            .into_iter()
            .zip(named)
            .filter(|(_, is_named)| *is_named)
            .map(|(part, _)| part)
            .collect();
        format!("unmanaged: {}\n{parts}", if prune { "prune" } else { "keep" })
    }
}

/// The rules of each phase with ids, as Cloudflare has them.
pub(super) type State = BTreeMap<Phase, Option<Vec<(String, RuleBody)>>>;

/// Carries out one operation as Cloudflare documents it.
pub(super) fn carry_out(state: &mut State, phase: Phase, action: &RuleAction, n: usize) {
    let rules = state.get_mut(&phase).expect("a phase that was read");
    let insert = |rules: &mut Vec<(String, RuleBody)>,
                  rule: (String, RuleBody),
                  position: Option<&Position>| {
        let find =
            |id: &str| rules.iter().position(|(own, _)| own == id).expect("the rule is there");
        let at = match position {
            None | Some(Position::Last) => rules.len(),
            Some(Position::First) => 0,
            Some(Position::Before(id)) => find(&id.0),
            Some(Position::After(id)) => find(&id.0) + 1,
            Some(Position::Index(index)) => index - 1,
        };
        rules.insert(at, rule);
    };
    match action {
        RuleAction::CreateEntryPoint { rules: all } => {
            let new =
                all.iter().enumerate().map(|(k, body)| (format!("new-{n}-{k}"), body.clone()));
            assert!(rules.replace(new.collect()).is_none());
        }
        RuleAction::Create { after, position } => {
            insert(
                rules.as_mut().expect("an entry point"),
                (format!("new-{n}"), after.clone()),
                position.as_ref(),
            );
        }
        RuleAction::Update { id, after, position, .. } => {
            let rules = rules.as_mut().expect("an entry point");
            let at = rules.iter().position(|(own, _)| *own == id.0).expect("the rule is there");
            rules[at].1 = after.clone();
            if let Some(position) = position {
                let rule = rules.remove(at);
                insert(rules, rule, Some(position));
            }
        }
        RuleAction::Move { id, position, .. } => {
            let rules = rules.as_mut().expect("an entry point");
            let at = rules.iter().position(|(own, _)| *own == id.0).expect("the rule is there");
            let rule = rules.remove(at);
            insert(rules, rule, Some(position));
        }
        RuleAction::Delete { id, .. } => {
            rules.as_mut().expect("an entry point").retain(|(own, _)| *own != id.0)
        }
    }
}

pub(super) fn json_of(body: &RuleBody) -> Json {
    Json::Object(zonewright::wire::ruleset::rule_json(body))
}

/// The effect of a rule, according to its JSON.
#[derive(Debug, Clone)]
pub(super) enum Deed {
    Block,
    Challenge,
    Limit(i64),
    /// Contains the skipped parts: `current`, and names of phases, products, rulesets and rules.
    Skip(BTreeSet<String>),
    /// Rules of Cloudflare's ruleset that are off.
    Cloudflare(BTreeSet<String>),
    /// The rules of these levels are on, above this score; none if they only log.
    Owasp(BTreeSet<u64>, Option<u64>),
}

/// Returns the id of a rule of Cloudflare's ruleset.
pub(super) fn cloudflare_id(attack: &str) -> String {
    format!("{:032x}", 0xabcd_0000_u32 + u32::from(attack.as_bytes()[0] - b'A') + 1)
}

pub(super) fn texts(list: &Json) -> impl Iterator<Item = String> + '_ {
    list.as_array().into_iter().flatten().map(|text| text.as_str().unwrap().to_owned())
}

/// Returns what a rule does; `None` if it is off.
pub(super) fn deed(body: &RuleBody) -> Option<(When, Deed)> {
    let rule = json_of(body);
    let (parameters, overrides) =
        (&rule["action_parameters"], &rule["action_parameters"]["overrides"]);
    let rules = || overrides["rules"].as_array().into_iter().flatten();
    let off = |list: &Json, key: &str| -> BTreeSet<String> {
        let all = list.as_array().into_iter().flatten().filter(|one| one["enabled"] == false);
        all.map(|one| one[key].as_str().unwrap().to_owned()).collect()
    };
    if rule["enabled"] == false {
        return None;
    }
    let deed = match rule["action"].as_str().unwrap() {
        "block" if rule["ratelimit"].is_object() => {
            Deed::Limit(rule["ratelimit"]["requests_per_period"].as_i64().unwrap())
        }
        "block" => Deed::Block,
        "managed_challenge" => Deed::Challenge,
        "skip" => {
            let mut skipped: BTreeSet<String> = texts(&parameters["phases"]).collect();
            skipped.extend(texts(&parameters["products"]));
            skipped.extend(texts(&parameters["rulesets"]));
            skipped.extend(parameters["ruleset"].as_str().map(str::to_owned));
            let by_ruleset = parameters["rules"].as_object().into_iter().flatten();
            skipped.extend(by_ruleset.flat_map(|(_, ids)| texts(ids)));
            Deed::Skip(skipped)
        }
        "execute" if parameters["id"] == Managed::Cloudflare.facts().id => {
            Deed::Cloudflare(off(&overrides["rules"], "id"))
        }
        "execute" => {
            let off = off(&overrides["categories"], "category");
            let levels = (1..=4).filter(|n| !off.contains(&format!("paranoia-level-{n}")));
            let score = rules().find(|one| one["id"] == ANOMALY_RULE).expect("a threshold");
            let threshold = score["score_threshold"].as_u64().expect("a threshold");
            Deed::Owasp(levels.collect(), (score["action"] != "log").then_some(threshold))
        }
        other => panic!("{other}"),
    };
    Some((When::of(rule["expression"].as_str().unwrap()), deed))
}

/// A state, with its rules read.
pub(super) type ReadState = Vec<(Phase, Vec<(When, Deed)>)>;

/// Reads the rules of all phases, in the order in which Cloudflare runs them.
pub(super) fn read(state: &State) -> ReadState {
    let rules = |phase: &Phase| {
        let rules = state.get(phase).into_iter().flatten().flatten();
        rules.filter_map(|(_, body)| deed(body)).collect()
    };
    [Phase::Custom, Phase::RateLimit, Phase::Managed]
        .iter()
        .map(|phase| (*phase, rules(phase)))
        .collect()
}

/// Returns true if a request gets through.
pub(super) fn passes(state: &ReadState, request: Request) -> bool {
    let mut skipped: BTreeSet<&str> = BTreeSet::new();
    for (phase, rules) in state {
        if skipped.contains(phase.as_str()) {
            continue;
        }
        for (_, deed) in rules.iter().filter(|(when, _)| when.holds(request)) {
            match deed {
                Deed::Block => return false,
                Deed::Challenge if request.solves && request.goes_on => {}
                // If it is passed, Cloudflare accepts the request.
                Deed::Challenge => return request.solves,
                Deed::Limit(limit) if request.rate > *limit => return false,
                Deed::Limit(_) => {}
                Deed::Skip(targets) => {
                    skipped.extend(targets.iter().map(String::as_str));
                    // It ends this phase alone.
                    if skipped.remove("current") {
                        break;
                    }
                }
                Deed::Cloudflare(off) => {
                    let Some(attack) = request.attack.map(cloudflare_id) else { continue };
                    let id = Managed::Cloudflare.facts().id;
                    if !skipped.contains(id)
                        && !skipped.contains(attack.as_str())
                        && !off.contains(&attack)
                    {
                        return false;
                    }
                }
                Deed::Owasp(levels, threshold) => {
                    let (Some((level, score)), Some(threshold)) = (request.score, threshold) else {
                        continue;
                    };
                    // All that is found at level 1 is found by one rule.
                    let is_skipped = level == 1 && skipped.contains(id_of(942_100).as_str());
                    let is_on = levels.contains(&level) && !is_skipped && score >= *threshold;
                    if is_on && !skipped.contains(Managed::Owasp.facts().id) {
                        return false;
                    }
                }
            }
        }
    }
    request.product.is_none_or(|product| skipped.contains(product))
}

/// Returns the managed rulesets. One rule detects everything that level 1 of OWASP detects.
pub(super) fn waf() -> LiveWaf {
    let owasp =
        owasp_of(vec![scoring_rule(942_100, 1, Some(5)), scoring_rule(942_110, 3, Some(5))]);
    LiveWaf { catalogues: vec![Arc::new(cloudflare()), Arc::new(owasp)], ..LiveWaf::default() }
}

/// Returns what Cloudflare holds where a spec with this protection was applied.
pub(super) fn state_of(protection: &Protection, absent: bool) -> State {
    let (plan, found) = plan_of(&[], &waf(), &protection.section(Scope::COMPLETE));
    assert!(!found.has_errors(), "{found:?}");
    let mut state: State =
        Phase::ALL.iter().map(|phase| (*phase, (!absent).then(Vec::new))).collect();
    for (n, (_, _, rule)) in plan.rules().enumerate() {
        state.insert(rule.phase, None);
        carry_out(&mut state, rule.phase, &rule.action, n);
    }
    let all = state.iter_mut().filter_map(|(phase, rules)| Some((phase, rules.as_mut()?)));
    for (phase, rules) in all {
        for (n, (id, _)) in rules.iter_mut().enumerate() {
            *id = format!("{n:030x}{:02x}", *phase as u8);
        }
    }
    state
}

/// Returns the plan from one protection to another, with the codes of its findings. Parts that the
/// spec does not name are not read.
pub(super) fn plan(
    before: &State,
    after: &Protection,
    scope: Scope,
) -> (ZonePlan, BTreeSet<String>) {
    let named = [Phase::Custom, Phase::RateLimit, Phase::Managed].into_iter().zip(scope.named);
    let named: BTreeSet<Phase> =
        named.filter(|(_, is_named)| *is_named).map(|(phase, _)| phase).collect();
    let live: Vec<(Phase, Json)> = before
        .iter()
        .filter(|(phase, _)| named.contains(phase))
        .map(|(phase, rules)| {
            let rules = rules.as_ref().map(|rules| {
                let rules = rules.iter().map(|(id, body)| {
                    let mut rule = json_of(body);
                    rule["id"] = json!(id);
                    rule
                });
                rules.collect::<Vec<_>>()
            });
            (*phase, json!(rules))
        })
        .collect();
    let (plan, found) = plan_of(&live, &waf(), &after.section(scope));
    assert!(!found.has_errors(), "{found:?}");
    (plan, found.iter().map(|d| d.code().to_string()).collect())
}

/// Returns the requests to examine beside these states. A part without a rule is not assumed to
/// stop anything.
fn requests_about(states: [&ReadState; 2]) -> impl Iterator<Item = Request> {
    let rules = states.into_iter().flatten().flat_map(|(_, rules)| rules);
    let named: BTreeSet<String> = rules
        .filter_map(|(_, deed)| match deed {
            Deed::Skip(targets) => Some(targets.iter().cloned()),
            _ => None,
        })
        .flatten()
        .collect();
    requests()
        .into_iter()
        .filter(move |request| request.product.is_none_or(|product| named.contains(product)))
}

/// Returns all states from before a plan to after it.
pub(super) fn states_of(before: &State, plan: &ZonePlan) -> Vec<State> {
    let mut states = vec![before.clone()];
    for (n, (_, _, rule)) in plan.rules().enumerate() {
        let mut next = states[states.len() - 1].clone();
        carry_out(&mut next, rule.phase, &rule.action, n);
        states.push(next);
    }
    states
}

/// Returns what goes wrong between two requests: a client passes (`true`) or is stopped, only in
/// between.
pub(super) fn flaws(before: &State, plan: &ZonePlan) -> BTreeSet<bool> {
    let states: Vec<ReadState> = states_of(before, plan).iter().map(read).collect();
    let mut flaws = BTreeSet::new();
    for request in requests_about([&states[0], &states[states.len() - 1]]) {
        let all: Vec<bool> = states.iter().map(|state| passes(state, request)).collect();
        let (first, last) = (all[0], all[all.len() - 1]);
        flaws.extend(all.iter().filter(|one| **one != first && **one != last));
    }
    flaws
}

/// Up to this many operations, all their orders are tried.
pub(super) const ALL_ORDERS: usize = 6;

/// The operations of a plan, which can be carried out in any order.
pub(super) struct AnyOrder<'p> {
    pub(super) operations: Vec<(Phase, &'p RuleAction)>,
    /// The rules of each phase in the end.
    pub(super) end: State,
    /// Requests that are stopped before and after.
    pub(super) stopped: Vec<Request>,
}

impl<'p> AnyOrder<'p> {
    pub(super) fn new(before: &State, plan: &'p ZonePlan) -> Self {
        let end = states_of(before, plan).pop().unwrap();
        let (first, last) = (read(before), read(&end));
        let is_stopped = |request: &Request| !passes(&first, *request) && !passes(&last, *request);
        let stopped = requests_about([&first, &last]).filter(is_stopped).collect();
        Self {
            operations: plan.rules().map(|(_, _, rule)| (rule.phase, &rule.action)).collect(),
            end,
            stopped,
        }
    }

    /// Returns the id of the rule that an operation puts somewhere.
    pub(super) fn placed(&self, n: usize) -> Option<String> {
        match self.operations[n].1 {
            RuleAction::Create { .. } => Some(format!("new-{n}")),
            RuleAction::Move { id, .. } | RuleAction::Update { id, position: Some(_), .. } => {
                Some(id.0.clone())
            }
            RuleAction::Update { .. }
            | RuleAction::Delete { .. }
            | RuleAction::CreateEntryPoint { .. } => None,
        }
    }

    /// Returns the state after one more operation: a rule is put before the next one that is in its
    /// place for good.
    pub(super) fn after(&self, state: &State, n: usize, waiting: &[usize]) -> State {
        let (phase, action) = self.operations[n];
        let mut state = state.clone();
        let Some(id) = self.placed(n) else {
            carry_out(&mut state, phase, action, n);
            return state;
        };
        let end = self.end[&phase].as_ref().unwrap();
        let place = end.iter().position(|(own, _)| *own == id).unwrap();
        let moves: Vec<String> = waiting.iter().filter_map(|n| self.placed(*n)).collect();
        let rules = state.get_mut(&phase).unwrap().as_mut().unwrap();
        let is_kept = matches!(action, RuleAction::Move { .. });
        let body =
            if is_kept { rules.iter().find(|(own, _)| *own == id).unwrap() } else { &end[place] }
                .1
                .clone();
        rules.retain(|(own, _)| *own != id);
        let mut next = end[place + 1..].iter().filter(|(own, _)| !moves.contains(own));
        let at = next.find_map(|(next, _)| rules.iter().position(|(own, _)| own == next));
        rules.insert(at.unwrap_or(rules.len()), (id, body));
        state
    }

    /// Returns true if there is an order in which nothing passes that is stopped before and after.
    pub(super) fn is_any_safe(&self, state: &State, waiting: &[usize]) -> bool {
        let now = read(state);
        if self.stopped.iter().any(|request| passes(&now, *request)) {
            return false;
        }
        waiting.len() < 2
            || waiting.iter().any(|n| {
                let others: Vec<usize> =
                    waiting.iter().copied().filter(|other| other != n).collect();
                self.is_any_safe(&self.after(state, *n, &others), &others)
            })
    }
}
