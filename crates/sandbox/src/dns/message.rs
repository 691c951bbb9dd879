//! Messages: reads a query, and writes the response within the size limit of the transport.
//!
//! | query | response |
//! |---|---|
//! | shorter than a header, or a response | none |
//! | another opcode than QUERY | not implemented |
//! | no question or several, a malformed section, two OPT records | format error |
//! | EDNS of a higher version than 0 | bad version (RFC 6891 section 6.1.3) |
//! | another class than IN, a zone transfer | refused |
//!
//! # Sources
//! RFC 1035 section 4, RFC 6891 (EDNS), RFC 8914 (extended errors), RFC 9715 (1,232 octets over
//! UDP). ASSUMED: transfers and other classes are refused; options of EDNS are ignored.

use domain::base::iana::{Class, OptRcode, OptionCode, Rcode, Rtype};
use domain::base::message_builder::{AdditionalBuilder, PushError, TreeCompressor};
use domain::base::name::{Name, ToName};
use domain::base::opt::Opt;
use domain::base::rdata::UnknownRecordData;
use domain::base::{Message, MessageBuilder, Ttl};

use super::answer::{Reply, SentRecord, codes};
use super::zones::OwnerName;

/// Maximum size of a UDP response with EDNS, and the size that the sandbox announces, in octets.
const UDP_ANSWER: u16 = 1232;

/// Maximum size of a UDP response without EDNS, in octets (RFC 1035 section 4.2.1).
const PLAIN_OCTETS: u16 = 512;

/// Octets of an OPT record with an extended error.
const OPT_OCTETS: usize = 17;

/// Octets of a header.
const HEADER: usize = 12;

/// Types of questions that ask for a whole zone: IXFR and AXFR.
const TRANSFERS: [u16; 2] = [251, 252];

/// The message is malformed.
const FORMAT_ERROR: u8 = 1;
/// The opcode is not known.
const NOT_IMPLEMENTED: u8 = 4;

/// The transport of a message, which limits the size of the response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Transport {
    /// A long response is truncated.
    Udp,
    /// A response can have 65,535 octets.
    Tcp,
}

/// The EDNS part of a query.
struct Edns {
    /// Maximum size of a UDP response that the client accepts, in octets.
    size: u16,
    version: u8,
}

/// Returns the response to a message; `None` if the message must not be answered.
pub(super) fn respond_to_message(
    octets: &[u8],
    transport: Transport,
    answer: impl FnOnce(OwnerName, u16) -> Reply,
) -> Option<Vec<u8>> {
    let message = Message::from_octets(octets).ok()?;
    let header = message.header();
    if header.qr() {
        return None;
    }
    if header.opcode().to_int() != 0 {
        return Some(header_only(octets, NOT_IMPLEMENTED));
    }
    let Some((question, edns)) = read_query(&message) else {
        return Some(header_only(octets, FORMAT_ERROR));
    };
    let (owner, kind, class) = question;
    let reply = match &edns {
        Some(edns) if edns.version > 0 => Reply::default(),
        _ if class != Class::IN || TRANSFERS.contains(&kind) => {
            Reply { code: codes::REFUSED, ..Reply::default() }
        }
        _ => answer(owner, kind),
    };
    let limit = match (transport, &edns) {
        (Transport::Tcp, _) => u16::MAX,
        (Transport::Udp, None) => PLAIN_OCTETS,
        (Transport::Udp, Some(edns)) => edns.size.clamp(PLAIN_OCTETS, UDP_ANSWER),
    };
    let response = write_response(&message, &reply, edns.as_ref(), limit);
    let cut = || {
        write_response(
            &message,
            &Reply {
                answer: Vec::new(),
                authority: Vec::new(),
                additional: Vec::new(),
                ..reply.clone()
            },
            edns.as_ref(),
            u16::MAX,
        )
    };
    // A response that does not fit is replaced by an empty one with the flag "truncated"; over TCP
    // nothing longer can be sent.
    response.or_else(|| {
        let mut cut = cut()?;
        if let Some(flags) = cut.get_mut(2) {
            *flags |= 2;
        }
        Some(cut)
    })
}

/// Writes a response of a header alone: the identifier, the opcode and "recursion desired" are
/// those of the query.
fn header_only(query: &[u8], code: u8) -> Vec<u8> {
    let mut header = vec![0; HEADER];
    header[..2].copy_from_slice(&query[..2]);
    header[2] = 0x80 | query[2] & 0x79;
    header[3] = code;
    header
}

/// Returns the question with its class, and the EDNS part; `None` if the message is malformed.
fn read_query(message: &Message<&[u8]>) -> Option<((OwnerName, u16, Class), Option<Edns>)> {
    let question = message.sole_question().ok()?;
    let (_, answer, authority, additional) = message.sections().ok()?;
    for record in answer.into_iter().chain(authority) {
        record.ok()?;
    }
    let mut edns = None;
    for record in additional {
        let record = record.ok()?;
        if record.rtype() != Rtype::OPT {
            continue;
        }
        // RFC 6891 section 6.1.1: at most one OPT record, at the root.
        if edns.is_some() || !record.owner().is_root() {
            return None;
        }
        let record = record.to_record::<Opt<_>>().ok()??;
        let [_, version, ..] = record.ttl().as_secs().to_be_bytes();
        edns = Some(Edns { size: record.class().to_int(), version });
    }
    let name: Name<Vec<u8>> = question.qname().to_vec();
    Some(((OwnerName::asked(name), question.qtype().to_int(), question.qclass()), edns))
}

/// Writes a response; `None` if it does not fit.
fn write_response(
    message: &Message<&[u8]>,
    reply: &Reply,
    edns: Option<&Edns>,
    limit: u16,
) -> Option<Vec<u8>> {
    let reserved = if edns.is_some() { OPT_OCTETS } else { 0 };
    let mut builder = MessageBuilder::from_target(TreeCompressor::new(Vec::new())).ok()?;
    builder.set_push_limit(usize::from(limit) - reserved);
    let mut answer = builder.start_answer(message, Rcode::masked_from_int(reply.code)).ok()?;
    answer.header_mut().set_aa(reply.authoritative);
    for record in &reply.answer {
        push_record(record, |parts| answer.push(parts))?;
    }
    let mut authority = answer.authority();
    for record in &reply.authority {
        push_record(record, |parts| authority.push(parts))?;
    }
    let mut additional = authority.additional();
    for record in &reply.additional {
        push_record(record, |parts| additional.push(parts))?;
    }
    if let Some(edns) = edns {
        additional.as_builder_mut().clear_push_limit();
        push_edns(&mut additional, reply, edns).ok()?;
    }
    let octets = additional.finish().into_target();
    (octets.len() <= usize::from(limit)).then_some(octets)
}

/// The parts of a record, in the types of the library.
type RecordParts<'r> = (&'r Name<Vec<u8>>, Class, Ttl, UnknownRecordData<&'r [u8]>);

/// Writes a record; `None` if it does not fit.
fn push_record<'r>(
    record: &'r SentRecord,
    push: impl FnOnce(RecordParts<'r>) -> Result<(), PushError>,
) -> Option<()> {
    let data = UnknownRecordData::from_octets(Rtype::from_int(record.kind), record.data.as_slice())
        .ok()?;
    push((&record.owner.wire, Class::IN, Ttl::from_secs(record.ttl), data)).ok()
}

/// Writes the OPT record.
fn push_edns(
    additional: &mut AdditionalBuilder<TreeCompressor<Vec<u8>>>,
    reply: &Reply,
    edns: &Edns,
) -> Result<(), PushError> {
    additional.opt(|opt| {
        opt.set_udp_payload_size(UDP_ANSWER);
        if edns.version > 0 {
            opt.set_rcode(OptRcode::BADVERS);
        }
        match reply.extended {
            Some(code) => opt.push_raw_option(OptionCode::EXTENDED_ERROR, 2, |target| {
                domain::dep::octseq::OctetsBuilder::append_slice(target, &code.to_be_bytes())
            }),
            None => Ok(()),
        }
    })
}
