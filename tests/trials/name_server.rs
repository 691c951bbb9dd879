//! Answers of `insight` compared with name servers that serve the same records: NSD for plain
//! zones, and the sandbox's for zones with Cloudflare's additions. Every name is asked, and random
//! ones.
//!
//! NSD comes from the system (Debian: `apt-get install nsd`); without it this is skipped, as are
//! real zones without a folder of specs: `shared/data/specs` beside the repository, or the one that
//! `ZONEWRIGHT_REAL_ZONES` names. Names at which Cloudflare allows what name servers refuse, such
//! as an alias beside other types or at the apex, are left out and counted.
//! `ZONEWRIGHT_GENERATED_ZONES` says how many zones are generated for the sandbox.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::explicit_write,
    reason = "a test fails by panicking, and says what it compared"
)]

mod zones;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io::Write as _;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::generators::presentation;
use crate::support::resolver::{Reply, Resolver};
use proptest::strategy::{Strategy as _, ValueTree as _};
use proptest::test_runner::TestRunner;
use zones::{Record, Zone, body, fit, generated, generated_for_cloudflare};
use zonewright::diagnostic::Sources;
use zonewright::insight::dns::{Answer, End, Entry, Own, ZoneIndex, Zones};
use zonewright::model::{DesiredZone, Fqdn, Rdata, RecordType, Ttl, ZoneName};
use zonewright::{sandbox, spec};

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

/// Returns the program, or a message that it is missing.
fn program() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")]);
    let found = folders.map(|folder| folder.join("nsd")).find(|file| file.is_file());
    if found.is_none() {
        skipped("answers of a name server; install nsd");
    }
    found
}

/// Prints the skipped part, bypassing the test harness, which would capture it.
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
        // Names are whole ones, with the final dot or without.
        let mut text = format!(
            "$TTL 300\n$ORIGIN .\n{0} SOA ns.invalid host.invalid 1 3600 600 86400 1800\n",
            zone.name
        );
        for Record { name, data, .. } in &zone.records {
            writeln!(text, "{name} {} {}", data.type_name(), data.presentation()).unwrap();
        }
        std::fs::write(at.join(format!("{n}.zone")), text).unwrap();
        writeln!(configuration, "zone:\n  name: {}\n  zonefile: {n}.zone", zone.name).unwrap();
    }
    let file = at.join("nsd.conf");
    std::fs::write(&file, configuration).unwrap();
    let mut command = Command::new(program);
    command
        .args(["-d", "-c"])
        .arg(&file)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
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
    let errors: Vec<String> =
        log().lines().filter(|line| line.contains("error")).map(str::to_owned).collect();
    assert!(errors.is_empty(), "{errors:#?}");
    server
}

/// The expected content of a reply.
#[derive(Debug, Default)]
struct Expected {
    code: u8,
    answer: BTreeSet<String>,
    /// Target of the referral.
    referral: Option<Referred>,
}

/// A referral.
#[derive(Debug)]
struct Referred {
    /// The delegated name.
    cut: String,
    servers: BTreeSet<String>,
    ds: BTreeSet<String>,
    glue: BTreeSet<String>,
}

impl Referred {
    /// Returns true if a reply says it: this and nothing else of the delegated name. DS records are
    /// for those who ask for DNSSEC.
    fn is_in(&self, reply: &Reply) -> bool {
        let of = |kind: &str| -> BTreeSet<String> {
            let own = |line: &&String| line.starts_with(&format!("{} {kind} ", self.cut));
            reply.authority.iter().filter(own).cloned().collect()
        };
        let is_inside = |line: &&String| {
            let host = line.split(' ').next().unwrap();
            host == self.cut || host.ends_with(&format!(".{}", self.cut))
        };
        let glue: BTreeSet<String> = reply.additional.iter().filter(is_inside).cloned().collect();
        let ds = of("DS");
        of("NS") == self.servers && (ds.is_empty() || ds == self.ds) && glue == self.glue
    }
}

/// Values in octets, by type and presentation, of types that the client does not decode.
type Octets = BTreeMap<(RecordType, String), String>;

/// Returns a zone in which each of these values has a name of its own.
fn values(zones: &[Zone]) -> Zone {
    let name = ZoneName::parse("values.test").unwrap();
    let all =
        zones.iter().flat_map(|zone| &zone.records).filter(|record| !is_decoded(&record.data));
    let all: BTreeMap<_, _> = all.map(|record| (key(&record.data), &record.data)).collect();
    let records = all.into_values().enumerate();
    let records = records.map(|(n, data)| (Fqdn::reported(&format!("v{n}.{name}")), data.clone()));
    let mut zone = fit(&name, records.collect());
    zone.left_out = 0;
    zone
}

fn key(data: &Rdata) -> (RecordType, String) {
    (data.record_type().unwrap(), data.presentation())
}

/// Asks for the octets of values.
fn learn(server: SocketAddr, values: &Zone) -> Octets {
    let mut resolver = Resolver::new(server);
    let own = values.records.iter().filter(|record| !is_decoded(&record.data));
    let octets = own.map(|Record { name, data, .. }| {
        let key = key(data);
        let reply = resolver.ask(name.as_str(), key.0 as u16).expect("a reply");
        let line = reply.answer.first().unwrap_or_else(|| panic!("{key:?}: {reply:?}"));
        assert_eq!(reply.answer.len(), 1, "{reply:?}");
        (key, line.split_once(' ').unwrap().1.to_owned())
    });
    octets.collect()
}

/// The response code of a server that cannot answer.
const SERVER_FAILURE: u8 = 2;

/// Returns the program's answer in the form of a reply; `None` if it is unknown.
fn expected(answer: &Answer<'_>, octets: &Octets) -> Option<Expected> {
    let line = |name: &Fqdn, data: &Rdata| {
        let value = match data {
            Rdata::Txt(_) => wire_text(data),
            Rdata::Ds(_) => format!("DS {}", data.presentation().to_ascii_lowercase()),
            _ if is_decoded(data) => format!("{} {}", data.type_name(), data.presentation()),
            _ => octets[&key(data)].clone(),
        };
        format!("{name} {value}")
    };
    // From the first flattened alias on, only the addresses are seen, under its name.
    let flattened = answer.aliases.iter().position(|alias| alias.flattened);
    let owner = flattened.map_or(&answer.name, |at| &answer.aliases[at].name);
    let seen = &answer.aliases[..flattened.unwrap_or(answer.aliases.len())];
    let mut said = Expected {
        answer: seen.iter().map(|a| line(&a.name, a.record.data)).collect(),
        ..Expected::default()
    };
    match &answer.end {
        End::Unknown(_) => return None,
        End::Records(set) => said.answer.extend(set.iter().map(|entry| line(owner, entry.data))),
        End::Edge(_) => drop(said.answer.insert(format!("{owner} EDGE"))),
        End::Cloudflare(Own::NameServers, set) => {
            said.answer
                .extend(sandbox::NAME_SERVERS.iter().map(|host| format!("{owner} NS {host}")));
            said.answer.extend(set.iter().map(|entry| line(owner, entry.data)));
        }
        End::Cloudflare(Own::Https, _) => drop(said.answer.insert(format!("{owner} TYPE65 EDGE"))),
        End::Cloudflare(Own::Keys, _) => return None,
        End::NoData(_) => {}
        // The name of a flattened alias exists, whatever its target does.
        End::NoName => said.code = if flattened.is_some() { 0 } else { 3 },
        // No name server is asked for the addresses of a flattened alias.
        End::Elsewhere | End::Loop | End::Referral(_) if flattened.is_some() => {
            said = Expected { code: SERVER_FAILURE, ..Expected::default() };
        }
        End::Elsewhere | End::Loop => {}
        End::Referral(referral) => {
            let all =
                |set: &[Entry<'_>]| set.iter().map(|entry| line(entry.name, entry.data)).collect();
            let [servers, ds, glue] =
                [&referral.servers, &referral.ds, &referral.glue].map(|set| all(set));
            said.referral = Some(Referred { cut: referral.cut.to_owned(), servers, ds, glue });
        }
    }
    Some(said)
}

/// Returns a line of an answer, without the parts that Cloudflare's edge chooses: the addresses,
/// and the content of HTTPS records.
fn without_edge(line: String, has_https: bool) -> String {
    const EDGE: [&str; 3] = [" A 104.21.", " A 172.67.", " AAAA 2606:4700:303"];
    match (EDGE.iter().find_map(|edge| line.find(edge)), line.find(" TYPE65 ")) {
        (Some(at), _) => format!("{} EDGE", &line[..at]),
        (None, Some(at)) if has_https => format!("{} TYPE65 EDGE", &line[..at]),
        _ => line,
    }
}

/// Returns true if the client decodes values of this type.
fn is_decoded(data: &Rdata) -> bool {
    use RecordType as T;
    let decoded = [T::A, T::Aaaa, T::Cname, T::Ns, T::Ptr, T::Mx, T::Srv, T::Txt, T::Ds];
    data.record_type().is_some_and(|kind| decoded.contains(&kind))
}

/// Returns the octets of a text, without its division into strings.
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

/// The result of a comparison.
#[derive(Debug, Default)]
struct Compared {
    asked: usize,
    /// Questions whose answer the program does not know.
    unknown: usize,
    differences: Vec<String>,
}

/// Returns a zone as the program sees it.
fn index(zone: &Zone) -> ZoneIndex<'_> {
    let entries = zone.records.iter().map(|record| Entry {
        name: &record.name,
        data: &record.data,
        ttl: Ttl::reported(300),
        proxied: record.proxied,
        settings: record.settings,
        place: None,
        id: None,
        read_only: None,
    });
    ZoneIndex::with(&zone.name, zone.serving.clone(), entries)
}

/// Asks every name of the zones for every type, and names below and beside them for those that
/// matter. With `together`, aliases are followed from zone to zone.
fn compare(
    server: SocketAddr,
    zones: &[Zone],
    octets: &Octets,
    together: bool,
    random: &mut fastrand::Rng,
) -> Compared {
    let mut resolver = Resolver::new(server);
    let mut compared = Compared::default();
    let all = together.then(|| Zones::new(zones.iter().map(index).collect()));
    for zone in zones {
        let alone;
        let indexes = match &all {
            Some(all) => all,
            None => {
                alone = Zones::new(vec![index(zone)]);
                &alone
            }
        };
        let nodes = indexes.named(&zone.name).unwrap().nodes().map(|node| node.name().to_owned());
        let mut names: BTreeMap<String, bool> = BTreeMap::new();
        for name in nodes {
            let label: String = (0..6).map(|_| random.lowercase()).collect();
            names.entry(format!("{label}.{name}")).or_default();
            if random.u8(..8) == 0 {
                for other in
                    [format!("*.{name}"), format!("a.*.{name}"), format!("deep.{label}.{name}")]
                {
                    names.entry(other).or_default();
                }
            }
            names.insert(name, true);
        }
        for (name, is_there) in names.into_iter().filter(|(name, _)| name.len() <= 250) {
            let name = Fqdn::reported(&name);
            let mut kinds: BTreeSet<RecordType> = indexes.types_of(&name).into_iter().collect();
            kinds.extend([
                RecordType::Cname,
                RecordType::Ns,
                RecordType::Txt,
                RecordType::Ds,
                RecordType::Https,
            ]);
            kinds.insert(RecordType::ALL[random.usize(..RecordType::ALL.len())]);
            if is_there {
                kinds.extend(RecordType::ALL);
            }
            for kind in kinds {
                // The parent of the zone answers for DS at its apex.
                if name == *zone.name.as_fqdn() && kind == RecordType::Ds {
                    continue;
                }
                let Some(said) = expected(&indexes.answer(&name, kind), octets) else {
                    compared.unknown += 1;
                    continue;
                };
                compared.asked += 1;
                let what = match resolver.ask(name.as_str(), kind as u16) {
                    Some(reply) => difference(&said, reply),
                    None => Some("no reply".to_owned()),
                };
                compared.differences.extend(what.map(|what| format!("{name} {kind}: {what}")));
            }
        }
    }
    compared
}

/// Returns the difference between a reply and the expected content.
fn difference(said: &Expected, mut reply: Reply) -> Option<String> {
    let has_https = said.answer.iter().any(|line| line.ends_with(" TYPE65 EDGE"));
    reply.answer = reply.answer.into_iter().map(|line| without_edge(line, has_https)).collect();
    let refers = said.referral.as_ref();
    let is_same = reply.code == said.code
        && reply.answer == said.answer
        && refers.is_none_or(|referred| referred.is_in(&reply))
        && (said.code == SERVER_FAILURE
            || reply.authoritative != (refers.is_some() && said.answer.is_empty()));
    (!is_same).then(|| format!("expected {said:?}, got {reply:?}"))
}

/// Reports and fails.
#[track_caller]
fn check(what: &str, zones: &[Zone], Compared { asked, unknown, differences }: &Compared) {
    let records: usize = zones.iter().map(|zone| zone.records.len()).sum();
    let left_out: usize = zones.iter().map(|zone| zone.left_out).sum();
    println!(
        "{what}: {} zones, {records} records, {left_out} left out, {asked} questions, {unknown} unknown, {} differences",
        zones.len(),
        differences.len()
    );
    let shown: Vec<_> = differences.iter().take(20).collect();
    assert!(differences.is_empty(), "{} differences: {shown:#?}", differences.len());
}

/// Number of values of each type that are compared as octets.
const OF_EACH_TYPE: usize = 12;

/// Returns the number of zones to generate for the sandbox: that of this variable, or few.
fn wanted() -> usize {
    std::env::var("ZONEWRIGHT_GENERATED_ZONES")
        .map_or(60, |text| text.parse().expect("a number of zones"))
}

/// A sandbox with a name server.
struct Sandbox {
    runtime: tokio::runtime::Runtime,
    running: sandbox::Running,
}

impl Sandbox {
    fn start() -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let dns = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let options = sandbox::SandboxOptions { dns, ..sandbox::SandboxOptions::default() };
        let running = runtime.block_on(sandbox::start(options)).unwrap();
        Self { runtime, running }
    }

    fn address(&self) -> SocketAddr {
        self.running.dns_address().unwrap()
    }

    /// Adds a zone without the records that the sandbox refuses because they cannot share a name.
    fn add(&self, zone: &mut Zone, document: &Value) {
        self.running.seed(&json!({ "zones": [document] })).unwrap();
        zone.records.retain(|record| {
            let document =
                json!({ "zones": [{ "name": zone.name.as_str(), "records": [body(record)] }] });
            let is_added = self.running.seed(&document).is_ok_and(|report| report.records == 1);
            zone.left_out += usize::from(!is_added);
            is_added
        });
    }

    fn stop(self) {
        self.runtime.block_on(self.running.shutdown());
    }
}

#[test]
fn generated_zones_are_answered_as_the_sandbox_does() {
    let sandbox = Sandbox::start();
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let mut zones = Vec::new();
    for number in 0..wanted() {
        let (mut zone, document) = generated_for_cloudflare(number, &mut random);
        sandbox.add(&mut zone, &document);
        zones.push(zone);
    }
    let mut values = values(&zones);
    let document = json!({ "name": values.name.as_str(), "plan": "enterprise" });
    sandbox.add(&mut values, &document);
    let octets = learn(sandbox.address(), &values);
    let compared = compare(sandbox.address(), &zones, &octets, true, &mut random);
    assert!(compared.asked > wanted() * 100, "{}", compared.asked);
    check("sandbox", &zones, &compared);
    sandbox.stop();
}

#[test]
fn generated_zones_are_answered_as_a_name_server_does() {
    let Some(program) = program() else { return };
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let mut zones: Vec<Zone> = (0..500).map(|n| generated(n, &mut random)).collect();
    zones.push(values(&zones));
    let server = start(&program, &zones);
    let octets = learn(server.address, &zones.pop().unwrap());
    let result = compare(server.address, &zones, &octets, false, &mut random);
    assert!(result.asked > 80_000, "{}", result.asked);
    check("generated", &zones, &result);
}

/// Returns the folder of real zones.
fn real_zones() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("shared/data/specs");
    let folder = std::env::var_os("ZONEWRIGHT_REAL_ZONES").map_or(beside, PathBuf::from);
    if !folder.is_dir() {
        skipped("real zones; set ZONEWRIGHT_REAL_ZONES to a folder of specs");
        return None;
    }
    Some(folder)
}

#[test]
fn real_zones_are_answered_as_a_name_server_does() {
    let (Some(program), Some(folder)) = (program(), real_zones()) else { return };
    let mut sources = Sources::default();
    let outcome = spec::load(&[spec::Input::Path(folder)], &spec::Options::default(), &mut sources);
    let desired = outcome.desired.expect("good specs");
    let records = |zone: &DesiredZone| {
        zone.records.iter().map(|r| (r.name.clone(), r.data.clone())).collect()
    };
    let zones: Vec<Zone> =
        desired.zones.values().map(|zone| fit(&zone.name, records(zone))).collect();
    // Zones of one parent would answer for each other; they are asked one by one.
    let mut random = fastrand::Rng::with_seed(1);
    let mut all = Compared::default();
    let mut rest = zones;
    let mut done = Vec::new();
    while let Some(zone) = rest.pop() {
        let mut both = vec![zone];
        both.push(values(&both));
        let server = start(&program, &both);
        let octets = learn(server.address, &both.pop().unwrap());
        let Compared { asked, unknown, differences } =
            compare(server.address, &both, &octets, false, &mut random);
        all.asked += asked;
        all.unknown += unknown;
        all.differences.extend(differences);
        done.extend(both);
    }
    check("real", &done, &all);
}

/// Values of every type, in the forms of a spec, of the API and of a zone file, are the same
/// octets.
#[test]
fn values_of_every_type_are_the_same_octets() {
    let Some(program) = program() else { return };
    let name = ZoneName::parse("octets.test").unwrap();
    let mut runner = TestRunner::deterministic();
    let mut records = Vec::new();
    for kind in RecordType::ALL.iter().copied().filter(|kind| *kind != RecordType::Ns) {
        for n in 0..OF_EACH_TYPE {
            // NSD 4.6 does not know this parameter of services.
            let values = presentation(kind).prop_map(|text| Rdata::from_text(kind, &text).unwrap());
            let values = values.prop_filter("known", |data| !data.presentation().contains("ohttp"));
            let data = values.new_tree(&mut runner).unwrap().current();
            let at = Fqdn::reported(&format!("_{kind}._n{n}.{name}").to_lowercase());
            if kind == RecordType::Ds {
                records.push((at.clone(), Rdata::from_text(RecordType::Ns, "ns.invalid").unwrap()));
            }
            records.push((at.clone(), data.at(&at)));
        }
    }
    let mut zones = vec![fit(&name, records)];
    let sandbox = Sandbox::start();
    sandbox.add(&mut zones[0], &json!({ "name": name.as_str(), "plan": "enterprise" }));
    let server = start(&program, &zones);
    let mut both = [Resolver::new(server.address), Resolver::new(sandbox.address())];
    let mut types = BTreeSet::new();
    for Record { name, data, .. } in
        zones[0].records.iter().filter(|record| record.name != *name.as_fqdn())
    {
        let kind = data.record_type().unwrap();
        if kind == RecordType::Ns {
            continue;
        }
        let [theirs, ours] =
            both.each_mut().map(|server| server.ask(name.as_str(), kind as u16).unwrap().answer);
        assert_eq!((ours.len(), &ours), (1, &theirs), "{name} {kind} {}", data.presentation());
        types.insert(kind);
    }
    println!(
        "{} records of {} types, {} left out",
        zones[0].records.len(),
        types.len(),
        zones[0].left_out
    );
    assert_eq!(types.len(), RecordType::ALL.len() - 1);
    sandbox.stop();
}
