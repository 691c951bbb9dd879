//! The variables of a request's body, read by the processor that its content type or a rule
//! selects.

mod disposition;
mod json;
mod multipart;
mod xml;

use super::Request;
use super::request::arguments;
use super::transaction::Transaction;
use super::variables::Collection;

/// Reads the body. Rules learn of an error by `REQBODY_ERROR`.
pub(super) fn read_body(transaction: &mut Transaction<'_>, request: &Request) {
    let limits = transaction.set.limits.clone();
    let body = &request.body[..request.body.len().min(limits.body)];
    if body.len() < request.body.len() {
        transaction.set_flag(Collection::InboundDataError, true);
    }
    let processor =
        transaction.first(Collection::ReqbodyProcessor, "").map(<[u8]>::to_vec).unwrap_or_default();
    let parsed = match processor.as_slice() {
        b"URLENCODED" | b"JSON" | b"XML" if body.len() > limits.body_without_files => {
            Err("the body is too long".to_owned())
        }
        b"URLENCODED" => {
            arguments(transaction, body, (Collection::ArgsPost, Collection::ArgsPostNames));
            Ok(())
        }
        b"JSON" if body.is_empty() => Ok(()),
        b"JSON" => json::read_json(body, limits.json_depth, &mut |name, value| {
            transaction.add_argument(name, value, None, true)
        }),
        b"XML" => xml::read_xml(transaction, body),
        b"MULTIPART" => {
            let content_type = transaction
                .first(Collection::RequestHeaders, "content-type")
                .map(<[u8]>::to_vec)
                .unwrap_or_default();
            multipart::read_multipart(transaction, &content_type, body, limits.body_without_files)
        }
        _ => Ok(()),
    };
    transaction.set_flag(Collection::ReqbodyError, parsed.is_err());
    transaction.set_flag(Collection::ReqbodyProcessorError, parsed.is_err());
    if let Err(message) = parsed {
        transaction.set(Collection::ReqbodyErrorMsg, message.as_bytes());
        transaction.set(Collection::ReqbodyProcessorErrorMsg, message.as_bytes());
    }
    if !body.is_empty() {
        transaction.set(Collection::RequestBody, body);
        transaction.set(Collection::RequestBodyLength, body.len().to_string().as_bytes());
    }
}
