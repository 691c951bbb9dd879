//! Proxied hosts that are not for the web.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::{LintContext, LintedZone};
use crate::lint::{Findings, LintRule};
use crate::model::facts::proxied_ports::PROXIED_PORTS;
use crate::model::{DesiredRecord, Fqdn, NameMap, RecordType};

/// A protocol other than those of the web, by a word that names it.
struct OtherProtocol {
    /// The first label of a host.
    word: &'static str,
    /// Its name.
    protocol: &'static str,
    /// True if the word means the protocol in a comment, too.
    is_in_comments: bool,
}

/// Returns a protocol whose word means it in names and comments.
const fn in_comments(word: &'static str, protocol: &'static str) -> OtherProtocol {
    OtherProtocol { word, protocol, is_in_comments: true }
}

/// Returns a protocol whose word can mean something else in a comment.
const fn in_names(word: &'static str, protocol: &'static str) -> OtherProtocol {
    OtherProtocol { word, protocol, is_in_comments: false }
}

/// Protocols that Cloudflare does not proxy. Comments often name a Git repository.
const OTHER_PROTOCOLS: &[OtherProtocol] = &[
    in_comments("ssh", "SSH"),
    in_comments("sftp", "SFTP"),
    in_comments("ftp", "FTP"),
    in_comments("vpn", "a VPN"),
    in_comments("wireguard", "a VPN"),
    in_comments("rdp", "RDP"),
    in_comments("smtp", "SMTP"),
    in_comments("imap", "IMAP"),
    in_comments("ldap", "LDAP"),
    in_names("git", "Git over SSH"),
    in_names("openvpn", "a VPN"),
    in_names("wg", "a VPN"),
    in_names("pop", "POP3"),
    in_names("pop3", "POP3"),
    in_names("ntp", "NTP"),
    in_names("stun", "STUN"),
    in_names("turn", "TURN"),
    in_names("irc", "IRC"),
    in_names("teamspeak", "TeamSpeak"),
    in_names("minecraft", "Minecraft"),
];

/// The rule.
pub(in crate::lint) static RULE: LintRule = LintRule {
    finding: Finding {
        code: "LINT0030",
        summary: "the proxied host is not for the web",
        severity: Severity::Warning,
        why: "Cloudflare proxies HTTP and HTTPS. Clients that use another protocol reach the edge and get no connection.",
        fix: "Write `proxied: false`, or use Spectrum for the protocol.",
    },
    sources: &[
        "developers.cloudflare.com/dns/proxy-status/limitations, \"Ports and protocols\", read 2026-11-27",
        "developers.cloudflare.com/fundamentals/reference/network-ports, read 2026-11-27",
    ],
    good: "\
zones:
  example.com:
    records:
      - { name: lab, type: NS, content: ns1.lab.example.com }
      - { name: ns1.lab, type: A, content: 192.0.2.53 }
",
    bad: "\
zones:
  example.com:
    records:
      - { name: lab, type: NS, content: ns1.lab.example.com }
      - { name: ns1.lab, type: A, content: 192.0.2.53, proxied: true }
",
    check: report_proxied_beside_web,
};

fn report_proxied_beside_web(context: &LintContext<'_>, findings: &mut Findings) {
    let is_delegation = |(zone, record): &(&LintedZone<'_>, &DesiredRecord)| {
        record.data.record_type() == Some(RecordType::Ns) && !zone.is_apex(&record.name)
    };
    let delegations = context
        .records()
        .filter(is_delegation)
        .filter_map(|(_, record)| Some((record.data.target()?.as_str(), &record.name)));
    let delegations: NameMap<'_, &Fqdn> = delegations.collect();
    let hosts = [RecordType::A, RecordType::Aaaa, RecordType::Cname];
    let is_proxied_host = |record: &&DesiredRecord| {
        record.facets.proxied == Some(true)
            && record.data.record_type().is_some_and(|kind| hosts.contains(&kind))
    };
    for (zone, owner) in context.owners() {
        // One finding for a name.
        let Some(record) = owner.records.iter().copied().find(is_proxied_host) else { continue };
        let (name, place) = (&record.name, record.spelling.place);
        let found = match (delegations.get(name.as_str()), other_use(record)) {
            (Some(cut), _) => RULE.at(
                place,
                format!("`{name}` is a name server of `{cut}`, and answers no questions"),
            ),
            (None, Some(use_in_words)) => {
                let mut note = RULE.at(place, format!("`{name}` seems to serve {use_in_words}"));
                note.severity = Severity::Note;
                note
            }
            (None, None) => continue,
        };
        findings.push(found.about(zone.address(record)).help("write `proxied: false`"));
    }
}

/// Describes the protocol or port of a host that Cloudflare does not proxy, by its name or comment.
fn other_use(record: &DesiredRecord) -> Option<String> {
    let comment = record.facets.comment.as_ref().and_then(|comment| comment.text());
    let comment = comment.map(str::to_ascii_lowercase).unwrap_or_default();
    // An alias often leads to a site about the protocol.
    if record.data.address().is_some() {
        let first = record.name.as_str().split('.').next().unwrap_or_default();
        if let Some(other) = OTHER_PROTOCOLS.iter().find(|other| other.word == first) {
            return Some(other.protocol.to_owned());
        }
        let mut words = comment.split(|c: char| !c.is_ascii_alphanumeric());
        let is_known = |word: &&str| {
            OTHER_PROTOCOLS.iter().any(|other| other.is_in_comments && other.word == *word)
        };
        if let Some(word) = words.find(is_known) {
            return Some(format!("`{word}`, which its comment names"));
        }
    }
    let port = named_ports(&comment).find(|port| !PROXIED_PORTS.contains(port))?;
    Some(format!("port {port}, which its comment names"))
}

/// Returns the ports that a comment in lower case names: `port 22`, `git.example.com:22`, `22/tcp`.
/// The port of an origin may be another one than that of visitors.
fn named_ports(comment: &str) -> impl Iterator<Item = u16> {
    let words: Vec<&str> = comment
        .split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '(' | ')'))
        .filter(|word| !word.is_empty())
        .collect();
    let is_of_origin = comment.contains("origin") || comment.contains("upstream");
    let ports = words.iter().enumerate().filter_map(|(at, word)| {
        let before = at.checked_sub(1).and_then(|at| words.get(at));
        let is_after_port = before.is_some_and(|before| matches!(*before, "port" | "ports"));
        let of_host = word.rsplit_once(':').filter(|(host, _)| {
            !host.contains(['/', ':']) && host.contains('.') && !host.ends_with('.')
        });
        let of_protocol = word.strip_suffix("/tcp").or_else(|| word.strip_suffix("/udp"));
        let number =
            of_host.map(|(_, port)| port).or(of_protocol).or(is_after_port.then_some(*word));
        number?.trim_end_matches('.').parse().ok()
    });
    ports.filter(|_| !is_of_origin).collect::<Vec<_>>().into_iter()
}
