//! XML bodies: the text of the document (`XML:/*`) and the values of its attributes (`XML://@*`).

use super::super::limits::XML_DEPTH;
use super::super::transaction::Transaction;
use super::super::variables::Collection;

/// Reads a body. Values before an error count, because lenient parsers of applications use them
/// too.
pub(super) fn read_xml(transaction: &mut Transaction<'_>, body: &[u8]) -> Result<(), String> {
    let mut document = XmlDocument::default();
    let result = XmlParser { body, at: 0 }.document(&mut document);
    if document.begun {
        transaction.add(Collection::Xml, b"/*", &document.text);
    }
    for value in &document.attributes {
        transaction.add(Collection::Xml, b"//@*", value);
    }
    result
}

#[derive(Debug, Default)]
struct XmlDocument {
    begun: bool,
    text: Vec<u8>,
    attributes: Vec<Vec<u8>>,
    /// Internal entities, by name.
    entities: Vec<(Vec<u8>, Vec<u8>)>,
}

struct XmlParser<'a> {
    body: &'a [u8],
    at: usize,
}

impl<'a> XmlParser<'a> {
    fn error<T>(&self, what: &str) -> Result<T, String> {
        Err(format!("XML at byte {}: {what}", self.at))
    }

    fn rest(&self) -> &'a [u8] {
        &self.body[self.at..]
    }

    fn take(&mut self, text: &[u8]) -> bool {
        let is_next = self.rest().starts_with(text);
        self.at += if is_next { text.len() } else { 0 };
        is_next
    }

    fn blanks(&mut self) -> bool {
        let start = self.at;
        while matches!(self.body.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
        self.at > start
    }

    /// Skips everything up to and including a mark, and returns it.
    fn until(&mut self, mark: &[u8]) -> Result<&'a [u8], String> {
        match memchr::memmem::find(self.rest(), mark) {
            Some(length) => {
                let text = &self.rest()[..length];
                self.at += length + mark.len();
                Ok(text)
            }
            None => self.error("something has no end"),
        }
    }

    fn name(&mut self) -> Result<&'a [u8], String> {
        let is_name = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'-' | b'.' | 0x80..)
        };
        let length = self.rest().iter().take_while(|byte| is_name(byte)).count();
        let name = &self.rest()[..length];
        if name.first().is_none_or(|byte| byte.is_ascii_digit() || matches!(byte, b'-' | b'.')) {
            return self.error("expected a name");
        }
        self.at += length;
        Ok(name)
    }

    fn document(mut self, document: &mut XmlDocument) -> Result<(), String> {
        self.take(b"\xEF\xBB\xBF");
        let mut open: Vec<&[u8]> = Vec::new();
        loop {
            if open.is_empty() {
                self.blanks();
            }
            if self.at == self.body.len() {
                break;
            }
            if self.take(b"<!--") {
                self.until(b"-->")?;
            } else if self.take(b"<?") {
                self.until(b"?>")?;
            } else if !document.begun && self.take(b"<!DOCTYPE") {
                self.declarations(document)?;
            } else if !open.is_empty() && self.take(b"<![CDATA[") {
                let text = self.until(b"]]>")?;
                push_text(&mut document.text, text);
            } else if self.take(b"</") {
                let name = self.name()?;
                self.blanks();
                if open.pop() != Some(name) || !self.take(b">") {
                    return self.error("an end tag does not fit");
                }
            } else if self.take(b"<") {
                if document.begun && open.is_empty() {
                    return self.error("a second root");
                }
                document.begun = true;
                let name = self.name()?;
                if self.attributes(document)? {
                    open.push(name);
                }
                if open.len() > XML_DEPTH {
                    return self.error("too deep");
                }
            } else if open.is_empty() {
                return self.error("text outside of the root");
            } else {
                let length = memchr::memchr2(b'<', b'&', self.rest()).unwrap_or(self.rest().len());
                push_text(&mut document.text, &self.rest()[..length]);
                self.at += length;
                if self.take(b"&") {
                    let mut text = std::mem::take(&mut document.text);
                    let result = self.reference(document, &mut text);
                    document.text = text;
                    result?;
                }
            }
        }
        if document.begun && open.is_empty() {
            Ok(())
        } else {
            self.error("the document has no end")
        }
    }

    /// Reads the attributes of a start tag and its end. Returns true if the element stays open.
    fn attributes(&mut self, document: &mut XmlDocument) -> Result<bool, String> {
        loop {
            let separated = self.blanks();
            if self.take(b"/>") {
                return Ok(false);
            }
            if self.take(b">") {
                return Ok(true);
            }
            if !separated {
                return self.error("expected the end of the tag");
            }
            let name = self.name()?;
            self.blanks();
            if !self.take(b"=") {
                return self.error("an attribute has no value");
            }
            self.blanks();
            let value = self.quoted(document)?;
            // Declarations of namespaces are not attributes.
            if name != b"xmlns" && !name.starts_with(b"xmlns:") {
                document.attributes.push(value);
            }
        }
    }

    fn quoted(&mut self, document: &XmlDocument) -> Result<Vec<u8>, String> {
        let Some(&quote @ (b'"' | b'\'')) = self.body.get(self.at) else {
            return self.error("a value has no quotes");
        };
        self.at += 1;
        let mut value = Vec::new();
        loop {
            let length = memchr::memchr3(quote, b'&', b'<', self.rest());
            let Some(length) = length else { return self.error("a value has no end") };
            // Line ends and tabs become spaces in a value.
            value.extend(
                self.rest()[..length]
                    .iter()
                    .map(|byte| if matches!(byte, b'\t' | b'\n' | b'\r') { b' ' } else { *byte }),
            );
            self.at += length;
            match self.body[self.at] {
                b'&' => {
                    self.at += 1;
                    self.reference(document, &mut value)?;
                }
                byte if byte == quote => {
                    self.at += 1;
                    return Ok(value);
                }
                _ => return self.error("`<` in a value"),
            }
        }
    }

    /// Reads a reference after its `&`.
    fn reference(&mut self, document: &XmlDocument, out: &mut Vec<u8>) -> Result<(), String> {
        if self.take(b"#") {
            let radix = if self.take(b"x") { 16 } else { 10 };
            let digits = self.until(b";")?;
            let code = std::str::from_utf8(digits)
                .ok()
                .and_then(|digits| u32::from_str_radix(digits, radix).ok());
            let Some(char) = code.and_then(char::from_u32).filter(|char| *char != '\0') else {
                return self.error("not a character");
            };
            out.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
            return Ok(());
        }
        let name = self.name()?;
        if !self.take(b";") {
            return self.error("a reference has no end");
        }
        match name {
            b"lt" => out.push(b'<'),
            b"gt" => out.push(b'>'),
            b"amp" => out.push(b'&'),
            b"apos" => out.push(b'\''),
            b"quot" => out.push(b'"'),
            // The value is not expanded again, so that nested entities stay small.
            name => match document.entities.iter().find(|(known, _)| known == name) {
                Some((_, text)) => out.extend_from_slice(text),
                None => return self.error("an unknown entity"),
            },
        }
        Ok(())
    }

    /// Reads a document type after `<!DOCTYPE`. External entities are empty: nothing is fetched.
    fn declarations(&mut self, document: &mut XmlDocument) -> Result<(), String> {
        while !matches!(self.body.get(self.at), Some(b'[' | b'>')) {
            match self.body.get(self.at) {
                Some(quote @ (b'"' | b'\'')) => {
                    self.at += 1;
                    self.until(&[*quote])?;
                }
                Some(_) => self.at += 1,
                None => return self.error("the document type has no end"),
            }
        }
        if self.take(b">") {
            return Ok(());
        }
        self.at += 1;
        loop {
            self.blanks();
            if self.take(b"]") {
                self.blanks();
                return if self.take(b">") {
                    Ok(())
                } else {
                    self.error("the document type has no end")
                };
            }
            if self.take(b"<!--") {
                self.until(b"-->")?;
            } else if self.take(b"<!ENTITY") {
                self.blanks();
                if self.take(b"%") {
                    self.until(b">")?;
                    continue;
                }
                let name = self.name()?.to_vec();
                self.blanks();
                let value = match self.body.get(self.at) {
                    Some(b'"' | b'\'') => {
                        let quote = self.body[self.at];
                        self.at += 1;
                        self.until(&[quote])?.to_vec()
                    }
                    _ => Vec::new(),
                };
                self.until(b">")?;
                document.entities.push((name, value));
            } else if self.take(b"<!") || self.take(b"<?") {
                self.until(b">")?;
            } else if self.take(b"%") {
                self.until(b";")?;
            } else {
                return self.error("an unknown declaration");
            }
        }
    }
}

/// Appends text with line feeds as its only line ends (XML 1.0, section 2.11).
fn push_text(out: &mut Vec<u8>, text: &[u8]) {
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            b'\r' if text.get(at + 1) == Some(&b'\n') => {}
            b'\r' => out.push(b'\n'),
            byte => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> (String, Vec<String>, bool) {
        let mut document = XmlDocument::default();
        let ok = XmlParser { body: body.as_bytes(), at: 0 }.document(&mut document).is_ok();
        let text = |bytes: &Vec<u8>| String::from_utf8_lossy(bytes).into_owned();
        (text(&document.text), document.attributes.iter().map(text).collect(), ok)
    }

    #[test]
    fn text_and_attributes_are_found() {
        let body = "<?xml version='1.0'?><!DOCTYPE a [<!ENTITY e 'x'><!ENTITY f SYSTEM 'file:///etc/passwd'>]>\
                    <a b='1&lt;' xmlns='u'>t<!-- c --><c d=\"2\n3\"/>&#x41;&e;&f;<![CDATA[<&]]></a>\n";
        assert_eq!(parse("<a>1\r\n2\r3<![CDATA[\r\n]]></a>"), ("1\n2\n3\n".into(), vec![], true));
        assert_eq!(parse(body), ("tAx<&".into(), vec!["1<".into(), "2 3".into()], true));
    }

    #[test]
    fn what_precedes_a_mistake_counts() {
        assert_eq!(parse("<a>x<b></a>"), ("x".into(), vec![], false));
        for broken in [
            "",
            "x",
            "<a",
            "<a>",
            "<a/><b/>",
            "<a b=1/>",
            "<a b='1'c='2'/>",
            "<a>&x;</a>",
            "<a>&#0;</a>",
            "<a/>x",
            "<!DOCTYPE",
        ] {
            assert!(!parse(broken).2, "{broken}");
        }
        assert!(!parse(&"<a>".repeat(100_000)).2);
    }
}
