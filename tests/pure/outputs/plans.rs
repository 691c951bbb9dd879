//! Plans for the tests of outputs: from a case, or with arbitrary words.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use zonewright::diagnostic::{Place, Sources, Span, findings};
use zonewright::diff::{Field, FieldChange, RecordChange, RuleDeleteReason, RuleField};
use zonewright::insight::Direction;
use zonewright::insight::dns::{Picture, PictureNode, PictureTopic};
use zonewright::insight::waf::Impact;
use zonewright::model::ruleset::{Phase, RuleBody, RuleId};
use zonewright::model::{Address, Danger, Fqdn, LiveZone, Tier, Value as Word, ZoneId, ZoneName};
use zonewright::plan::{
    BaseSource, Cause, Consents, ExpectRuleset, GivenConsent, Keeper, Operation, Plan, RuleAction,
    RuleSubject, SetAsideCount, Subject, Verdict, ZonePlan, plan_zone,
};
use zonewright::render::Review;
use zonewright::{spec, wire};

/// A plan with what else its review needs.
pub(crate) struct Made {
    pub(crate) plan: Plan,
    pub(crate) verdict: Verdict,
    pub(crate) sources: Sources,
}

impl Made {
    /// Judges a plan without any consent.
    fn new(plan: Plan, sources: Sources) -> Self {
        Self { verdict: plan.verdict(&Consents::default()), plan, sources }
    }

    pub(crate) fn review(&self) -> Review<'_> {
        Review {
            plan: &self.plan,
            verdict: &self.verdict,
            requests_to_apply: 2,
            sources: &self.sources,
        }
    }
}

/// Returns the plan of a spec for example.com and what Cloudflare has.
fn zone_plan(
    name: &str,
    spec: &str,
    live: &[Value],
    tier: &str,
    sources: &mut Sources,
) -> (ZonePlan, Plan) {
    let outcome =
        spec::load(&[spec::Input::Stdin(spec.to_owned())], &spec::Options::default(), sources);
    let desired = outcome.desired.unwrap_or_else(|| panic!("{:?}", outcome.diagnostics));
    let live = LiveZone {
        tier: Tier::from_legacy_id(tier),
        records: live.iter().map(|r| wire::record::read_record(r).unwrap()).collect(),
        ..LiveZone::new(
            ZoneName::parse(name).unwrap(),
            ZoneId("023e105f4ecef8ad9ca31a8372d0c353".into()),
        )
    };
    let own = desired.zones.values().next().unwrap();
    let (zone, diagnostics) = plan_zone(own, &live);
    (
        crate::scenarios::judged(zone, own, None, &live),
        Plan { diagnostics, requests_made: 3, ..Plan::default() },
    )
}

/// Returns the plan of a case.
pub(crate) fn case(path: &Path) -> Made {
    let case: Value = serde_yaml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut sources = Sources::default();
    let live = case["live"].as_array().unwrap();
    let (zone, plan) = zone_plan(
        "example.com",
        case["spec"].as_str().unwrap(),
        live,
        case["tier"].as_str().unwrap(),
        &mut sources,
    );
    let mut zone = zone;
    let looser = RuleAction::Update {
        id: RuleId("1".into()),
        before: RuleBody::default(),
        after: RuleBody::default(),
        position: None,
    };
    let rule = Operation {
        fields: vec![FieldChange {
            field: Field::Rule(RuleField::Member("threshold".to_owned())),
            before: Word::Integer(25),
            after: Word::Integer(60),
        }],
        dangers: vec![Danger::WeakensProtection],
        accepted: BTreeMap::new(),
        modified_on: Some("2026-11-19T08:00:00Z".to_owned()),
        ..rule(
            looser,
            ["owasp", "threshold 25 → 60: needs 12 instead of 5 critical (+5) hits to act", ""],
        )
    };
    // Rules are before records.
    zone.operations.insert(0, rule);
    Made::new(Plan { zones: vec![zone], ..plan }, sources)
}

/// Returns what is done to a rule that weakens the protection, with these words: its name, what
/// that means, why it is accepted.
fn rule(action: RuleAction, [name, impact, reason]: [&str; 3]) -> Operation {
    let change = |field: &str| FieldChange {
        field: Field::Rule(RuleField::Member(format!("{field}.{name}"))),
        before: Word::Text(reason.to_owned()),
        after: Word::Text(impact.to_owned()),
    };
    let rule = RuleSubject {
        phase: Phase::Custom,
        name: name.to_owned(),
        action,
        expect: ExpectRuleset::Absent,
        is_expiry: false,
    };
    Operation {
        address: Address::of_rule(
            &ZoneName::parse("example.com").unwrap(),
            Phase::Custom,
            Some(name),
        ),
        subject: Subject::Rule(Box::new(rule)),
        fields: vec![change("expression"), change("rules.1.enabled")],
        impact: Some(Impact { direction: Direction::Weakens, lines: vec![impact.into()] }),
        cause: Cause::Drift,
        dangers: vec![Danger::Delete, Danger::WeakensProtection],
        accepted: [(Danger::WeakensProtection, reason.to_owned())].into(),
        narrow: None,
        modified_on: Some(reason.to_owned()),
        place: None,
    }
}

/// Returns a plan in which every text from outside is this text.
pub(crate) fn of_words(word: &str) -> Made {
    let mut sources = Sources::default();
    let spec = json!({ "version": 1, "zones": { "example.com": { "unmanaged": "prune", "records": [
        { "name": "a", "type": "TXT", "content": "wanted words", "comment": "wanted" },
    ] } } });
    let live = [
        json!({ "id": "1", "type": "TXT", "name": "a.example.com", "content": "wanted words", "ttl": 1, "comment": word }),
        json!({ "id": "2", "type": "TXT", "name": "b.example.com", "content": word, "ttl": 1, "comment": word, "tags": [format!("t:{word}")] }),
    ];
    let (mut zone, mut plan) =
        zone_plan("example.com", &spec.to_string(), &live, "pro", &mut sources);
    let file = sources.add(word, "words\nand more");
    let place = Place { source: file, span: Span::new(6, 9) };
    // The value of a record that changes is foreign as well.
    let foreign = zone.records().find_map(|(_, _, record)| match &record.change {
        RecordChange::Delete { before, .. } => Some(before.clone()),
        RecordChange::Create { .. } | RecordChange::Update { .. } => None,
    });
    for operation in &mut zone.operations {
        let Subject::Record(record) = &mut operation.subject else { continue };
        if let RecordChange::Update { before, .. } = &mut record.change {
            *before = foreign.clone().unwrap();
        }
        record.shown_name = word.to_owned();
        operation.place = Some(place);
    }
    let reason = RuleDeleteReason::Absent;
    let gone = RuleAction::Delete { id: RuleId("1".into()), before: RuleBody::default(), reason };
    zone.operations.insert(0, Operation { place: Some(place), ..rule(gone, [word; 3]) });
    zone.notes = vec![word.to_owned()];
    let nodes = |from| vec![PictureNode { text: word.to_owned(), from }];
    zone.pictures = vec![Picture {
        topic: PictureTopic::Alias,
        name: Fqdn::reported(word),
        before: nodes(None),
        after: nodes(None),
    }];
    zone.dangers = vec![Danger::SpecShrank];
    zone.accepted = [(Danger::SpecShrank, word.to_owned())].into();
    plan.base = Some(BaseSource::Revision { name: word.to_owned(), commit: word.to_owned() });
    plan.consents_given = vec![GivenConsent { danger: Danger::ChangesMail, by: word.to_owned() }];
    zone.set_aside = vec![SetAsideCount {
        keeper: Keeper::Unknown,
        reason: word.to_owned(),
        types: [(word.to_owned(), 2)].into(),
        examples: vec![word.to_owned()],
    }];
    plan.diagnostics.push(
        findings::QUOTA_UNCERTAIN
            .nowhere(word)
            .about(word)
            .at(place, word)
            .and_at(place, word)
            .help(word),
    );
    Made::new(Plan { zones: vec![zone], ..plan }, sources)
}

/// Returns a plan of so many zones with a record each, of which the first ones change.
pub(crate) fn zones(zones: usize, changed: usize) -> Made {
    let mut sources = Sources::default();
    let plan = |n: usize| {
        let name = format!("zone-{n:04}.example");
        let (ttl, record) = (
            if n < changed { 300 } else { 1 },
            json!({ "name": "www", "type": "A", "content": "192.0.2.1", "ttl": "auto" }),
        );
        let live = json!({ "id": "1", "type": "A", "name": format!("www.{name}"), "content": "192.0.2.1", "ttl": ttl });
        let spec = json!({ "version": 1, "zones": { name.clone(): { "records": [record] } } });
        zone_plan(&name, &format!("{spec:#}"), &[live], "free", &mut sources).0
    };
    let zones = (0..zones).map(plan).collect();
    Made::new(Plan { zones, ..Plan::default() }, sources)
}

/// Returns a plan of so many zones with so many operations each, no two of which are the same
/// change; every hundredth operation is a delete.
pub(crate) fn large(zones: usize, operations: usize) -> Made {
    let address = |number: usize| format!("10.{}.{}.1", number / 256, number % 256);
    let mut sources = Sources::default();
    let mut all = Vec::new();
    for n in 0..zones {
        let name = format!("zone-{n:04}.example");
        let records: Vec<_> = (0..operations)
            .filter(|r| r % 100 != 99)
            .map(|r| json!({ "name": format!("host-{r}"), "type": "A", "content": address(r) }))
            .collect();
        let live: Vec<_> = (0..operations)
            .filter(|r| r % 100 == 99)
            .map(|r| json!({ "id": format!("{r}"), "type": "A", "name": format!("host-{r}.{name}"), "content": address(r), "ttl": 1 }))
            .collect();
        let spec = json!({ "version": 1, "zones": { name.clone(): { "unmanaged": "prune", "records": records } } });
        all.push(zone_plan(&name, &format!("{spec:#}"), &live, "enterprise", &mut sources).0);
    }
    Made::new(Plan { zones: all, ..Plan::default() }, sources)
}
