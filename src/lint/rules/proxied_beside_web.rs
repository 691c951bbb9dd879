//! Proxied hosts that are not for the web.

use crate::diagnostic::{Finding, Severity};
use crate::lint::context::{LintContext, LintedZone};
use crate::lint::{Findings, LintRule};
use crate::model::{DesiredRecord, Fqdn, NameMap, RecordType};

/// First labels of hosts that clients reach by other protocols than those of the web, each with the
/// protocol.
const LABELS: &[(&str, &str)] = &[
    ("ssh", "SSH"),
    ("sftp", "SFTP"),
    ("ftp", "FTP"),
    ("vpn", "a VPN"),
    ("openvpn", "a VPN"),
    ("wireguard", "a VPN"),
    ("wg", "a VPN"),
    ("rdp", "RDP"),
    ("smtp", "SMTP"),
    ("imap", "IMAP"),
    ("pop", "POP3"),
    ("pop3", "POP3"),
    ("ldap", "LDAP"),
    ("ntp", "NTP"),
    ("stun", "STUN"),
    ("turn", "TURN"),
    ("irc", "IRC"),
    ("teamspeak", "TeamSpeak"),
    ("minecraft", "Minecraft"),
];

/// Words of comments that name such a protocol.
const WORDS: &[&str] = &["ssh", "sftp", "ftp", "vpn", "wireguard", "rdp", "smtp", "imap", "ldap"];

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
        let found = match (delegations.get(name.as_str()), protocol(record)) {
            (Some(cut), _) => RULE.at(
                place,
                format!("`{name}` is a name server of `{cut}`, and answers no questions"),
            ),
            // An alias often leads to a site with this subject.
            (None, Some(protocol)) if record.data.address().is_some() => {
                let mut note = RULE.at(place, format!("`{name}` seems to serve {protocol}"));
                note.severity = Severity::Note;
                note
            }
            (None, _) => continue,
        };
        findings.push(found.about(zone.address(record)).help("write `proxied: false`"));
    }
}

/// Returns the protocol that the name or the comment of a host names.
fn protocol(record: &DesiredRecord) -> Option<String> {
    let first = record.name.as_str().split('.').next().unwrap_or_default();
    if let Some((_, protocol)) = LABELS.iter().find(|(label, _)| *label == first) {
        return Some((*protocol).to_owned());
    }
    let comment = record.facets.comment.as_ref()?.text()?.to_ascii_lowercase();
    let mut words = comment.split(|c: char| !c.is_ascii_alphanumeric());
    let word = words.find(|word| WORDS.contains(word))?;
    Some(format!("`{word}`, which its comment names"))
}
