//! The name server of the sandbox: authoritative answers over UDP and TCP for the zones of the
//! store.
//!
//! ```text
//!  UDP, TCP ──listener─▶ message ─▶ answer ─▶ zones ⇄ store
//!                        (bytes)    (RFC 1034)  │
//!                                               └─ rdata · svcb · edge (records as octets)
//! ```
//!
//! It answers as Cloudflare documents it for a zone with these records and settings; what is not
//! documented is marked `ASSUMED:`. It asks no other name server: an alias that is flattened and
//! leads outside the zones of the sandbox gets "server failure" with an extended error (RFC 8914).
//! It signs nothing, whatever the DNSSEC state of a zone.

mod answer;
mod edge;
mod listener;
mod message;
mod rdata;
mod svcb;
mod zones;

use std::sync::{Arc, Mutex, PoisonError};

use super::server::Service;
use answer::Reply;
use zones::{Cache, Contents, OwnerName};

pub use edge::is_edge;
pub(super) use listener::{Listener, listen};

/// The state that the listeners share.
pub(super) struct NameServer {
    /// The zones.
    service: Arc<Service>,
    /// The queried zones, as of the last change of the store.
    cache: Mutex<Cache>,
}

impl NameServer {
    /// Returns a name server for the zones of a service.
    pub(super) fn new(service: Arc<Service>) -> Self {
        Self { service, cache: Mutex::default() }
    }

    /// Returns the response to a message; `None` if the message must not be answered.
    fn respond(&self, message: &[u8], transport: message::Transport) -> Option<Vec<u8>> {
        message::respond_to_message(message, transport, |owner, kind| self.answer(owner, kind))
    }

    fn answer(&self, owner: OwnerName, kind: u16) -> Reply {
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let reply = self.service.read(0, |context| {
            cache.refresh(context.connection)?;
            answer::authoritative_answer(
                &mut Contents { connection: context.connection, cache: &mut cache },
                owner,
                kind,
            )
        });
        reply.unwrap_or_else(|error: rusqlite::Error| {
            tracing::error!(%error, "the name server cannot read the store");
            Reply::failure()
        })
    }
}
