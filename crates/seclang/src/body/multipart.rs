//! Multipart bodies. The parser reports to the rules everything that parsers of applications could
//! read differently.
//!
//! The body is read in pieces, as libmodsecurity does: a line, or as much of a line as fits into
//! its buffer.

use super::super::decode::is_space;
use super::super::limits::{MULTIPART_PIECE, MULTIPART_TYPE};
use super::super::transaction::Transaction;
use super::super::variables::Collection;
use super::disposition::{self, Disposition};

#[derive(Debug, Default)]
struct Flags {
    error: bool,
    data_before: bool,
    data_after: bool,
    header_folding: bool,
    invalid_header_folding: bool,
    boundary_quoted: bool,
    boundary_whitespace: bool,
    crlf_line: bool,
    lf_line: bool,
    unmatched_boundary: u8,
    missing_semicolon: bool,
    invalid_quoting: bool,
    invalid_part: bool,
}

#[derive(Debug, Default)]
struct FormPart {
    headers: Vec<(Vec<u8>, Vec<u8>)>,
    /// Header lines as written.
    lines: Vec<Vec<u8>>,
    disposition: Disposition,
    in_data: bool,
    data_seen: bool,
    data: Vec<u8>,
    /// The last line end, which belongs to the data unless a boundary follows.
    reserve: Vec<u8>,
}

#[derive(Debug, Default)]
struct MultipartReader {
    boundary: Vec<u8>,
    flags: Flags,
    part: Option<FormPart>,
    parts: Vec<FormPart>,
    boundaries: usize,
    complete: bool,
    error: Option<String>,
    /// True if the previous piece ended with a line feed.
    line_start: bool,
    /// True if that line feed had no carriage return.
    after_lf: bool,
    length_without_files: usize,
}

/// Reads a body and sets its variables.
pub(super) fn read_multipart(
    transaction: &mut Transaction<'_>,
    content_type: &[u8],
    body: &[u8],
    longest: usize,
) -> Result<(), String> {
    let mut reader = MultipartReader { line_start: true, ..MultipartReader::default() };
    match reader.read_type(content_type) {
        Err(message) => {
            reader.flags.error = true;
            reader.error = Some(message.to_owned());
        }
        Ok(()) => {
            if let Err(message) = reader.read_body(transaction, body) {
                reader.flags.error = true;
                reader.error = Some(message.to_owned());
            }
            reader.finish(transaction, body);
        }
    }
    reader.set_flags(transaction);
    if reader.complete {
        reader.set_parts(transaction);
    }
    match reader.error {
        Some(message) => Err(format!("multipart: {message}")),
        None if reader.length_without_files > longest => Err("the body is too long".to_owned()),
        None => Ok(()),
    }
}

impl MultipartReader {
    /// Takes the boundary from the content type.
    fn read_type(&mut self, header: &[u8]) -> Result<(), &'static str> {
        const KIND: &[u8] = b"multipart/form-data";
        if header.len() > MULTIPART_TYPE {
            return Err("the content type is too long");
        }
        if !header.to_ascii_lowercase().starts_with(KIND) {
            return Err("not a form");
        }
        if boundary_parameters(header) > 1 {
            return Err("several boundaries in the content type");
        }
        let start =
            memchr::memmem::find(header, b"boundary").ok_or("no boundary in the content type")?;
        let mut semicolon = false;
        for byte in header[KIND.len()..]
            .iter()
            .take(start.saturating_sub(KIND.len()))
            .filter(|byte| !is_space(**byte))
        {
            if semicolon || *byte != b';' {
                return Err("the content type is malformed");
            }
            semicolon = true;
        }
        self.flags.missing_semicolon = !semicolon;
        let tail = &header[start + b"boundary".len()..];
        let equals =
            tail.iter().position(|byte| *byte == b'=').ok_or("the boundary has no value")?;
        if !tail[..equals].iter().all(|byte| is_space(*byte)) {
            return Err("the boundary has another name");
        }
        let value = &tail[equals + 1..];
        self.flags.boundary_whitespace =
            equals > 0 || value.first().is_some_and(|byte| is_space(*byte));
        let boundary = match value {
            [b'"', inner @ .., b'"'] => {
                self.flags.boundary_quoted = true;
                inner
            }
            [b'"', ..] | [.., b'"'] if value.len() >= 2 || value == b"\"" => {
                return Err("the boundary has one quote");
            }
            plain => plain,
        };
        if boundary_parameters(boundary) > 0 {
            return Err("the boundary contains a boundary");
        }
        let mut boundary = boundary;
        if !is_boundary(boundary) {
            // Some programs add a character set.
            boundary = &boundary
                [..boundary.iter().position(|byte| *byte == b';').unwrap_or(boundary.len())];
        }
        if !is_boundary(boundary) || boundary.is_empty() {
            return Err("the boundary has invalid characters");
        }
        self.boundary = boundary.to_vec();
        Ok(())
    }

    fn read_body(
        &mut self,
        transaction: &mut Transaction<'_>,
        body: &[u8],
    ) -> Result<(), &'static str> {
        let mut at = 0;
        while at < body.len() {
            let window = &body[at..body.len().min(at + MULTIPART_PIECE)];
            let mut end = memchr::memchr(b'\n', window).map_or(window.len(), |end| end + 1);
            let line = window[end - 1] == b'\n';
            if !line && end < MULTIPART_PIECE {
                // The last line has no line end; it can only be the final boundary.
                return Ok(());
            }
            if !line && window[end - 1] == b'\r' {
                end -= 1;
            }
            let piece = &window[..end];
            at += end;
            self.piece(transaction, piece, line)?;
            self.after_lf = line && !piece.ends_with(b"\r\n");
            self.line_start = line;
            if self.complete && at < body.len() {
                self.flags.data_after = true;
                return Ok(());
            }
        }
        Ok(())
    }

    fn piece(
        &mut self,
        transaction: &mut Transaction<'_>,
        piece: &[u8],
        line: bool,
    ) -> Result<(), &'static str> {
        if self.line_start && piece.len() > 3 && piece.starts_with(b"--") {
            if piece[2..].starts_with(&self.boundary) {
                if self.after_lf {
                    self.flags.lf_line = true;
                }
                if self.boundaries > 0 && self.part.as_ref().is_none_or(|part| !part.data_seen) {
                    self.flags.invalid_part = true;
                } else {
                    return self.boundary(transaction, &piece[2 + self.boundary.len()..]);
                }
            } else {
                let tail = &piece[2..];
                if self.flags.boundary_quoted
                    && tail.first() == Some(&b'"')
                    && tail[1..].starts_with(&self.boundary)
                {
                    return Err("a boundary in quotes");
                }
                let blanks = tail.iter().take_while(|byte| is_space(**byte)).count();
                if blanks > 0 && tail[blanks..].starts_with(&self.boundary) {
                    return Err("a boundary after white space");
                }
                self.flags.unmatched_boundary = 1;
            }
        } else if self.line_start {
            let inside = memchr::memmem::find_iter(piece, b"--")
                .any(|at| piece[at + 2..].starts_with(&self.boundary));
            if inside {
                self.flags.unmatched_boundary = 1;
            }
        }
        let Some(mut part) = self.part.take() else {
            self.flags.data_before = true;
            return Ok(());
        };
        let result = if part.in_data {
            self.data(&mut part, piece);
            Ok(())
        } else if line {
            self.header(transaction, &mut part, piece);
            Ok(())
        } else {
            Err("a header of a part is too long")
        };
        self.part = Some(part);
        result
    }

    fn boundary(
        &mut self,
        transaction: &mut Transaction<'_>,
        rest: &[u8],
    ) -> Result<(), &'static str> {
        if self.boundaries > 0 {
            self.flags.unmatched_boundary = 2;
        }
        let last = rest.starts_with(b"--");
        match &rest[if last { 2 } else { 0 }..] {
            b"\r\n" => self.flags.crlf_line = true,
            b"\n" => self.flags.lf_line = true,
            _ => return Err("more after a boundary"),
        }
        self.end_part(transaction);
        if last {
            self.complete = true;
        } else {
            self.part = Some(FormPart::default());
        }
        self.boundaries += 1;
        Ok(())
    }

    fn end_part(&mut self, transaction: &mut Transaction<'_>) {
        let Some(part) = self.part.take() else { return };
        let Some(name) = &part.disposition.name else {
            self.flags.invalid_part = true;
            for line in &part.lines {
                transaction.add(Collection::MultipartPartHeaders, b"", line);
            }
            return;
        };
        for line in &part.lines {
            transaction.add(Collection::MultipartPartHeaders, name, line);
        }
        self.parts.push(part);
    }

    fn data(&mut self, part: &mut FormPart, piece: &[u8]) {
        part.data_seen = true;
        if part.disposition.filename.is_none() {
            self.length_without_files += piece.len();
        }
        let length = piece.len()
            - match piece {
                [.., b'\r', b'\n'] => 2,
                [.., b'\n'] => 1,
                _ => 0,
            };
        part.data.append(&mut part.reserve);
        part.data.extend_from_slice(&piece[..length]);
        part.reserve.extend_from_slice(&piece[length..]);
    }

    /// Records an error in a header; reading continues.
    fn malformed(&mut self, message: &str) {
        self.error = Some(message.to_owned());
    }

    fn header(&mut self, transaction: &mut Transaction<'_>, part: &mut FormPart, piece: &[u8]) {
        if piece.contains(&0) {
            return self.malformed("a zero byte in a header of a part");
        }
        self.length_without_files += piece.len();
        if piece.ends_with(b"\r\n") {
            self.flags.crlf_line = true;
        } else {
            self.flags.lf_line = true;
        }
        let line = piece.strip_suffix(b"\n").unwrap_or(piece);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            self.end_headers(transaction, part);
        } else if is_space(line[0]) {
            self.folded(part, line);
        } else {
            // Rules about headers also see invalid headers.
            part.lines.push(line.to_vec());
            let Some(colon) = line.iter().position(|byte| *byte == b':') else {
                return self.malformed("a header of a part has no colon");
            };
            let name = &line[..colon];
            if name.is_empty() || !name.iter().all(u8::is_ascii_graphic) {
                return self.malformed("a header of a part has an invalid name");
            }
            let value = line[colon + 1..].trim_ascii_start();
            if part.headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
                // Such a header is ignored, and is no error.
                return;
            }
            part.headers.push((name.to_vec(), value.to_vec()));
        }
    }

    fn folded(&mut self, part: &mut FormPart, line: &[u8]) {
        self.flags.header_folding = true;
        let blanks = line.iter().take_while(|byte| is_space(**byte)).count();
        if line[..blanks].iter().any(|byte| !matches!(byte, b' ' | b'\t')) {
            self.flags.invalid_header_folding = true;
        }
        let (Some((name, value)), Some(last)) = (part.headers.last_mut(), part.lines.last_mut())
        else {
            return self.malformed("a header of a part continues nothing");
        };
        value.push(b' ');
        value.extend_from_slice(&line[blanks..]);
        *last = [name.as_slice(), b": ", value].concat();
        if value.len() > MULTIPART_PIECE {
            self.malformed("a header of a part is too long");
        }
    }

    fn end_headers(&mut self, transaction: &mut Transaction<'_>, part: &mut FormPart) {
        let header = part
            .headers
            .iter()
            .find(|(name, _)| name.eq_ignore_ascii_case(b"content-disposition"))
            .map(|(_, value)| value.clone());
        let Some(header) = header else {
            return self.malformed("a part has no content disposition");
        };
        let (parsed, invalid_quoting) =
            disposition::parse_disposition(&header, &mut part.disposition);
        self.flags.invalid_quoting |= invalid_quoting;
        for name in &part.disposition.names {
            transaction.add_name(Collection::MultipartName, name);
        }
        for name in &part.disposition.filenames {
            transaction.add_name(Collection::MultipartFileName, name);
        }
        if let Err(message) = parsed {
            return self.malformed(message);
        }
        if part.disposition.name.is_none() {
            return self.malformed("a part has no name");
        }
        if part.disposition.filename.is_some()
            && memchr::memmem::find(&header, b"filename=").is_none()
        {
            return self.malformed("a file of a part is named strangely");
        }
        part.in_data = true;
    }

    /// Ends the last part, whose boundary needs no line end.
    fn finish(&mut self, transaction: &mut Transaction<'_>, body: &[u8]) {
        if body.is_empty() || self.complete || self.error.is_some() && self.flags.error {
            return;
        }
        if self.boundaries == 0 {
            return self.malformed("the body has no boundary");
        }
        let start = memchr::memrchr(b'\n', body).map_or(0, |end| end + 1);
        let last = [b"--".as_slice(), &self.boundary, b"--"].concat();
        if body[start..] != last[..] {
            return self.malformed("the final boundary is missing");
        }
        if self.after_lf {
            self.flags.lf_line = true;
        }
        if self.part.as_ref().is_none_or(|part| !part.data_seen) {
            self.flags.invalid_part = true;
        }
        self.end_part(transaction);
        self.complete = true;
    }

    fn set_flags(&self, transaction: &mut Transaction<'_>) {
        let flags = &self.flags;
        let strict = flags.error
            || flags.boundary_quoted
            || flags.boundary_whitespace
            || flags.data_before
            || flags.data_after
            || flags.header_folding
            || flags.lf_line
            || flags.missing_semicolon
            || flags.invalid_quoting
            || flags.invalid_part
            || flags.invalid_header_folding;
        for (collection, flag) in [
            (Collection::MultipartStrictError, strict),
            (Collection::MultipartDataBefore, flags.data_before),
            (Collection::MultipartDataAfter, flags.data_after),
            (Collection::MultipartBoundaryQuoted, flags.boundary_quoted),
            (Collection::MultipartBoundaryWhitespace, flags.boundary_whitespace),
            (Collection::MultipartHeaderFolding, flags.header_folding),
            (Collection::MultipartInvalidHeaderFolding, flags.invalid_header_folding),
            (Collection::MultipartLfLine, flags.lf_line),
            (Collection::MultipartCrlfLfLines, flags.crlf_line && flags.lf_line),
            (Collection::MultipartMissingSemicolon, flags.missing_semicolon),
            (Collection::MultipartInvalidQuoting, flags.invalid_quoting),
            (Collection::MultipartInvalidPart, flags.invalid_part),
            (Collection::MultipartFileLimitExceeded, false),
        ] {
            transaction.set_flag(collection, flag);
        }
        transaction.set(
            Collection::MultipartUnmatchedBoundary,
            flags.unmatched_boundary.to_string().as_bytes(),
        );
    }

    fn set_parts(&self, transaction: &mut Transaction<'_>) {
        let mut combined = 0;
        for part in &self.parts {
            let name = part.disposition.name.as_deref().unwrap_or_default();
            if let Some(filename) = &part.disposition.filename {
                combined += part.data.len();
                transaction.add(Collection::Files, name, filename);
                transaction.add_name(Collection::FilesNames, name);
                transaction.add(
                    Collection::FilesSizes,
                    name,
                    part.data.len().to_string().as_bytes(),
                );
                transaction.set(Collection::FilesCombinedSize, combined.to_string().as_bytes());
                if transaction.set.reads_files {
                    transaction.add(Collection::FilesTmpContent, name, &part.data);
                }
            } else {
                transaction.add_argument(
                    name,
                    &part.data,
                    Some((Collection::ArgsPost, Collection::ArgsPostNames)),
                    false,
                );
            }
        }
    }
}

/// Counts the occurrences of `boundary` in a content type with an equals sign somewhere after them.
fn boundary_parameters(header: &[u8]) -> usize {
    let lower = header.to_ascii_lowercase();
    memchr::memmem::find_iter(&lower, b"boundary")
        .filter(|at| lower[at + 8..].contains(&b'='))
        .count()
}

/// Returns true if a boundary consists of characters that RFC 2046 allows.
fn is_boundary(boundary: &[u8]) -> bool {
    boundary.last() != Some(&b' ')
        && boundary
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b" '()+_,-./:=?".contains(byte))
}
