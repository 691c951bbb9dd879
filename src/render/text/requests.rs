//! The exact requests of a dry run.

use std::io::{self, Write};

use super::layout::{BOLD, styled};
use crate::render::safe::safe;
use crate::wire::Request;

/// Writes each request as it would be sent: method, path, query, body.
///
/// # Errors
/// Those of the writer.
pub fn write_requests(out: &mut dyn Write, requests: &[Request], colour: bool) -> io::Result<()> {
    for request in requests {
        let Request { method, path, query, body } = request;
        let query: Vec<_> = query.iter().map(|(n, v)| format!("{n}={v}")).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        writeln!(out, "{} {}", styled(method.as_str(), BOLD, colour), safe(&format!("{path}{query}")))?;
        if let Some(body) = body {
            // JSON escapes control characters itself; other hidden characters are escaped line by line.
            for line in format!("{body:#}").lines() {
                writeln!(out, "{}", escape_line(line))?;
            }
        }
        writeln!(out)?;
    }
    writeln!(out, "Dry run: nothing was sent. {} would be.", super::layout::count(requests.len(), "request"))
}

/// A line of JSON with hidden characters as JSON escapes, never cut.
fn escape_line(line: &str) -> String {
    line.chars()
        .flat_map(|c| {
            let mut units = [0; 2];
            let text: String = if crate::render::safe::is_hidden(c) {
                c.encode_utf16(&mut units).iter().map(|u| format!("\\u{u:04x}")).collect()
            } else {
                c.to_string()
            };
            text.chars().collect::<Vec<_>>()
        })
        .collect()
}
