//! Asks a name server over TCP and compares the answers with the expected ones.
//!
//! A library decodes the answers, so that an error in our encoding of values or in the sandbox's is
//! found.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use domain::base::iana::{Class, Rcode, Rtype};
use domain::base::name::Name;
use domain::base::zonefile_fmt::{DisplayKind, ZonefileFmt};
use domain::base::{Message, MessageBuilder};
use domain::rdata::AllRecordData;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::diagnostic::first_of;
use crate::insight::expect::ExpectationOutcome;
use crate::model::{ExpectedAnswer, Fqdn, Rdata, RecordType};
use crate::sandbox::is_edge;

/// Longest wait for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);

/// Maximum number of values in a message.
const MOST_VALUES: usize = 5;

/// Reasons why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QuestionError {
    /// The connection failed or timed out.
    #[error("ask the name server of the sandbox")]
    Connection(#[source] io::Error),
    /// The question or the answer is not a DNS message.
    #[error("read the answer of the name server of the sandbox")]
    Message,
}

/// An answer of the name server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// Response code.
    code: Rcode,
    /// True if the answer refers to other name servers.
    is_referral: bool,
    /// True if the values are the name servers to which the name is delegated.
    is_delegation: bool,
    /// True if an alias leads to a name that the sandbox does not have.
    leads_out: bool,
    /// Values of the requested type in zone-file format. For a delegation whose name servers were
    /// requested, the values are those name servers.
    values: Vec<String>,
}

/// Sends a question to a name server.
///
/// # Errors
/// Fails if no answer arrives.
pub async fn ask(
    server: SocketAddr,
    name: &Fqdn,
    kind: RecordType,
) -> Result<Reply, QuestionError> {
    let query = encode_query(name, kind).ok_or(QuestionError::Message)?;
    let exchange = async {
        let mut stream = TcpStream::connect(server).await?;
        stream.write_all(&query).await?;
        let mut response = vec![0; usize::from(stream.read_u16().await?)];
        stream.read_exact(&mut response).await?;
        Ok(response)
    };
    let response = timeout(ANSWER_TIMEOUT, exchange).await.unwrap_or_else(|late| Err(late.into()));
    read_reply(response.map_err(QuestionError::Connection)?, name, kind)
        .ok_or(QuestionError::Message)
}

/// Encodes a query with its length prefix.
fn encode_query(name: &Fqdn, kind: RecordType) -> Option<Vec<u8>> {
    let name = Name::vec_from_str(name.as_str()).ok()?;
    let mut question = MessageBuilder::new_vec().question();
    question.push((name, Rtype::from_int(kind as u16), Class::IN)).ok()?;
    let message = question.finish();
    let length = u16::try_from(message.len()).ok()?;
    Some([&length.to_be_bytes()[..], &message].concat())
}

fn read_reply(response: Vec<u8>, name: &Fqdn, kind: RecordType) -> Option<Reply> {
    let message = Message::from_octets(response).ok()?;
    let (_, answer, authority, _) = message.sections().ok()?;
    let asked_type = Rtype::from_int(kind as u16);
    let mut values = Vec::new();
    let mut has_alias = false;
    for record in answer.limit_to::<AllRecordData<_, _>>() {
        let record = record.ok()?;
        has_alias |= record.rtype() == Rtype::CNAME;
        if record.rtype() == asked_type {
            values.push(record.data().display_zonefile(DisplayKind::Simple).to_string());
        }
    }
    let (mut has_end, mut servers, mut is_delegated_here) = (false, Vec::new(), false);
    for record in authority.limit_to::<AllRecordData<_, _>>() {
        let record = record.ok()?;
        has_end |= record.rtype() == Rtype::SOA;
        if record.rtype() == Rtype::NS {
            is_delegated_here |= record
                .owner()
                .to_string()
                .trim_end_matches('.')
                .eq_ignore_ascii_case(name.as_str());
            servers.push(record.data().display_zonefile(DisplayKind::Simple).to_string());
        }
    }
    let is_referral = !has_end && !servers.is_empty();
    let leads_out =
        has_alias && values.is_empty() && !has_end && !is_referral && asked_type != Rtype::CNAME;
    let code = message.header().rcode();
    // A delegation in this zone is this zone's own data.
    if is_referral && is_delegated_here && asked_type == Rtype::NS {
        return Some(Reply {
            code,
            is_referral: false,
            is_delegation: true,
            leads_out,
            values: servers,
        });
    }
    Some(Reply { code, is_referral, is_delegation: false, leads_out, values })
}

/// Compares an answer with the expected one. The sandbox has all records of the zone, so a name
/// without an answer does not exist.
#[must_use]
pub fn judge_reply(
    reply: &Reply,
    name: &Fqdn,
    kind: RecordType,
    expected: &ExpectedAnswer,
) -> ExpectationOutcome {
    let Reply { code, is_referral, is_delegation, leads_out, values } = reply;
    let says = format!("{name} {kind}: {}", reply.words());
    if *is_referral || *leads_out || !matches!(*code, Rcode::NOERROR | Rcode::NXDOMAIN) {
        return ExpectationOutcome::Unknown(says);
    }
    // Name servers in an answer that is no referral are those of a zone itself, which Cloudflare
    // assigns.
    if kind == RecordType::Ns && !values.is_empty() && !is_delegation {
        return ExpectationOutcome::Unknown(format!("{says}, which the sandbox invents"));
    }
    if kind == RecordType::Https && values.iter().any(|value| hints(value).any(is_edge)) {
        return ExpectationOutcome::Unknown(format!("{says}, which the sandbox invents"));
    }
    let addresses: Option<Vec<IpAddr>> = values.iter().map(|value| value.parse().ok()).collect();
    let addresses = addresses.filter(|_| matches!(kind, RecordType::A | RecordType::Aaaa));
    let on_edge =
        addresses.as_ref().is_some_and(|all| !all.is_empty() && all.iter().copied().all(is_edge));
    let holds = match expected {
        ExpectedAnswer::Nothing => values.is_empty(),
        ExpectedAnswer::Edge => on_edge,
        // Cloudflare chooses the addresses of its edge, so the sandbox's addresses prove nothing.
        ExpectedAnswer::Is(_) | ExpectedAnswer::Within(_) if on_edge => {
            return ExpectationOutcome::Unknown(says);
        }
        ExpectedAnswer::Within(networks) => addresses.is_some_and(|all| {
            !all.is_empty()
                && all
                    .iter()
                    .all(|address| networks.iter().any(|network| network.contains(address)))
        }),
        ExpectedAnswer::Is(wanted) => {
            let actual_values: Result<BTreeSet<Rdata>, _> = values
                .iter()
                .map(|value| Rdata::from_text(kind, value).map(|data| data.at(name)))
                .collect();
            match actual_values {
                Ok(found) => found == *wanted,
                Err(_) => {
                    return ExpectationOutcome::Unknown(format!(
                        "{says}, which cannot be compared"
                    ));
                }
            }
        }
    };
    if holds {
        ExpectationOutcome::Passed
    } else {
        ExpectationOutcome::Failed(format!("{says}; expected {expected}"))
    }
}

/// Returns the addresses in the hints of an HTTPS record.
fn hints(value: &str) -> impl Iterator<Item = IpAddr> {
    let lists = value
        .split(' ')
        .filter_map(|p| p.strip_prefix("ipv4hint=").or_else(|| p.strip_prefix("ipv6hint=")));
    lists
        .flat_map(|list| list.trim_matches('"').split(','))
        .filter_map(|address| address.parse().ok())
}

impl Reply {
    fn words(&self) -> String {
        match (self.code, self.values.is_empty()) {
            (Rcode::NXDOMAIN, true) => "no such name".to_owned(),
            (Rcode::NOERROR, _) if self.is_referral => "other name servers answer".to_owned(),
            (Rcode::NOERROR, true) if self.leads_out => {
                "the alias leads to a name outside the sandbox".to_owned()
            }
            (Rcode::NOERROR, true) => "no record of this type".to_owned(),
            (Rcode::NOERROR | Rcode::NXDOMAIN, false) => first_of(&self.values, MOST_VALUES),
            (Rcode::SERVFAIL, _) => "the alias leads to a name outside the sandbox".to_owned(),
            (Rcode::REFUSED, _) => "the sandbox does not have the zone".to_owned(),
            (code, _) => format!("the name server answers with {code}"),
        }
    }
}
