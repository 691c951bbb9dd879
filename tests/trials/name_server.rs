//! Answers of `insight` against name servers that serve the same records: NSD for plain zones, and the sandbox's for zones with all
//! that Cloudflare adds. They are asked every name and random ones.
//!
//! NSD comes from the system (Debian: `apt-get install nsd`); without it this is skipped, as are real zones unless
//! `ZONEWRIGHT_REAL_ZONES` names a folder of specs. Names at which Cloudflare allows what name servers refuse, such as an alias
//! beside other types or at the apex, are left out and counted. `ZONEWRIGHT_GENERATED_ZONES` says how many zones are generated for
//! the sandbox.
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

use serde_json::{Value, json};

use crate::support::resolver::{Reply, Resolver};
use zonewright::diagnostic::Sources;
use zonewright::insight::dns::{Answer, End, Entry, Own, Serving, ZoneIndex, Zones};
use zonewright::model::{DesiredZone, Fqdn, Rdata, RecordType, Settings, Ttl, ZoneName};
use zonewright::{sandbox, spec};

/// A record.
struct Record {
    name: Fqdn,
    data: Rdata,
    proxied: bool,
    settings: Settings,
}

/// A zone: names with values.
struct Zone {
    name: ZoneName,
    records: Vec<Record>,
    serving: Serving,
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
        for Record { name, data, .. } in &zone.records {
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
    let records =
        records.into_iter().map(|(name, data)| Record { name, data, proxied: false, settings: Settings::default() });
    Zone { name: name.clone(), records: records.collect(), serving: Serving::plain(), left_out: odd.len() }
}

/// What a reply must say.
#[derive(Debug, Default)]
struct Expected {
    code: u8,
    answer: BTreeSet<String>,
    /// The servers of a referral, and their glue.
    referral: Option<(BTreeSet<String>, BTreeSet<String>)>,
}

/// The response code of a server that cannot answer.
const SERVER_FAILURE: u8 = 2;

/// What the program says, in the words of a reply; `None` if it says that it does not know.
fn expected(answer: &Answer<'_>) -> Option<Expected> {
    let line = |name: &Fqdn, data: &Rdata| {
        let value = match data {
            Rdata::Txt(_) => wire_text(data),
            Rdata::Ds(_) => format!("DS {}", data.presentation().to_ascii_lowercase()),
            _ if is_decoded(data) => format!("{} {}", data.type_name(), data.presentation()),
            _ => format!("TYPE{}", data.record_type().unwrap() as u16),
        };
        format!("{name} {value}")
    };
    // From the first flattened alias on, only the addresses are seen, under its name.
    let flattened = answer.aliases.iter().position(|alias| alias.flattened);
    let owner = flattened.map_or(&answer.name, |at| &answer.aliases[at].name);
    let seen = &answer.aliases[..flattened.unwrap_or(answer.aliases.len())];
    let mut said =
        Expected { answer: seen.iter().map(|a| line(&a.name, a.record.data)).collect(), ..Expected::default() };
    match &answer.end {
        End::Unknown(_) => return None,
        End::Records(set) => said.answer.extend(set.iter().map(|entry| line(owner, entry.data))),
        End::Edge(_) => drop(said.answer.insert(format!("{owner} EDGE"))),
        End::Cloudflare(Own::NameServers, set) => {
            said.answer.extend(sandbox::NAME_SERVERS.iter().map(|host| format!("{owner} NS {host}")));
            said.answer.extend(set.iter().map(|entry| line(owner, entry.data)));
        }
        End::Cloudflare(Own::Https, _) => drop(said.answer.insert(format!("{owner} TYPE65"))),
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
            let all = |set: &[Entry<'_>]| set.iter().map(|entry| line(entry.name, entry.data)).collect();
            said.referral = Some((all(&referral.servers), all(&referral.glue)));
        }
    }
    Some(said)
}

/// A line of an answer, without the address if it is one of Cloudflare's edge.
fn without_edge(line: String) -> String {
    const EDGE: [&str; 3] = [" A 104.21.", " A 172.67.", " AAAA 2606:4700:303"];
    match EDGE.iter().find_map(|edge| line.find(edge)) {
        Some(at) => format!("{} EDGE", &line[..at]),
        None => line,
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

/// How a comparison went.
#[derive(Debug, Default)]
struct Compared {
    asked: usize,
    /// Questions whose answer the program does not know.
    unknown: usize,
    differences: Vec<String>,
}

/// A zone as the program sees it.
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

/// Asks every name of the zones, names below and beside them, with every type that matters. With `together`, aliases are followed
/// from zone to zone.
fn compare(server: SocketAddr, zones: &[Zone], together: bool, random: &mut fastrand::Rng) -> Compared {
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
        let mut names: BTreeSet<String> = BTreeSet::new();
        for name in nodes {
            let label: String = (0..6).map(|_| random.lowercase()).collect();
            names.extend([name.clone(), format!("{label}.{name}")]);
            if random.u8(..8) == 0 {
                names.extend([format!("*.{name}"), format!("a.*.{name}"), format!("deep.{label}.{name}")]);
            }
        }
        for name in names.into_iter().filter(|name| name.len() <= 250) {
            let name = Fqdn::reported(&name);
            let mut kinds: BTreeSet<RecordType> = indexes.types_of(&name).into_iter().collect();
            kinds.extend([RecordType::Cname, RecordType::Ns, RecordType::Txt, RecordType::Ds, RecordType::Https]);
            kinds.insert(RecordType::ALL[random.usize(..RecordType::ALL.len())]);
            for kind in kinds {
                // The parent of the zone answers for DS at its apex.
                if name == *zone.name.as_fqdn() && kind == RecordType::Ds {
                    continue;
                }
                let Some(said) = expected(&indexes.answer(&name, kind)) else {
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

/// How a reply differs from what the program says.
fn difference(said: &Expected, mut reply: Reply) -> Option<String> {
    reply.answer = reply.answer.into_iter().map(without_edge).collect();
    let refers = said.referral.as_ref();
    let is_same = reply.code == said.code
        && reply.answer == said.answer
        && refers
            .is_none_or(|(servers, glue)| reply.authority.is_superset(servers) && reply.additional.is_superset(glue))
        && (said.code == SERVER_FAILURE || reply.authoritative != (refers.is_some() && said.answer.is_empty()));
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

/// A random zone with wildcards, delegations and chains, for any name server.
fn generated(number: usize, random: &mut fastrand::Rng) -> Zone {
    let (name, records) = drawn(number, random);
    fit(&name, records)
}

/// The records of a random zone.
fn drawn(number: usize, random: &mut fastrand::Rng) -> (ZoneName, Vec<(Fqdn, Rdata)>) {
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
    (name, records)
}

/// A random zone with what Cloudflare allows and adds: proxied names, flattened aliases, aliases beside other types and at the apex,
/// and the settings that decide about answers.
fn generated_for_cloudflare(number: usize, random: &mut fastrand::Rng) -> (Zone, Value) {
    let (name, mut values) = drawn(number, random);
    let owners: Vec<Fqdn> = values.iter().map(|(owner, _)| owner.clone()).collect();
    let mut add =
        |owner: &Fqdn, kind, value: &str| values.push((owner.clone(), Rdata::from_text(kind, value).unwrap()));
    for owner in &owners {
        match random.u8(..12) {
            0 => add(owner, RecordType::Txt, "\"beside\""),
            1 => add(owner, RecordType::Https, "1 . alpn=h2"),
            2 => add(owner, RecordType::Cname, &format!("a.g{}.test", number.saturating_sub(1))),
            _ => {}
        }
    }
    match random.u8(..4) {
        0 => add(name.as_fqdn(), RecordType::Cname, &format!("b.{name}")),
        1 => add(name.as_fqdn(), RecordType::Ns, "ns.invalid"),
        2 => add(name.as_fqdn(), RecordType::A, "192.0.2.80"),
        _ => {}
    }
    let mut proxied: BTreeMap<Fqdn, bool> = BTreeMap::new();
    let records = values.into_iter().map(|(name, data)| {
        let at_name = *proxied.entry(name.clone()).or_insert_with(|| random.u8(..4) == 0);
        let kind = data.record_type().unwrap();
        let proxied = at_name && matches!(kind, RecordType::A | RecordType::Aaaa | RecordType::Cname);
        let mut one_in = |n: u8| (random.u8(..n) == 0).then_some(true);
        let settings = Settings {
            flatten_cname: one_in(4).filter(|_| !proxied && kind == RecordType::Cname),
            ipv4_only: one_in(8).filter(|_| proxied),
            ..Settings::default()
        };
        Record { name, data, proxied, settings }
    });
    let records: Vec<Record> = records.collect();
    let serving = Serving {
        stops_at_empty: Some(random.bool()),
        flattens_all: Some(random.u8(..6) == 0),
        ipv6: Some(random.u8(..4) > 0),
        multi_provider: Some(random.bool()),
        dnssec: Some(false),
        never_proxies: Some(random.u8(..8) == 0),
        ..Serving::default()
    };
    let word = |on: Option<bool>, yes: &str, no: &str| if on == Some(true) { yes } else { no }.to_owned();
    let document = json!({
        "name": name.as_str(), "plan": "enterprise",
        "settings": { "ipv6": word(serving.ipv6, "on", "off") },
        "dns_settings": {
            "flatten_all_cnames": serving.flattens_all, "multi_provider": serving.multi_provider,
            "zone_mode": word(serving.never_proxies, "dns_only", "standard"),
            "nameservers": { "type": word(serving.stops_at_empty, "cloudflare.advanced", "cloudflare.standard") },
        },
    });
    (Zone { name, records, serving, left_out: 0 }, document)
}

/// A record as the API takes it.
fn body(record: &Record) -> Value {
    let Record { name, data, proxied, settings } = record;
    let text = data.presentation();
    let mut body = json!({ "name": name.as_str(), "type": data.type_name(), "ttl": 300, "proxied": proxied });
    let words: Vec<&str> = text.split(' ').collect();
    let number = |at: usize| words[at].parse::<u32>().unwrap();
    match data.record_type().unwrap() {
        RecordType::Mx => {
            body["priority"] = number(0).into();
            body["content"] = words[1].into();
        }
        RecordType::Ds => {
            body["data"] =
                json!({ "key_tag": number(0), "algorithm": number(1), "digest_type": number(2), "digest": words[3] });
        }
        RecordType::Https => {
            body["data"] = json!({ "priority": number(0), "target": words[1], "value": words[2..].join(" ") })
        }
        _ => body["content"] = text.into(),
    }
    for (key, on) in [("flatten_cname", settings.flatten_cname), ("ipv4_only", settings.ipv4_only)] {
        if on == Some(true) {
            body["settings"][key] = true.into();
        }
    }
    body
}

/// How many zones are generated for the sandbox: those of this variable, or few.
fn wanted() -> usize {
    std::env::var("ZONEWRIGHT_GENERATED_ZONES").map_or(60, |text| text.parse().expect("a number of zones"))
}

#[test]
fn generated_zones_are_answered_as_the_sandbox_does() {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    let dns = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
    let running = runtime.block_on(sandbox::start(sandbox::Options { dns, ..sandbox::Options::default() })).unwrap();
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let mut zones = Vec::new();
    for number in 0..wanted() {
        let (mut zone, document) = generated_for_cloudflare(number, &mut random);
        running.seed(&json!({ "zones": [document] })).unwrap();
        // What cannot be at one name, the sandbox refuses.
        zone.records.retain(|record| {
            let added = running.seed(&json!({ "zones": [{ "name": zone.name.as_str(), "records": [body(record)] }] }));
            let is_added = added.is_ok_and(|report| report.records == 1);
            zone.left_out += usize::from(!is_added);
            is_added
        });
        zones.push(zone);
    }
    let compared = compare(running.dns_address().unwrap(), &zones, true, &mut random);
    assert!(compared.asked > wanted() * 50, "{}", compared.asked);
    check("sandbox", &zones, &compared);
    runtime.block_on(running.shutdown());
}

#[test]
fn generated_zones_are_answered_as_a_name_server_does() {
    let Some(program) = program() else { return };
    let mut random = fastrand::Rng::with_seed(20_261_122);
    let zones: Vec<Zone> = (0..500).map(|n| generated(n, &mut random)).collect();
    let server = start(&program, &zones);
    let result = compare(server.address, &zones, false, &mut random);
    assert!(result.asked > 20_000, "{}", result.asked);
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
    let mut all = Compared::default();
    for zone in zones.chunks(1) {
        let server = start(&program, zone);
        let Compared { asked, unknown, differences } = compare(server.address, zone, false, &mut random);
        all.asked += asked;
        all.unknown += unknown;
        all.differences.extend(differences);
    }
    check("real", &zones, &all);
}
