//! Cases about records: reading, comparing, planning, lowering.

use std::fmt::Write as _;

use zonewright::diagnostic::Sources;
use zonewright::diff::diff_specs;
use zonewright::model::{Desired, DesiredZone, LiveZone, ReadOnly, Ttl, Unmanaged};
use zonewright::{drift, import, plan, spec};

use super::case::Case;
use super::pure;
use super::zones;

/// Adds the cases of a typical zone.
pub(crate) fn usual(all: &mut Vec<Case>) {
    let zone = |n| zones::zone(zones::NAME, n, 1);
    let pair = move |n| {
        let zone = zone(n);
        (pure::load(&pure::spec_of(&zone)).0, pure::live(&zone))
    };
    all.push(Case::new("zone/spec", 200, move |n| {
        let text = pure::spec_of(&zone(n));
        move || pure::load(&text).0.zones.len()
    }));
    all.push(Case::new("zone/lint", 200, move |n| {
        let desired = pair(n).0;
        move || pure::lint(&desired)
    }));
    all.push(Case::new("zone/listing", 200, move |n| {
        let listing = pure::listing(&zone(n));
        move || pure::read(&listing).records.len()
    }));
    all.push(Case::new("zone/no-op", 200, move |n| {
        let (desired, live) = pair(n);
        move || {
            let plan = pure::plan(pure::only(&desired), &live);
            assert!(plan.is_empty(), "the listing is what the spec wants");
            plan.unchanged
        }
    }));
    all.push(Case::new("zone/create", 200, move |n| {
        let desired = pair(n).0;
        move || pure::plan(pure::only(&desired), &pure::empty()).operations.len()
    }));
    all.push(Case::new("zone/update", 200, move |n| {
        let (desired, mut live) = pair(n);
        let other = Ttl::seconds(7_200).expect("it is in range");
        live.records.iter_mut().for_each(|r| (r.ttl, r.proxied) = (other, false));
        move || pure::plan(pure::only(&desired), &live).operations.len()
    }));
    all.push(Case::new("zone/renumbered", 200, |n| {
        let desired = pure::load(&pure::spec_of(&zones::renumbered(n, 114))).0;
        let live = pure::live(&zones::renumbered(n, 113));
        move || pure::plan(pure::only(&desired), &live).operations.len()
    }));
    all.push(Case::new("zone/prune", 200, move |n| {
        let live = pair(n).1;
        move || pure::plan(&nothing(Unmanaged::Prune), &live).operations.len()
    }));
    all.push(Case::new("zone/foreign", 200, move |n| {
        let live = pair(n).1;
        move || pure::plan(&nothing(Unmanaged::Keep), &live).unmanaged
    }));
    all.push(Case::new("zone/lower", 200, move |n| {
        let created = pure::plan(pure::only(&pair(n).0), &pure::empty());
        move || pure::requests(&created).len()
    }));
    all.push(Case::new("zone/base", 200, move |n| {
        let (desired, live) = pair(n);
        move || {
            plan::plan_zone_with_base(&nothing(Unmanaged::Keep), pure::only(&desired), &live)
                .0
                .operations
                .len()
        }
    }));
    all.push(Case::new("zone/drift", 200, move |n| {
        let created = pure::whole(pure::plan(pure::only(&pair(n).0), &pure::empty()));
        move || drift::classify(&created, std::time::SystemTime::UNIX_EPOCH).objects()
    }));
    all.push(Case::new("zone/specs compared", 200, move |n| {
        let (before, after) =
            (pair(n).0, pure::load(&pure::spec_of(&zones::zone(zones::NAME, n, 2))).0);
        move || usize::from(diff_specs(&before, &after).is_empty())
    }));
    all.push(Case::new("zone/import", 200, move |n| {
        let live = pair(n).1;
        move || {
            let zone = import::from_live(&live).zone;
            spec::print(&Desired {
                zones: [(zone.name.clone(), zone)].into(),
                ..Desired::default()
            })
            .len()
        }
    }));
}

/// Returns a zone for which the spec wants nothing.
fn nothing(unmanaged: Unmanaged) -> DesiredZone {
    let (desired, _) =
        pure::load(&format!("version: 1\nzones:\n  {}: {{ records: [] }}\n", zones::NAME));
    DesiredZone { unmanaged, ..pure::only(&desired).clone() }
}

/// Returns a zone with all records at one name, and with other keys beside `records` in its spec.
fn fleet(n: usize, from: usize, also: &str) -> Desired {
    let text = pure::spec_of(&zones::fleet(n, from))
        .replace("    records:", &format!("    {also}\n    records:"));
    pure::load(&text).0
}

/// Returns the live records at that name.
fn fleet_live(n: usize, from: usize) -> LiveZone {
    pure::live(&zones::fleet(n, from))
}

/// Each deleted value is searched in the list of its name, which has at most about 1,000 values:
/// Cloudflare stores 8,192 characters for a name and type.
const VALUES_IN_A_LIST: f64 = 1.6;

/// Adds the cases of one name with very many values.
pub(crate) fn one_name(all: &mut Vec<Case>) {
    let mut case = |name: &str, sides: fn(usize) -> (Desired, LiveZone)| {
        let case = Case::new(format!("one name/{name}"), 200, move |n| {
            let (desired, live) = sides(n);
            move || pure::plan(pure::only(&desired), &live).operations.len()
        });
        all.push(case.growing(VALUES_IN_A_LIST));
    };
    case("no-op", |n| (fleet(n, 0, ""), fleet_live(n, 0)));
    case("create", |n| (fleet(n, 0, ""), pure::empty()));
    case("replace", |n| (fleet(n, 0, "unmanaged: prune"), fleet_live(n, n)));
    case("beside foreign", |n| (fleet(n, 0, ""), fleet_live(2 * n, n)));
    case("beside ignored", |n| (fleet(n, 0, IGNORE), fleet_live(n, n)));
    case("ignored and wanted", |n| (fleet(n, 0, IGNORE), fleet_live(n, 0)));
    case("maintained by Cloudflare", |n| {
        let mut live = fleet_live(n, 0);
        live.records.iter_mut().for_each(|r| r.read_only = Some(ReadOnly::ReadOnly));
        (fleet(n, 0, ""), live)
    });
    case("beside Cloudflare's own", |n| {
        let mut live = fleet_live(n, n);
        live.records.iter_mut().for_each(|r| r.read_only = Some(ReadOnly::ReadOnly));
        (fleet(n, 0, ""), live)
    });
    case("duplicates", |n| {
        let mut live = fleet_live(n, 0);
        let data = live.records[0].data.clone();
        live.records.iter_mut().for_each(|r| r.data = data.clone());
        (fleet(n, 0, ""), live)
    });
    case("another type", |n| (fleet_alias(), fleet_live(n, 0)));
    case("tombstones", |n| {
        let text = pure::spec_of(&zones::fleet(n, 0)).replace(", ttl: 300", ", state: absent");
        (pure::load(&text).0, fleet_live(n, 0))
    });
    all.push(Case::new("one name/spec", 200, |n| {
        let text = pure::spec_of(&zones::fleet(n, 0));
        move || pure::load(&text).0.zones.len()
    }));
    all.push(Case::new("one name/lint", 200, |n| {
        let desired = fleet(n, 0, "");
        move || pure::lint(&desired)
    }));
    let dropped = Case::new("one name/dropped", 200, |n| {
        let (before, live) = (fleet(n, 0, ""), fleet_live(n, 0));
        move || {
            let wanted = nothing(Unmanaged::Keep);
            plan::plan_zone_with_base(&wanted, pure::only(&before), &live).0.operations.len()
        }
    });
    let renamed = Case::new("one name/renamed", 200, |n| {
        let live = fleet_live(n, 0);
        let text = pure::spec_of(&zones::fleet(n, 0)).replace("\"fleet\"", "\"armada\"");
        let desired =
            DesiredZone { unmanaged: Unmanaged::Prune, ..pure::only(&pure::load(&text).0).clone() };
        move || pure::requests(&pure::plan(&desired, &live)).len()
    });
    all.extend([dropped, renamed].map(|case| case.growing(VALUES_IN_A_LIST)));
    all.push(Case::new("one name/specs compared", 200, |n| {
        let (before, after) = (fleet(n, 0, ""), fleet(n, n, ""));
        move || usize::from(diff_specs(&before, &after).is_empty())
    }));
}

/// An `ignore` entry that matches all records of the name.
const IGNORE: &str = "ignore: [{ name: fleet, reason: made by a robot }]";

/// Returns the name as an alias.
fn fleet_alias() -> Desired {
    pure::load(&format!(
        "version: 1\nzones:\n  {}:\n    records: [{{ name: fleet, type: CNAME, content: www.example.net }}]\n",
        zones::NAME
    ))
    .0
}

/// Specs of a form that a program would generate and a person would not write.
pub(crate) fn shapes(all: &mut Vec<Case>) {
    let mut load = |name: &str, text: fn(usize) -> String| {
        all.push(Case::new(format!("spec/{name}"), 100, move |n| {
            let text = text(n);
            move || pure::load(&text).0.zones.len()
        }));
    };
    load("one line", one_line);
    load("many zones", |n| zones::spec(&zones::zones(n, 5)));
    load("variables", variables);
    load("profiles", |n| {
        let zones: String =
            (0..n).map(|k| format!("  bench-{k}.example: {{ use: [all] }}\n")).collect();
        format!(
            "version: 1\nprofiles:\n  all: {{ waf: {{ owasp: {{ paranoia: 2 }} }} }}\nzones:\n{zones}"
        )
    });
    load("chain of aliases", |n| {
        records(
            (0..n).map(|k| {
                format!("{{ name: a{k}, type: CNAME, content: a{}.{} }}", k + 1, zones::NAME)
            }),
        )
    });
    load("wildcards", |n| {
        records((0..n).map(|k| format!("{{ name: \"*.w{k}\", type: A, content: 192.0.2.1 }}")))
    });
    load("ignored names", |n| {
        let all: String = (0..n)
            .map(|k| format!("      - {{ name: \"x{k}-*\", reason: made by a robot }}\n"))
            .collect();
        format!("version: 1\nzones:\n  {}:\n    ignore:\n{all}    records: []\n", zones::NAME)
    });
    all.push(Case::new("spec/aliases linted", 100, |n| {
        let text = records((0..n).map(|k| {
            format!("{{ name: a{k}, type: CNAME, content: a{}.{} }}", (k + 1) % n, zones::NAME)
        }));
        let desired = pure::load(&text).0;
        move || pure::lint(&desired)
    }));
    all.push(Case::new("spec/delegations linted", 100, |n| {
        let text = records((0..n).map(|k| {
            format!("{{ name: d{k}, type: NS, content: ns.h{k}.d{k}.{0} }}, {{ name: h{k}.d{k}, type: A, content: 192.0.2.1 }}", zones::NAME)
        }));
        let desired = pure::load(&text).0;
        move || pure::lint(&desired)
    }));
    all.push(Case::new("spec/ignored names compared", 100, |n| {
        let ignore: String = (0..100)
            .map(|k| format!("{{ name: \"x{k}-*\", reason: made by a robot }}, "))
            .collect();
        let desired = fleet(n, 0, &format!("ignore: [{ignore}]"));
        let live = fleet_live(n, 0);
        move || pure::plan(pure::only(&desired), &live).unchanged
    }));
}

/// Returns a zone with these records, one on a line.
fn records(all: impl Iterator<Item = String>) -> String {
    let all: String = all.fold(String::new(), |mut out, record| {
        let _ = writeln!(out, "      {record},");
        out
    });
    format!("version: 1\nzones:\n  {}:\n    records: [\n{all}      ]\n", zones::NAME)
}

/// Returns a whole zone on one line.
pub(crate) fn one_line(n: usize) -> String {
    let mut text = pure::spec_of(&zones::zone(zones::NAME, n, 1));
    text = text.replace("version: 1\nzones:\n", "{ version: 1, zones: { ");
    text = text
        .replacen(":\n    records:\n      - ", ": { records: [ ", 1)
        .replace("\n      - ", ", ");
    text.truncate(text.trim_end().len());
    text + " ] } } }"
}

/// Returns as many variables as records, each used once.
fn variables(n: usize) -> String {
    let variables: String = (0..n).map(|k| format!("  V{k}: host-{k}.example.net\n")).collect();
    let records =
        records((0..n).map(|k| format!("{{ name: h{k}, type: CNAME, content: \"${{V{k}}}\" }}")));
    records.replacen("version: 1\n", &format!("version: 1\nvariables:\n{variables}"), 1)
}

/// The names of these specs, and the text of each for a size.
type Text = (&'static str, fn(usize) -> String);

/// Adds the cases of findings, and of plans as outputs.
pub(crate) fn shown(all: &mut Vec<Case>) {
    for format in pure::FORMATS {
        all.push(Case::new(format!("plan/{format}"), 200, move |n| {
            let (desired, sources) = pure::load(&pure::spec_of(&zones::zone(zones::NAME, n, 1)));
            let plan = pure::whole(pure::plan(pure::only(&desired), &pure::empty()));
            move || pure::output(format, &plan, &sources)
        }));
        all.push(Case::new(format!("plan on one line/{format}"), 200, move |n| {
            let (desired, sources) = pure::load(&one_line(n));
            let plan = pure::whole(pure::plan(pure::only(&desired), &pure::empty()));
            move || pure::output(format, &plan, &sources)
        }));
    }
    let mistakes: [Text; 2] = [
        ("mistakes", |n| pure::spec_of(&zones::zone(zones::NAME, n, 1)).replace("ttl: ", "tll: ")),
        ("mistakes on one line", |n| one_line(n).replace("ttl: ", "tll: ")),
    ];
    for (name, text) in mistakes {
        all.push(Case::new(format!("{name}/spec"), 200, move |n| {
            let text = text(n);
            move || pure::outcome(&text, &mut Sources::default()).diagnostics.len()
        }));
        for format in pure::FINDINGS {
            all.push(Case::new(format!("{name}/{format}"), 200, move |n| {
                let mut sources = Sources::default();
                let found = pure::outcome(&text(n), &mut sources);
                assert!(found.diagnostics.len() >= n / 2, "there is a mistake in most lines");
                move || pure::findings(format, &found, &sources)
            }));
        }
    }
}
