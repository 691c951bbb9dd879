//! The name server of the sandbox over real sockets: answers as Cloudflare gives them, and
//! protection against hostile clients.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Runtime;
use zonewright::sandbox::{self, Running, SandboxOptions};

use crate::support::resolver::{Reply, Resolver, question};

/// The timeout of tests that wait for something.
const TIMEOUT: Duration = Duration::from_secs(60);

const A: u16 = 1;
const NS: u16 = 2;
const CNAME: u16 = 5;
const SOA: u16 = 6;
const MX: u16 = 15;
const TXT: u16 = 16;
const AAAA: u16 = 28;
const DS: u16 = 43;
const HTTPS: u16 = 65;

/// A sandbox with a name server.
struct Server {
    runtime: Runtime,
    running: Running,
}

impl Server {
    /// Starts a name server with these zones.
    fn of(zones: &Value) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .unwrap();
        let dns = Some(SocketAddr::from(([127, 0, 0, 1], 0)));
        let running = runtime
            .block_on(sandbox::start(SandboxOptions { dns, ..SandboxOptions::default() }))
            .unwrap();
        running.seed(&json!({ "zones": zones })).unwrap();
        Self { runtime, running }
    }

    fn address(&self) -> SocketAddr {
        self.running.dns_address().unwrap()
    }

    fn resolver(&self) -> Resolver {
        Resolver::new(self.address())
    }

    fn ask(&self, name: &str, kind: u16) -> Reply {
        self.resolver().ask(name, kind).unwrap()
    }

    /// Returns the answer section; the code must be this.
    #[track_caller]
    fn lines(&self, name: &str, kind: u16, code: u8) -> Vec<String> {
        let reply = self.ask(name, kind);
        assert_eq!(reply.code, code, "{name} {kind}: {reply:?}");
        reply.answer.into_iter().collect()
    }

    fn stop(self) {
        self.runtime.block_on(self.running.shutdown());
    }
}

fn record(kind: &str, name: &str, content: &str) -> Value {
    json!({ "type": kind, "name": name, "content": content, "ttl": 600 })
}

#[test]
fn a_zone_is_answered_as_documented() {
    let server = Server::of(&json!([{ "name": "example.com", "plan": "enterprise", "records": [
        record("CNAME", "@", "pool.example.com"), record("A", "pool", "192.0.2.1"), record("AAAA", "pool", "2001:db8::1"),
        { "type": "A", "name": "www", "content": "192.0.2.9", "proxied": true },
        { "type": "MX", "name": "@", "content": "mail.example.com", "priority": 10 },
        record("CNAME", "alias", "pool.example.com"), record("CNAME", "away", "host.example.net"),
        record("CNAME", "one", "two.example.com"), record("CNAME", "two", "one.example.com"),
        { "type": "CNAME", "name": "flat", "content": "alias.example.com", "settings": { "flatten_cname": true } },
        { "type": "CNAME", "name": "flat-away", "content": "host.example.net", "settings": { "flatten_cname": true } },
        record("TXT", "*.wild", "any"), record("A", "a.b.wild", "192.0.2.3"),
        record("NS", "shop", "ns1.shop.example.com"), record("A", "ns1.shop", "192.0.2.53"),
        { "type": "DS", "name": "shop", "data": { "key_tag": 1, "algorithm": 13, "digest_type": 2, "digest": "AB".repeat(32) } },
    ] }]));
    let lines = |name, kind, code| server.lines(name, kind, code);
    // The apex is flattened; Cloudflare's name servers and SOA are there without records.
    assert_eq!(lines("example.com", A, 0), ["example.com A 192.0.2.1"]);
    assert_eq!(lines("EXAMPLE.com", AAAA, 0), ["example.com AAAA 2001:db8::1"]);
    assert_eq!(lines("example.com", CNAME, 0), [""; 0]);
    assert_eq!(
        lines("example.com", NS, 0),
        ["example.com NS ada.ns.example.net", "example.com NS bob.ns.example.net"]
    );
    assert_eq!(lines("example.com", SOA, 0), ["example.com SOA"]);
    assert_eq!(lines("example.com", MX, 0), ["example.com MX 10 mail.example.com"]);
    // Proxied names.
    let edge = lines("www.example.com", A, 0);
    assert!(edge.len() == 2 && edge.iter().all(|line| !line.contains("192.0.2")), "{edge:?}");
    assert_eq!(lines("www.example.com", AAAA, 0).len(), 2);
    // Priority 1, the name itself, and protocols first of all.
    let https = lines("www.example.com", HTTPS, 0);
    assert!(
        https.len() == 1 && https[0].starts_with("www.example.com TYPE65 0001000001"),
        "{https:?}"
    );
    assert_eq!(lines("www.example.com", TXT, 0), [""; 0]);
    // Aliases.
    assert_eq!(
        lines("alias.example.com", A, 0),
        ["alias.example.com CNAME pool.example.com", "pool.example.com A 192.0.2.1"]
    );
    assert_eq!(lines("away.example.com", A, 0), ["away.example.com CNAME host.example.net"]);
    assert_eq!(lines("one.example.com", A, 0).len(), 2);
    assert_eq!(lines("flat.example.com", A, 0), ["flat.example.com A 192.0.2.1"]);
    assert_eq!(lines("flat-away.example.com", A, 2), [""; 0]);
    // Wildcards: standard name servers let them cover names without records.
    assert_eq!(lines("x.wild.example.com", TXT, 0), ["x.wild.example.com TXT 616e79"]);
    assert_eq!(lines("b.wild.example.com", TXT, 0), ["b.wild.example.com TXT 616e79"]);
    assert_eq!(lines("x.b.wild.example.com", TXT, 0), ["x.b.wild.example.com TXT 616e79"]);
    assert_eq!(lines("a.b.wild.example.com", TXT, 0), [""; 0]);
    // A delegation, and its DS records, for which the zone itself answers.
    let referral = server.ask("www.shop.example.com", A);
    assert!(!referral.authoritative && referral.answer.is_empty());
    assert!(
        referral.authority.contains("shop.example.com NS ns1.shop.example.com"),
        "{referral:?}"
    );
    assert_eq!(
        referral.additional,
        BTreeSet::from(["ns1.shop.example.com A 192.0.2.53".to_owned()])
    );
    assert_eq!(lines("shop.example.com", DS, 0).len(), 1);
    // Nothing, with SOA.
    let missing = server.ask("missing.example.com", A);
    assert_eq!((missing.code, missing.authoritative, missing.authority.len()), (3, true, 1));
    assert_eq!(lines("wild.example.com", A, 0), [""; 0]);
    assert_eq!(lines("example.org", A, 5), [""; 0]);
    server.stop();
}

#[test]
fn settings_and_the_state_of_a_zone_decide() {
    let zone = |name: &str, more: Value| {
        let mut zone = json!({ "name": name, "plan": "enterprise", "records": [
            { "type": "A", "name": "www", "content": "192.0.2.9", "proxied": true },
            record("CNAME", "alias", &format!("target.{name}")), record("A", "target", "192.0.2.1"),
            record("TXT", "*.wild", "any"), record("A", "a.b.wild", "192.0.2.3"), record("NS", "@", "ns.example.net"),
        ] });
        zone.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        zone
    };
    let settings = json!({
        "settings": { "ipv6": "off", "http2": "off", "http3": "off" },
        "dns_settings": { "flatten_all_cnames": true, "multi_provider": true, "nameservers": { "type": "cloudflare.advanced" } },
    });
    let server = Server::of(&json!([
        zone("set.test", settings),
        zone("paused.test", json!({ "paused": true })),
        zone("pending.test", json!({ "status": "pending" })),
        zone("dns-only.test", json!({ "dns_settings": { "zone_mode": "dns_only" } })),
        zone("setup.test", json!({ "status": "initializing" })),
        zone("partial.test", json!({ "type": "partial" })),
    ]));
    let lines = |name, kind, code| server.lines(name, kind, code);
    assert_eq!(lines("www.set.test", AAAA, 0), [""; 0]);
    assert_eq!(lines("www.set.test", HTTPS, 0), [""; 0]);
    assert_eq!(lines("alias.set.test", A, 0), ["alias.set.test A 192.0.2.1"]);
    assert_eq!(lines("b.wild.set.test", TXT, 0), [""; 0]);
    assert_eq!(lines("x.b.wild.set.test", TXT, 3), [""; 0]);
    assert_eq!(lines("set.test", NS, 0).len(), 3);
    for zone in ["paused.test", "pending.test", "dns-only.test"] {
        assert_eq!(server.lines(&format!("www.{zone}"), A, 0), [format!("www.{zone} A 192.0.2.9")]);
        assert_eq!(server.lines(zone, NS, 0).len(), 2);
    }
    lines("www.setup.test", A, 5);
    lines("www.partial.test", A, 5);
    server.stop();
}

/// A write over the API is visible in DNS at once.
#[test]
fn a_write_is_visible_at_once() {
    let server =
        Server::of(&json!([{ "name": "example.com", "id": "0123456789abcdef0123456789abcdef" }]));
    assert_eq!(server.ask("www.example.com", A).code, 3);
    let path = "/zones/0123456789abcdef0123456789abcdef";
    assert!(server.running.write_as_another(
        "POST",
        &format!("{path}/dns_records"),
        &record("A", "www", "192.0.2.7")
    ));
    assert_eq!(server.lines("www.example.com", A, 0), ["www.example.com A 192.0.2.7"]);
    assert!(server.running.write_as_another("DELETE", path, &Value::Null));
    assert_eq!(server.ask("www.example.com", A).code, 5);
    server.stop();
}

/// Returns the offsets of fields in a message.
fn flags(response: &[u8]) -> (u8, bool, u16) {
    (response[3] & 15, response[2] & 2 != 0, u16::from_be_bytes([response[6], response[7]]))
}

/// Returns a query with an OPT record: this size, version and flags.
fn with_edns(id: u16, name: &str, kind: u16, size: u16, version: u8) -> Vec<u8> {
    let mut message = question(id, name, kind);
    message[11] = 1;
    message.extend([0, 0, 41]);
    message.extend(size.to_be_bytes());
    message.extend([0, version, 0x80, 0, 0, 0]);
    message
}

#[test]
fn long_answers_are_truncated_over_udp_and_whole_over_tcp() {
    let texts: Vec<Value> =
        (0..40).map(|n| record("TXT", "long", &format!("{n:02}{}", "x".repeat(60)))).collect();
    let server = Server::of(&json!([{ "name": "example.com", "records": texts }]));
    let resolver = server.resolver();
    let (code, truncated, answers) =
        flags(&resolver.exchange(&question(7, "long.example.com", TXT)));
    assert_eq!((code, truncated, answers), (0, true, 0));
    for (size, most) in [(0, 512), (512, 512), (1000, 1000), (1232, 1232), (65_535, 1232)] {
        let response = resolver.exchange(&with_edns(8, "long.example.com", TXT, size, 0));
        assert!(flags(&response).1 && response.len() <= most, "{size}: {}", response.len());
        let fits = resolver.exchange(&with_edns(9, "example.com", NS, size, 0));
        assert_eq!((flags(&fits).1, flags(&fits).2), (false, 2));
        assert_eq!(fits[11], 1, "an OPT record");
    }
    // The resolver asks again over TCP.
    assert_eq!(server.lines("long.example.com", TXT, 0).len(), 40);
    server.stop();
}

#[test]
fn strange_messages_get_the_documented_codes() {
    let server = Server::of(
        &json!([{ "name": "example.com", "records": [record("A", "www", "192.0.2.1")] }]),
    );
    let resolver = server.resolver();
    let code = |message: &[u8]| flags(&resolver.exchange(message)).0;
    let query = question(5, "www.example.com", A);
    let changed = |at: usize, octet: u8| {
        let mut message = query.clone();
        message[at] = octet;
        message
    };
    assert_eq!(code(&query), 0);
    assert_eq!(code(&changed(2, 0x28)), 4, "an update");
    assert_eq!(code(&changed(5, 0)), 1, "no question");
    assert_eq!(code(&changed(5, 2)), 1, "two questions");
    assert_eq!(code(&changed(11, 1)), 1, "a record that is not there");
    assert_eq!(code(&changed(12, 0xc0)), 1, "a name that points to itself");
    assert_eq!(code(&changed(12, 0x7f)), 1, "a label of an unknown kind");
    assert_eq!(code(&query[..query.len() - 3]), 1, "cut off");
    let named = |name: &[u8]| [&query[..12], name, &query[query.len() - 4..]].concat();
    assert_eq!(code(&named(&[1, b'a', 0xc0, 12])), 1, "a label, and a pointer back to it");
    assert_eq!(code(&named(&[0xc0, 14, 0xc0, 12])), 1, "two pointers to each other");
    assert_eq!(code(&named(&[0xc0, 0xff])), 1, "a pointer beyond the end");
    let labels = |count: usize| named(&[&b"\x01a".repeat(count)[..], &[0]].concat());
    assert_eq!((code(&labels(127)), code(&labels(128))), (5, 1), "255 octets, and one label more");
    for class in [0, 254, 255] {
        assert_eq!(code(&changed(query.len() - 1, class)), 5, "class {class}");
    }
    let edns = with_edns(5, "www.example.com", A, 1232, 0);
    let opt = |octets: &[u8]| [&edns[..edns.len() - 2], octets].concat();
    assert_eq!(
        code(&opt(&[0, 12, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8])),
        0,
        "an option that is not known"
    );
    assert_eq!(
        code(&opt(&[0, 12, 0, 10, 0, 80, 1, 2, 3, 4, 5, 6, 7, 8])),
        1,
        "an option that is longer than all of them"
    );
    assert_eq!(code(&opt(&[1, 0])), 1, "options beyond the end");
    let mut elsewhere = edns.clone();
    elsewhere.splice(edns.len() - 11..edns.len() - 10, *b"\x01a\x00");
    assert_eq!(code(&elsewhere), 1, "an OPT record that is not at the root");
    let mut chaos = query.clone();
    *chaos.last_mut().unwrap() = 3;
    assert_eq!(code(&chaos), 5, "another class");
    assert_eq!(code(&question(5, "example.com", 252)), 5, "a transfer");
    let any = resolver.exchange(&question(5, "www.example.com", 255));
    assert_eq!(flags(&any).2, 1, "one record for ANY (RFC 8482)");
    // A higher version of EDNS: code 16, with its high bits in the OPT record.
    let response = resolver.exchange(&with_edns(5, "www.example.com", A, 1232, 1));
    assert_eq!(
        (flags(&response).0, flags(&response).2, response[response.len() - 6]),
        (0, 0, 1),
        "{response:?}"
    );
    let mut twice = with_edns(5, "www.example.com", A, 1232, 0);
    twice[11] = 2;
    twice.extend_from_within(twice.len() - 11..);
    assert_eq!(code(&twice), 1, "two OPT records");
    // A dot inside a label does not separate labels, and octets that no name contains are not
    // found.
    let mut dotted = question(5, "wwwxexample.com", A);
    dotted[12 + 1 + 3] = b'.';
    assert_eq!(code(&dotted), 5);
    let mut odd = question(5, "w0w.example.com", A);
    odd[12 + 1 + 1] = 0;
    assert_eq!(code(&odd), 3);
    // The longest name.
    let long = format!("{0}.{0}.{0}.{1}.example.com", "a".repeat(60), "b".repeat(58));
    assert_eq!(long.len(), 253);
    assert_eq!(code(&question(5, &long, A)), 3);
    server.stop();
}

#[test]
fn noise_does_not_stop_the_server() {
    let server = Server::of(
        &json!([{ "name": "example.com", "records": [record("A", "www", "192.0.2.1")] }]),
    );
    let resolver = server.resolver();
    let mut random = fastrand::Rng::with_seed(14);
    let good = with_edns(1, "www.example.com", A, 1232, 0);
    for round in 0..2_000_u16 {
        let mut message = good.clone();
        if random.bool() {
            message = (0..random.usize(..80)).map(|_| random.u8(..)).collect();
        } else {
            for _ in 0..random.usize(1..4) {
                let at = random.usize(..message.len());
                message[at] = random.u8(..);
            }
        }
        resolver.send(&message);
        // Invalid messages before a valid query are read first, so no query is lost.
        if round % 50 == 0 {
            let query = question(0x4000 + round, "www.example.com", A);
            assert_eq!(flags(&server.resolver().exchange(&query)), (0, false, 1));
        }
    }
    // A response gets no response, so that two servers do not answer each other without end.
    let mut response = question(3, "www.example.com", A);
    response[2] |= 0x80;
    for silent in [&response[..], &[], &[1], &[0; 11], &[0xff; 12]] {
        resolver.send(silent);
    }
    assert_eq!(server.ask("www.example.com", A).code, 0);
    server.stop();
}

/// Connects over TCP.
fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(TIMEOUT)).unwrap();
    stream
}

/// Returns a message as it is sent over TCP.
fn framed(message: &[u8]) -> Vec<u8> {
    [&u16::try_from(message.len()).unwrap().to_be_bytes()[..], message].concat()
}

/// Returns the next message of a connection.
fn next(stream: &mut TcpStream) -> Vec<u8> {
    let mut length = [0; 2];
    stream.read_exact(&mut length).unwrap();
    let mut message = vec![0; usize::from(u16::from_be_bytes(length))];
    stream.read_exact(&mut message).unwrap();
    message
}

#[test]
fn tcp_connections_are_few_and_carry_several_queries() {
    let server = Server::of(
        &json!([{ "name": "example.com", "records": [record("A", "www", "192.0.2.1")] }]),
    );
    // Far more idle connections than allowed; some of them announce long messages.
    let idle: Vec<TcpStream> = (0..200)
        .map(|n| {
            let mut stream = connect(server.address());
            // A closed connection cannot be written to.
            let _ = stream.write_all(&[0xff, 0xff][..n % 3]);
            stream
        })
        .collect();
    let mut stream = connect(server.address());
    let queries =
        [framed(&question(1, "www.example.com", A)), framed(&question(2, "x.example.com", A))]
            .concat();
    stream.write_all(&queries).unwrap();
    let responses = [next(&mut stream), next(&mut stream)];
    assert_eq!(responses.map(|r| (r[1], flags(&r).0)), [(1, 0), (2, 3)]);
    // The oldest one was closed to make room.
    let mut oldest = idle.into_iter().next().unwrap();
    assert!(!matches!(oldest.read(&mut [0; 1]), Ok(1..)));
    // In pieces of one octet; and in the longest possible message, most of it after the query.
    let mut slow = connect(server.address());
    slow.set_nodelay(true).unwrap();
    framed(&question(3, "www.example.com", A))
        .chunks(1)
        .for_each(|octet| slow.write_all(octet).unwrap());
    assert_eq!(flags(&next(&mut slow)), (0, false, 1));
    let mut long = question(4, "www.example.com", A);
    long.resize(65_535, 0);
    slow.write_all(&framed(&long)).unwrap();
    assert_eq!(flags(&next(&mut slow)), (0, false, 1));
    // An empty message is not a query, and neither is a response.
    let mut response = question(5, "www.example.com", A);
    response[2] |= 0x80;
    for silent in [vec![0, 0], framed(&response)] {
        let mut stream = connect(server.address());
        stream.write_all(&silent).unwrap();
        assert_eq!(stream.read(&mut [0; 1]).unwrap_or(0), 0);
    }
    server.stop();
}
