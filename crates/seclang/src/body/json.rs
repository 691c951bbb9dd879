//! JSON bodies: each value that is not a container becomes an argument, such as
//! `json.items.array_0.name`.

/// Reads a body and passes each value with its name to `argument`, until `argument` refuses one.
/// Values before an error count.
pub(super) fn read_json(
    body: &[u8],
    depth: usize,
    argument: &mut dyn FnMut(&[u8], &[u8]) -> bool,
) -> Result<(), String> {
    let mut parser = JsonParser { body, at: 0, depth, open: Vec::new(), key: Vec::new(), argument };
    parser.value()?;
    while !parser.open.is_empty() {
        parser.step()?;
    }
    parser.blanks();
    if parser.at < body.len() { Err(parser.error("more after the value")) } else { Ok(()) }
}

struct JsonParser<'a> {
    body: &'a [u8],
    at: usize,
    depth: usize,
    open: Vec<Container>,
    /// The key of the next value.
    key: Vec<u8>,
    argument: &'a mut dyn FnMut(&[u8], &[u8]) -> bool,
}

struct Container {
    name: Vec<u8>,
    /// The number of the next element; `None` in an object.
    element: Option<usize>,
    /// True after the first member.
    begun: bool,
}

impl JsonParser<'_> {
    fn error(&self, what: &str) -> String {
        format!("JSON at byte {}: {what}", self.at)
    }

    fn blanks(&mut self) {
        while matches!(self.body.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_next = self.body.get(self.at) == Some(&byte);
        self.at += usize::from(is_next);
        is_next
    }

    /// Reads the next member of the innermost container, or its end.
    fn step(&mut self) -> Result<(), String> {
        self.blanks();
        let Some(container) = self.open.last_mut() else { return Ok(()) };
        let array = container.element.is_some();
        let begun = std::mem::replace(&mut container.begun, true);
        if self.take(if array { b']' } else { b'}' }) {
            self.open.pop();
            self.count();
            return Ok(());
        }
        if begun {
            if !self.take(b',') {
                return Err(self.error("expected a comma or the end"));
            }
            self.blanks();
        }
        if !array {
            if self.body.get(self.at) != Some(&b'"') {
                return Err(self.error("expected a key"));
            }
            self.key = self.string()?;
            self.blanks();
            if !self.take(b':') {
                return Err(self.error("expected a colon"));
            }
        }
        self.value()
    }

    /// Counts an element of an array that has ended.
    fn count(&mut self) {
        if let Some(Container { element: Some(element), .. }) = self.open.last_mut() {
            *element += 1;
        }
    }

    /// Returns the name of a value: empty in an array.
    fn name(&mut self) -> Vec<u8> {
        match self.open.last() {
            None => b"json".to_vec(),
            Some(_) if !self.key.is_empty() => std::mem::take(&mut self.key),
            Some(Container { element: Some(_), .. }) => Vec::new(),
            Some(_) => b"empty-key".to_vec(),
        }
    }

    fn value(&mut self) -> Result<(), String> {
        self.blanks();
        let Some(&first) = self.body.get(self.at) else {
            return Err(self.error("the value is missing"));
        };
        let value = match first {
            b'{' | b'[' => {
                self.at += 1;
                let name = self.name();
                self.open.push(Container {
                    name,
                    element: (first == b'[').then_some(0),
                    begun: false,
                });
                return if self.open.len() > self.depth {
                    Err(self.error("too deep"))
                } else {
                    Ok(())
                };
            }
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => self.number()?,
            _ => self.literal()?,
        };
        let mut path = Vec::new();
        for container in &self.open {
            path.extend_from_slice(&container.name);
            match container.element {
                Some(element) => path.extend_from_slice(format!(".array_{element}").as_bytes()),
                None => path.push(b'.'),
            }
        }
        if !matches!(self.open.last(), Some(Container { element: Some(_), .. })) {
            path.extend_from_slice(&self.name());
        }
        if !(self.argument)(&path, &value) {
            return Err(self.error("too many values"));
        }
        self.count();
        Ok(())
    }

    fn literal(&mut self) -> Result<Vec<u8>, String> {
        for (word, value) in [("true", "true"), ("false", "false"), ("null", "")] {
            if self.body[self.at..].starts_with(word.as_bytes()) {
                self.at += word.len();
                return Ok(value.as_bytes().to_vec());
            }
        }
        Err(self.error("not a value"))
    }

    fn digits(&mut self) -> bool {
        let start = self.at;
        while self.body.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        self.at > start
    }

    fn number(&mut self) -> Result<Vec<u8>, String> {
        let start = self.at;
        self.take(b'-');
        let mut complete = self.take(b'0') || self.digits();
        if self.take(b'.') {
            complete &= self.digits();
        }
        if matches!(self.body.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if !self.take(b'-') {
                self.take(b'+');
            }
            complete &= self.digits();
        }
        if complete {
            Ok(self.body[start..self.at].to_vec())
        } else {
            Err(self.error("not a number"))
        }
    }

    fn string(&mut self) -> Result<Vec<u8>, String> {
        self.at += 1;
        let mut out = Vec::new();
        loop {
            let Some(&byte) = self.body.get(self.at) else {
                return Err(self.error("the string has no end"));
            };
            self.at += 1;
            match byte {
                b'"' => break,
                b'\\' => self.escape(&mut out)?,
                0x00..0x20 => return Err(self.error("a control character in a string")),
                other => out.push(other),
            }
        }
        if std::str::from_utf8(&out).is_err() { Err(self.error("not UTF-8")) } else { Ok(out) }
    }

    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), String> {
        let escaped = self.body.get(self.at).copied();
        self.at += 1;
        out.push(match escaped {
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'b') => 0x08,
            Some(b'f') => 0x0C,
            Some(b'n') => b'\n',
            Some(b'r') => b'\r',
            Some(b't') => b'\t',
            Some(b'u') => {
                let mut code = self.hexadecimal()?;
                if (0xD800..0xDC00).contains(&code) && self.body[self.at..].starts_with(br"\u") {
                    self.at += 2;
                    let low = self.hexadecimal()?;
                    code = 0x1_0000 + ((code & 0x3FF) << 10) + (low & 0x3FF);
                }
                let char = char::from_u32(code).unwrap_or('?');
                out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => return Err(self.error("an unknown escape")),
        });
        Ok(())
    }

    fn hexadecimal(&mut self) -> Result<u32, String> {
        let digits = self
            .body
            .get(self.at..self.at + 4)
            .filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits
            .and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        self.at += 4;
        code.ok_or_else(|| "JSON: `\\u` without four digits".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(body: &str) -> (Vec<(String, String)>, bool) {
        let mut found = Vec::new();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let result = read_json(body.as_bytes(), 20, &mut |name, value| {
            found.push((text(name), text(value)));
            found.len() < 50
        });
        (found, result.is_ok())
    }

    fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    #[test]
    fn values_have_paths() {
        let (found, ok) =
            arguments(r#"{"a": 1, "b": [true, {"c": null}, ["x"]], "": "\u00e9\ud83d\ude00"}"#);
        assert!(ok);
        let expected = [
            ("json.a", "1"),
            ("json.b.array_0", "true"),
            ("json.b.array_1.c", ""),
            ("json.b.array_2.array_0", "x"),
            ("json.empty-key", "é😀"),
        ];
        assert_eq!(found, named(&expected));
        assert_eq!(arguments("[-1.5e3]"), (named(&[("json.array_0", "-1.5e3")]), true));
        assert_eq!(arguments("\"x\""), (named(&[("json", "x")]), true));
    }

    #[test]
    fn what_precedes_a_mistake_counts() {
        assert_eq!(arguments(r#"{"a": 1, "b": }"#), (named(&[("json.a", "1")]), false));
        for broken in [
            "",
            "{",
            "[1,]x",
            "[1] 2",
            "{\"a\" 1}",
            "[01]",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u12",
            "[\"\u{1}\"]",
            "nul",
            "-",
            "1.",
        ] {
            assert!(!arguments(broken).1, "{broken}");
        }
        assert!(!arguments(&"[".repeat(100_000)).1);
        assert!(!arguments(&format!("[{}1]", "1,".repeat(100))).1);
    }
}
