//! Answers of `insight` against a real name server: NSD serves the same records, and is asked every name and random ones.
//!
//! NSD comes from the system (Debian: `apt-get install nsd`); without it this is skipped, as are real zones unless
//! `ZONEWRIGHT_REAL_ZONES` names a folder of specs. Names at which Cloudflare allows what name servers refuse, such as an alias
//! beside other types or at the apex, are left out and counted.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::explicit_write,
    reason = "a test fails by panicking, and says what it compared"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::resolver::{Reply, Resolver};
use zonewright::diagnostic::Sources;
use zonewright::insight::dns::{Answer, End, Entry, Serving, ZoneIndex, Zones};
use zonewright::model::{DesiredZone, Fqdn, Rdata, RecordType, Ttl, ZoneName};
use zonewright::spec;

/// A zone: names with values.
struct Zone {
    name: ZoneName,
    records: Vec<(Fqdn, Rdata)>,
    /// Names that were left out.
    left_out: usize,
}

/// A running name server.
struct Server {
    child: Child,
    address: SocketAddr,
    _directory: tempfile::TempDir,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It has children of its own, which end with it only if it ends in an orderly way.
        let _ = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let _ = self.child.wait();
    }
}

/// The program; a loud word if it is not there.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path).chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")]);
    let found = folders.map(|folder| folder.join("nsd")).find(|file| file.is_file());
    if found.is_none() {
        skipped("answers of a name server; install nsd");
    }
    found
}

/// Says what is skipped, past the test harness, which would swallow it.
fn skipped(what: &str) {
    writeln!(std::io::stderr(), "SKIPPED: {what}").unwrap();
}

/// Starts a name server with these zones.
fn start(program: &Path, zones: &[Zone]) -> Server {
    let directory = tempfile::tempdir().unwrap();
    let at = directory.path();
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let mut configuration = format!(
        "server:\n  ip-address: 127.0.0.1\n  port: {port}\n  username: \"\"\n  zonesdir: \"{0}\"\n  database: \"\"\n  \
         pidfile: \"{0}/pid\"\n  logfile: \"{0}/log\"\n  xfrdfile: \"{0}/xfrd\"\n  zonelistfile: \"{0}/list\"\n  xfrdir: \"{0}\"\n  \
         server-count: 1\n  rrl-ratelimit: 0\n  rrl-whitelist-ratelimit: 0\nremote-control:\n  control-enable: no\n",
        at.display()
    );
    for (n, zone) in zones.iter().enumerate() {
        let mut text = format!("$TTL 300\n{0}. SOA ns.invalid. host.invalid. 1 3600 600 86400 1800\n", zone.name);
        for (name, data) in &zone.records {
            writeln!(text, "{name}. {} {}", data.type_name(), zone_file_value(data)).unwrap();
        }
        std::fs::write(at.join(format!("{n}.zone")), text).unwrap();
        writeln!(configuration, "zone:\n  name: {}\n  zonefile: {n}.zone", zone.name).unwrap();
    }
    let file = at.join("nsd.conf");
    std::fs::write(&file, configuration).unwrap();
    let mut command = Command::new(program);
    command.args(["-d", "-c"]).arg(&file).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = Server {
        child: command.spawn().unwrap(),
        address: SocketAddr::from(([127, 0, 0, 1], port)),
        _directory: directory,
    };
    let log = || std::fs::read_to_string(file.with_file_name("log")).unwrap_or_default();
    let until = Instant::now() + Duration::from_secs(60);
    let last = zones.last().unwrap().name.to_string();
    while TcpListener::bind(server.address).is_ok()
        || Resolver::new(server.address).ask(&last, 6).is_none_or(|r| r.code != 0)
    {
        assert!(Instant::now() < until && server.child.try_wait().unwrap().is_none(), "{}", log());
        std::thread::sleep(Duration::from_millis(20));
    }
    let errors: Vec<String> = log().lines().filter(|line| line.contains("error")).map(str::to_owned).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    server
}

/// A value in the form of a zone file: hosts with their final dots.
fn zone_file_value(data: &Rdata) -> String {
    let text = data.presentation();
    let host = matches!(
        data.record_type(),
        Some(RecordType::Cname | RecordType::Ns | RecordType::Mx | RecordType::Srv | RecordType::Ptr)
    );
    if host && !text.ends_with('.') { format!("{text}.") } else { text }
}

/// A zone without the names that a name server refuses or treats in its own way.
fn fit(name: &ZoneName, records: Vec<(Fqdn, Rdata)>) -> Zone {
    let mut types: BTreeMap<&Fqdn, BTreeSet<RecordType>> = BTreeMap::new();
    for (name, data) in &records {
        types.entry(name).or_default().extend(data.record_type());
    }
    let is_odd = |owner: &Fqdn| {
        let types = &types[owner];
        let alias = types.contains(&RecordType::Cname);
        (alias && (types.len() > 1 || owner == name.as_fqdn()))
            || (owner.is_wildcard() && types.contains(&RecordType::Ns))
            || (types.contains(&RecordType::Ds) && !types.contains(&RecordType::Ns))
    };
    let odd: BTreeSet<Fqdn> = types.keys().filter(|owner| is_odd(owner)).map(|owner| (*owner).clone()).collect();
    let mut seen = BTreeSet::new();
    let records = records.into_iter().filter(|(name, data)| !odd.contains(name) && data.record_type().is_some());
    let mut records: Vec<(Fqdn, Rdata)> = records.filter(|record| seen.insert(record.clone())).collect();
    if !records.iter().any(|(owner, data)| owner == name.as_fqdn() && data.record_type() == Some(RecordType::Ns)) {
        records.push((name.as_fqdn().clone(), Rdata::from_text(RecordType::Ns, "ns.invalid").unwrap()));
    }
    Zone { name: name.clone(), records, left_out: odd.len() }
}

/// What the program says, in the words of a reply: the code, the answer, the servers of a referral, and its glue.
fn expected(answer: &Answer<'_>) -> (u8, BTreeSet<String>, BTreeSet<String>, BTreeSet<String>) {
    let line = |name: &Fqdn, data: &Rdata| {
        let value = match data {
            Rdata::Txt(_) => wire_text(data),
            Rdata::Ds(_) => format!("DS {}", data.presentation().to_ascii_lowercase()),
            _ if is_decoded(data) => format!("{} {}", data.type_name(), data.presentation()),
            _ => format!("TYPE{}", data.record_type().unwrap() as u16),
        };
        format!("{name} {value}")
    };
    let mut lines: BTreeSet<String> = answer.aliases.iter().map(|a| line(&a.name, a.record.data)).collect();
    let none = BTreeSet::new;
    match &answer.end {
        End::Records(set) => {
            lines.extend(set.iter().map(|entry| line(&answer.name, entry.data)));
            (0, lines, none(), none())
        }
        End::NoData(_) | End::Elsewhere | End::Loop => (0, lines, none(), none()),
        End::NoName => (3, lines, none(), none()),
        End::Referral(referral) => {
            let all = |set: &[Entry<'_>]| set.iter().map(|entry| line(entry.name, entry.data)).collect();
            (0, lines, all(&referral.servers), all(&referral.glue))
        }
        other => panic!("a plain zone has no {other:?}"),
    }
}

/// Whether the client decodes values of this type.
fn is_decoded(data: &Rdata) -> bool {
    use RecordType as T;
    matches!(data.record_type(), Some(T::A | T::Aaaa | T::Cname | T::Ns | T::Ptr | T::Mx | T::Srv))
}

/// The octets of a text, however it is cut.
fn wire_text(data: &Rdata) -> String {
    let mut octets = String::new();
    let presentation = data.presentation();
    let mut characters = presentation.bytes();
    let mut inside = false;
    while let Some(byte) = characters.next() {
        match byte {
            b'"' => inside = !inside,
            b'\\' => {
                let next = characters.next().unwrap();
                let value = if next.is_ascii_digit() {
                    let digits = [next, characters.next().unwrap(), characters.next().unwrap()];
                    std::str::from_utf8(&digits).unwrap().parse().unwrap()
                } else {
                    next
                };
                write!(octets, "{value:02x}").unwrap();
            }
            b' ' if !inside => {}
            other => write!(octets, "{other:02x}").unwrap(),
        }
    }
    format!("TXT {octets}")
}

/// Asks every name of the zones, names below and beside them, with every type that matters. Returns how many questions there
/// were, and what differs.
fn compare(server: &Server, zones: &[Zone], random: &mut fastrand::Rng) -> (usize, Vec<String>) {
    let mut resolver = Resolver::new(server.address);
    let (mut asked, mut differences) = (0, Vec::new());
    for zone in zones {
        let entries = zone.records.iter().map(|(name, data)| Entry {
            name,
            data,
            ttl: Ttl::reported(300),
            proxied: false,
            settings: zonewright::model::Settings::default(),
            place: None,
            id: None,
            read_only: None,
        });
        let index = Zones::new(vec![ZoneIndex::with(&zone.name, Serving::plain(), entries)]);
        let nodes: Vec<String> = index.iter().flat_map(ZoneIndex::nodes).map(|node| node.name().to_owned()).collect();
        let mut names: BTreeSet<String> = BTreeSet::new();
        for name in &nodes {
            let label: String = (0..6).map(|_| random.lowercase()).collect();
            names.extend([name.clone(), format!("{label}.{name}")]);
            if random.u8(..8) == 0 {
                names.extend([format!("*.{name}"), format!("a.*.{name}"), format!("deep.{label}.{name}")]);
            }
        }
        for name in names.into_iter().filter(|name| name.len() <= 250) {
            let name = Fqdn::reported(&name);
            let mut kinds: BTreeSet<RecordType> = index.types_of(&name).into_iter().collect();
            kinds.extend([RecordType::Cname, RecordType::Ns, RecordType::Txt, RecordType::Ds]);
            kinds.insert(RecordType::ALL[random.usize(..RecordType::ALL.len())]);
            for kind in kinds {
                // The parent of the zone answers for DS at its apex.
                if name == *zone.name.as_fqdn() && kind == RecordType::Ds {
                    continue;
                }
                let answer = index.answer(&name, kind);
                let Some(reply) = resolver.ask(name.as_str(), kind as u16) else {
                    differences.push(format!("{name} {kind}: no reply"));
                    continue;
                };
                asked += 1;
                if let Some(what) = difference(&answer, &reply) {
                    differences.push(format!("{name} {kind}: {what}"));
                }
            }
        }
    }
    (asked, differences)
}

/// How an answer differs from a reply.
fn difference(answer: &Answer<'_>, reply: &Reply) -> Option<String> {
    let (code, lines, servers, glue) = expected(answer);
    let is_referral = matches!(answer.end, End::Referral(_));
    let is_same = (reply.code == code)
        && reply.answer == lines
        && (!is_referral || (reply.authority == servers && reply.additional.is_superset(&glue)))
        && (is_referral && answer.aliases.is_empty()) != reply.authoritative;
    (!is_same).then(|| format!("expected {code} {lines:?} {servers:?} {glue:?}, got {reply:?}"))
}

/// Reports and fails.
#[track_caller]
fn check(what: &str, zones: &[Zone], (asked, differences): &(usize, Vec<String>)) {
    let records: usize = zones.iter().map(|zone| zone.records.len()).sum();
    let left_out: usize = zones.iter().map(|zone| zone.left_out).sum();
    println!(
        "{what}: {} zones, {records} records, {left_out} names left out, {asked} questions, {} differences",
        zones.len(),
        differences.len()
    );
    let shown: Vec<_> = differences.iter().take(20).collect();
    assert!(differences.is_empty(), "{} differences: {shown:#?}", differences.len());
}

/// A random zone with wildcards, delegations and chains.
fn generated(number: usize, random: &mut fastrand::Rng) -> Zone {
    let name = ZoneName::parse(&format!("g{number}.test")).unwrap();
    let labels = ["a", "b", "c", "d"];
    let owner = |random: &mut fastrand::Rng, may_be_wild: bool| {
        let mut text: Vec<&str> = (0..random.usize(..4)).map(|_| labels[random.usize(..labels.len())]).collect();
        if may_be_wild && random.u8(..4) == 0 {
            text.insert(0, "*");
        }
        let full = name.to_string();
        text.push(&full);
        text.join(".")
    };
    let mut records = Vec::new();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    for _ in 0..random.usize(1..14) {
        let at = owner(random, true);
        if !taken.insert(at.clone()) {
            continue;
        }
        let mut add = |kind: RecordType, value: String| {
            records.push((Fqdn::reported(&at), Rdata::from_text(kind, &value).unwrap()));
        };
        match random.u8(..10) {
            0..=2 => {
                let target = if random.u8(..6) == 0 { "host.invalid".to_owned() } else { owner(random, false) };
                add(RecordType::Cname, target);
            }
            3 | 4 if !at.starts_with('*') && at != name.as_str() => {
                for _ in 0..=random.u8(..2) {
                    add(RecordType::Ns, if random.bool() { format!("ns.{at}") } else { owner(random, false) });
                }
                if random.bool() {
                    add(RecordType::Ds, format!("1 13 2 {}", "AB".repeat(32)));
                }
                records.push((
                    Fqdn::reported(&format!("ns.{at}")),
                    Rdata::from_text(RecordType::A, "192.0.2.53").unwrap(),
                ));
            }
            _ => {
                for _ in 0..=random.u8(..3) {
                    match random.u8(..5) {
                        0 => add(RecordType::Txt, format!("\"{}\"", random.u8(..9))),
                        1 => add(RecordType::Mx, format!("{} {}", random.u8(..30), owner(random, false))),
                        2 => add(RecordType::Aaaa, format!("2001:db8::{}", random.u8(1..9))),
                        _ => add(RecordType::A, format!("192.0.2.{}", random.u8(..))),
                    }
                }
            }
        }
    }
    fit(&name, records)
}

#[test]
fn generated_zones_are_answered_as_a_name_server_does() {
    let Some(program) = program() else { return };
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let zones: Vec<Zone> = (0..500).map(|n| generated(n, &mut random)).collect();
    let server = start(&program, &zones);
    let result = compare(&server, &zones, &mut random);
    assert!(result.0 > 20_000, "{}", result.0);
    check("generated", &zones, &result);
}

#[test]
fn real_zones_are_answered_as_a_name_server_does() {
    let Some(program) = program() else { return };
    let Some(folder) = std::env::var_os("ZONEWRIGHT_REAL_ZONES").map(PathBuf::from) else {
        return skipped("real zones; set ZONEWRIGHT_REAL_ZONES to a folder of specs");
    };
    let mut sources = Sources::default();
    let outcome = spec::load(&[spec::Input::Path(folder)], &spec::Options::default(), &mut sources);
    let desired = outcome.desired.expect("good specs");
    let records = |zone: &DesiredZone| zone.records.iter().map(|r| (r.name.clone(), r.data.clone())).collect();
    let zones: Vec<Zone> = desired.zones.values().map(|zone| fit(&zone.name, records(zone))).collect();
    // Zones of one parent would answer for each other; they are asked one by one.
    let mut random = fastrand::Rng::with_seed(1);
    let mut all = (0, Vec::new());
    for zone in zones.chunks(1) {
        let server = start(&program, zone);
        let (asked, differences) = compare(&server, zone, &mut random);
        all.0 += asked;
        all.1.extend(differences);
    }
    check("real", &zones, &all);
}
