//! The exact requests of a dry run.

use std::io::{self, Write};

use super::style::{BOLD, styled};
use crate::diagnostic::count;
use crate::render::safe::{visible, visible_json};
use crate::wire::Request;

/// Writes each request exactly as an apply would send it: method, path, query, body.
///
/// # Errors
/// The errors of the writer.
pub fn write_requests(out: &mut dyn Write, requests: &[Request], colour: bool) -> io::Result<()> {
    for request in requests {
        let Request { method, path, query, body } = request;
        let query: Vec<_> = query.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        writeln!(
            out,
            "{} {}",
            styled(method.as_str(), BOLD, colour),
            visible(&format!("{path}{query}"))
        )?;
        if let Some(body) = body {
            // The body is never cut: a dry run shows exactly the request that would be sent.
            writeln!(out, "{}", visible_json(&format!("{body:#}")))?;
        }
        writeln!(out)?;
    }
    writeln!(out, "Dry run: nothing was sent. {} would be.", count(requests.len(), "request"))
}
