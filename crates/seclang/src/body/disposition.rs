//! The header that names a part of a multipart body.

/// The content of the header.
#[derive(Debug, Default)]
pub(super) struct Disposition {
    pub name: Option<Vec<u8>>,
    pub filename: Option<Vec<u8>>,
    /// All names, including names that an error follows.
    pub names: Vec<Vec<u8>>,
    pub filenames: Vec<Vec<u8>>,
}

/// Reads the header. Also returns true if it has quotes that parsers read differently.
pub(super) fn parse_disposition(
    header: &[u8],
    disposition: &mut Disposition,
) -> (Result<(), &'static str>, bool) {
    let mut parser = DispositionParser { rest: header, invalid_quoting: false };
    (parser.header(disposition), parser.invalid_quoting)
}

struct DispositionParser<'a> {
    rest: &'a [u8],
    invalid_quoting: bool,
}

const MISTAKE: &str = "a content disposition is malformed";

impl<'a> DispositionParser<'a> {
    fn header(&mut self, disposition: &mut Disposition) -> Result<(), &'static str> {
        self.rest = self.rest.strip_prefix(b"form-data").ok_or(MISTAKE)?;
        self.blanks();
        if self.rest.is_empty() {
            return Ok(());
        }
        self.rest = self.rest.strip_prefix(b";").ok_or(MISTAKE)?;
        let mut extended = false;
        while !self.rest.is_empty() {
            self.blanks();
            let name = self.take_while(|byte| !matches!(byte, b'=' | b'\t' | b' '));
            self.blanks();
            self.rest = self.rest.strip_prefix(b"=").ok_or(MISTAKE)?;
            self.blanks();
            let quote = self.rest.first().copied().ok_or(MISTAKE)?;
            let value = match quote {
                _ if name == b"filename*" => self.extended()?,
                b'"' | b'\'' => self.quoted(quote)?,
                _ => self.take_while(is_token_byte).to_vec(),
            };
            match name {
                b"name" | b"filename" => {
                    self.invalid_quoting |= quote != b'"' && value.contains(&b'\'');
                    let (known, all) = if name == b"name" {
                        (&mut disposition.name, &mut disposition.names)
                    } else {
                        (&mut disposition.filename, &mut disposition.filenames)
                    };
                    all.push(value.clone());
                    if known.is_some() {
                        return Err("a part has two names");
                    }
                    // An empty name counts as no name.
                    *known = Some(value).filter(|value| !value.is_empty());
                }
                b"filename*" if extended => return Err("a part has two names"),
                b"filename*" => extended = true,
                _ => return Err(MISTAKE),
            }
            self.blanks();
            if self.rest.is_empty() {
                break;
            }
            if self.rest[0] != b';' {
                self.invalid_quoting |= matches!(quote, b'"' | b'\'');
                return Err(MISTAKE);
            }
            self.rest = &self.rest[1..];
            if self.rest.iter().all(|byte| matches!(byte, b' ' | b'\t')) && !self.rest.is_empty() {
                return Err(MISTAKE);
            }
        }
        if extended && disposition.filename.is_none() {
            Err("a part has an extended file name only")
        } else {
            Ok(())
        }
    }

    fn blanks(&mut self) {
        self.take_while(|byte| matches!(byte, b' ' | b'\t'));
    }

    fn take_while(&mut self, is: impl Fn(u8) -> bool) -> &'a [u8] {
        let (taken, rest) =
            self.rest.split_at(self.rest.iter().take_while(|byte| is(**byte)).count());
        self.rest = rest;
        taken
    }

    /// Reads an extended value: `UTF-8'en'na%20me`.
    fn extended(&mut self) -> Result<Vec<u8>, &'static str> {
        let charset = self
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"!#$%&+-^_`{}~".contains(&byte));
        if charset.is_empty() {
            return Err(MISTAKE);
        }
        self.rest = self.rest.strip_prefix(b"'").ok_or(MISTAKE)?;
        self.take_while(|byte| byte != b'\'');
        self.rest = self.rest.strip_prefix(b"'").ok_or(MISTAKE)?;
        let value = self.take_while(|byte| byte != b';');
        let mut at = 0;
        while let Some(byte) = value.get(at) {
            match byte {
                b'%' if value
                    .get(at + 1..at + 3)
                    .is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) =>
                {
                    at += 3
                }
                byte if byte.is_ascii_alphanumeric() || b"!#$&+-.^_`~".contains(byte) => at += 1,
                _ => return Err(MISTAKE),
            }
        }
        Ok(value.to_vec())
    }

    fn quoted(&mut self, quote: u8) -> Result<Vec<u8>, &'static str> {
        self.invalid_quoting |= quote == b'\'';
        let mut value = Vec::new();
        let mut at = 1;
        if self.rest.len() == 1 {
            return Err(MISTAKE);
        }
        loop {
            match self.rest.get(at) {
                None => break,
                Some(b'\\') => match self.rest.get(at + 1) {
                    None => return Err(MISTAKE),
                    Some(&next) if next == quote || next == b'\\' => {
                        value.push(next);
                        at += 2;
                        continue;
                    }
                    // Some programs do not escape a backslash.
                    Some(_) => value.push(b'\\'),
                },
                Some(byte) if *byte == quote => break,
                Some(byte) => value.push(*byte),
            }
            at += 1;
        }
        self.rest = self.rest.get(at + 1..).unwrap_or_default();
        Ok(value)
    }
}

/// Returns true for a character of a token (RFC 2045).
fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?=".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &str) -> (Option<String>, Option<String>, bool, bool) {
        let mut disposition = Disposition::default();
        let (result, quoting) = parse_disposition(header.as_bytes(), &mut disposition);
        let text = |bytes: Option<Vec<u8>>| {
            bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        (text(disposition.name), text(disposition.filename), result.is_ok(), quoting)
    }

    #[test]
    fn names_are_read() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            read("form-data; name=\"a\\\"b\"; filename=\"c\\d\""),
            (some("a\"b"), some("c\\d"), true, false)
        );
        assert_eq!(read("form-data;name=a"), (some("a"), None, true, false));
        assert_eq!(read("form-data; name='a'"), (some("a"), None, true, true));
        assert_eq!(
            read("form-data; name=a; filename=b; filename*=UTF-8''%41"),
            (some("a"), some("b"), true, false)
        );
    }

    #[test]
    fn mistakes_are_noticed() {
        for broken in [
            "attachment; name=a",
            "form-data name=a",
            "form-data; name",
            "form-data; name=",
            "form-data; name=\"",
            "form-data; name=a; name=b",
            "form-data; name=a; x=b",
            "form-data; name=a; filename*=UTF-8''%41",
            "form-data; name=\"a\" filename=\"b\"",
        ] {
            assert!(!read(broken).2, "{broken}");
        }
        assert!(read("form-data; name=\"a\"x").3);
    }
}
