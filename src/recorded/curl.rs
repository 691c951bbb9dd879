//! Reads a request from a `curl` command line, as browsers copy it.
//!
//! # Sources
//! curl.se/docs/manpage.html, read 2026-11-22: `-d` makes a POST with
//! `application/x-www-form-urlencoded`, several are joined by `&`, `-G` puts them into the query;
//! `--json` sets both content types; `-F` makes a POST with `multipart/form-data`,
//! `--data-urlencode` encodes what follows the first equals sign; `--compressed` asks for packed
//! answers.

use std::iter::Peekable;
use std::str::Chars;

use data_encoding::BASE64;

use crate::model::request::{Body, Request, RequestError, clip};
use crate::model::{is_unreserved, percent_encoded};

/// Options without an argument that do not affect rules.
const IGNORED: &[&str] = &[
    "-s",
    "--silent",
    "-S",
    "--show-error",
    "-v",
    "--verbose",
    "-k",
    "--insecure",
    "-L",
    "--location",
    "-i",
    "--include",
    "-f",
    "--fail",
    "-#",
    "--progress-bar",
    "-N",
    "--no-buffer",
    "--globoff",
    "-g",
    "--path-as-is",
    "-4",
    "-6",
    "--ipv4",
    "--ipv6",
    "-j",
    "--junk-session-cookies",
    "-O",
    "--remote-name",
    "-J",
    "--remote-header-name",
    "-R",
    "--remote-time",
    "-q",
    "--disable",
    "--fail-with-body",
    "--location-trusted",
    "--no-progress-meter",
    "--no-keepalive",
    "--tlsv1.2",
    "--tlsv1.3",
    "--tcp-nodelay",
];

/// Options with an argument that do not affect rules.
const IGNORED_WITH_ARGUMENT: &[&str] = &[
    "-o",
    "--output",
    "-m",
    "--max-time",
    "--connect-timeout",
    "--retry",
    "-w",
    "--write-out",
    "--cacert",
    "-x",
    "--proxy",
    "--resolve",
    "-D",
    "--dump-header",
    "-c",
    "--cookie-jar",
    "-E",
    "--cert",
    "--key",
    "--ciphers",
    "--interface",
    "--limit-rate",
    "--max-redirs",
    "--retry-delay",
    "--retry-max-time",
    "--connect-to",
    "--dns-servers",
    "--capath",
];

/// Boundary of a form, as long as the random boundary of `curl`.
const BOUNDARY: &str = "------------------------0123456789abcdefghijkl";

/// Reads a request from a `curl` command. All headers are known, except the user agent if the
/// command does not set it.
///
/// # Errors
/// Fails if the text is not a `curl` command with one address, or if the effect of an option is
/// unknown here, for example because the option reads a file.
pub fn parse_curl(command: &str) -> Result<Request, RequestError> {
    let help = "write a `curl` command with one address, as a browser copies it";
    // Browsers continue lines with a backslash.
    let command = command.replace("\\\r\n", " ").replace("\\\n", " ");
    if ["curl ^\"", "curl.exe ^\""].iter().any(|start| command.trim_start().starts_with(start)) {
        let help = "copy it as cURL (bash)";
        return Err(RequestError::new(
            "the command is quoted for the Windows command prompt",
            help,
        ));
    }
    let command = without_ansi_c(&command)?;
    let words = shlex::split(&command)
        .ok_or_else(|| RequestError::new("the command has an open quote", help))?;
    let mut words = words.into_iter();
    if words.next().as_deref() != Some("curl") {
        return Err(RequestError::new("the command is not `curl`", help));
    }
    let mut read = Read::default();
    let mut are_options_over = false;
    while let Some(word) = words.next() {
        if are_options_over || !word.starts_with('-') || word == "-" {
            read.address(word)?;
        } else if word == "--" {
            are_options_over = true;
        } else {
            let (option, mut argument) = split_option(&word);
            let mut take_argument = || {
                let option_argument = argument.take().or_else(|| words.next());
                option_argument
                    .ok_or_else(|| RequestError::new(format!("`{option}` has no argument"), help))
            };
            read.option(&option, &mut take_argument)?;
        }
    }
    read.finish()
}

/// Converts words such as `$'it\'s'`, which browsers write, to ordinary quotes.
///
/// # Sources
/// The manual of Bash, section 3.1.2.4 (ANSI-C quoting).
fn without_ansi_c(command: &str) -> Result<String, RequestError> {
    let mut out = String::with_capacity(command.len());
    let mut unread = command.chars().peekable();
    let mut quote = None;
    while let Some(c) = unread.next() {
        match (quote, c) {
            (None, '$') if unread.peek() == Some(&'\'') => {
                unread.next();
                let text = ansi_c(&mut unread)?;
                out.push_str(&format!("'{}'", text.replace('\'', r"'\''")));
                continue;
            }
            (None | Some('"'), '\\') => {
                out.push(c);
                out.extend(unread.next());
                continue;
            }
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if open == c => quote = None,
            _ => {}
        }
        out.push(c);
    }
    Ok(out)
}

/// Reads the text up to the closing quote.
fn ansi_c(rest: &mut Peekable<Chars<'_>>) -> Result<String, RequestError> {
    let refused = |what: String| {
        RequestError::new(what, "copy the command again, or quote the text with `'`")
    };
    let mut bytes = Vec::new();
    // First half of a surrogate pair.
    let mut half = None;
    loop {
        let c = rest.next().ok_or_else(|| refused("the command has an open quote".to_owned()))?;
        let escape = match c {
            '\'' => break,
            '\\' => {
                rest.next().ok_or_else(|| refused("the command has an open quote".to_owned()))?
            }
            c => {
                bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                continue;
            }
        };
        let digit_limit = match escape {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        if digit_limit > 0 {
            let mut number = String::new();
            while let Some(digit) =
                rest.next_if(|c| number.len() < digit_limit && c.is_ascii_hexdigit())
            {
                number.push(digit);
            }
            let code = u32::from_str_radix(&number, 16)
                .map_err(|_| refused(format!("`\\{escape}` has no number")))?;
            match (escape, half.take(), code) {
                ('x', _, _) => bytes.push(u8::try_from(code).unwrap_or_default()),
                (_, None, 0xd800..=0xdbff) => half = Some(code),
                (_, before, code) => {
                    let code_point = match (before, code) {
                        (Some(high), 0xdc00..=0xdfff) => {
                            Some(0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00))
                        }
                        (Some(_), _) => None,
                        (None, code) => Some(code),
                    };
                    let c = code_point.and_then(char::from_u32);
                    let c =
                        c.ok_or_else(|| refused(format!("`\\u{number}` is not a character")))?;
                    bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            continue;
        }
        bytes.push(match escape {
            'n' => b'\n',
            'r' => b'\r',
            't' => b'\t',
            '\'' | '\\' | '"' | '?' => u8::try_from(escape).unwrap_or_default(),
            other => {
                return Err(refused(format!("this version does not know `\\{other}` in `$'…'`")));
            }
        });
    }
    if half.is_some() {
        return Err(refused("an incomplete character in `$'…'`".to_owned()));
    }
    String::from_utf8(bytes).map_err(|_| refused("the text in `$'…'` is not UTF-8".to_owned()))
}

/// Splits a word that holds an option and its argument: `-XPOST`, `--request=POST`.
fn split_option(word: &str) -> (String, Option<String>) {
    if let Some(long) = word.strip_prefix("--") {
        return match long.split_once('=') {
            Some((name, argument)) => (format!("--{name}"), Some(argument.to_owned())),
            None => (word.to_owned(), None),
        };
    }
    match word.char_indices().nth(2) {
        Some((at, _)) if "XHdAebuomwxDFcEr".contains(|c| word[1..].starts_with(c)) => {
            (word[..at].to_owned(), Some(word[at..].to_owned()))
        }
        _ => (word.to_owned(), None),
    }
}

fn reads_file(option: &str, name: &str) -> RequestError {
    RequestError::new(format!("`{option} {}` reads a file", clip(name)), "write the body itself")
}

/// Percent-encodes all characters except letters, digits and `-._~`.
fn encoded(text: &str) -> String {
    percent_encoded(text.as_bytes(), is_unreserved)
}

/// Encodes the body of a form (RFC 7578).
fn form(parts: &[(String, String)]) -> String {
    let part = |(name, value): &(String, String)| {
        let name = name.replace('"', "%22");
        format!(
            "--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n"
        )
    };
    format!("{}--{BOUNDARY}--\r\n", parts.iter().map(part).collect::<String>())
}

/// State while a command is read.
#[derive(Default)]
struct Read {
    address: Option<String>,
    method: Option<String>,
    headers: Vec<(String, Vec<u8>)>,
    data: Vec<String>,
    /// Parts of a form, by name and value.
    parts: Vec<(String, String)>,
    is_json: bool,
    is_compressed: bool,
    /// True if the command removes the header `User-Agent`.
    removes_user_agent: bool,
    /// Headers that the command removes, although `curl` would send them.
    removed: Vec<String>,
    is_get: bool,
    is_head: bool,
    version: Option<&'static str>,
}

impl Read {
    fn address(&mut self, word: String) -> Result<(), RequestError> {
        match self.address.replace(word) {
            None => Ok(()),
            Some(_) => Err(RequestError::new(
                "the command has two addresses",
                "write one command for each",
            )),
        }
    }

    fn header(&mut self, name: &str, value: &str) {
        let name = name.trim().to_ascii_lowercase();
        self.headers.retain(|(known, _)| *known != name || name == "cookie");
        self.headers.push((name, value.trim().as_bytes().to_vec()));
    }

    fn option(
        &mut self,
        option: &str,
        argument: &mut impl FnMut() -> Result<String, RequestError>,
    ) -> Result<(), RequestError> {
        match option {
            "-X" | "--request" => self.method = Some(argument()?),
            "-H" | "--header" => {
                let header = argument()?;
                match (header.split_once(':'), header.strip_suffix(';')) {
                    // A header without a value is removed.
                    (Some((name, value)), _) if value.trim().is_empty() => {
                        let name = name.trim().to_ascii_lowercase();
                        self.removes_user_agent |= name == "user-agent";
                        self.headers.retain(|(known, _)| *known != name);
                        self.removed.push(name);
                    }
                    (Some((name, value)), _) => self.header(name, value),
                    (None, Some(name)) => self.header(name, ""),
                    (None, None) => {
                        // The value may be a credential, so the message has only the name.
                        let name = header.split_whitespace().next().unwrap_or_default();
                        let detail = format!("the header `{}` has no colon", clip(name));
                        return Err(RequestError::new(detail, "write `-H 'name: value'`"));
                    }
                }
            }
            "-A" | "--user-agent" => self.header("user-agent", &argument()?),
            "-e" | "--referer" => self.header("referer", &argument()?),
            "-b" | "--cookie" => self.header("cookie", &argument()?),
            "-u" | "--user" => {
                let code = BASE64.encode(argument()?.as_bytes());
                self.header("authorization", &format!("Basic {code}"));
            }
            "-d" | "--data" | "--data-ascii" | "--data-binary" | "--data-raw" => {
                let data = argument()?;
                if data.starts_with('@') && option != "--data-raw" {
                    return Err(reads_file(option, &data));
                }
                self.data.push(data);
            }
            "--data-urlencode" => {
                let data = argument()?;
                let encoded = match data.split_once('=') {
                    _ if data.starts_with('@') => None,
                    Some(("", content)) => Some(encoded(content)),
                    Some((name, content)) => Some(format!("{name}={}", encoded(content))),
                    None if data.contains('@') => None,
                    None => Some(encoded(&data)),
                };
                self.data.push(encoded.ok_or_else(|| reads_file(option, &data))?);
            }
            "-F" | "--form" | "--form-string" => {
                let part = argument()?;
                let Some((name, value)) = part.split_once('=') else {
                    return Err(RequestError::new(
                        format!("`{option}` has no equals sign"),
                        "write `-F 'name=value'`",
                    ));
                };
                let is_plain = option == "--form-string";
                if value.starts_with(['@', '<']) && !is_plain {
                    return Err(reads_file(option, value));
                }
                let value =
                    if is_plain { value } else { value.split(";type=").next().unwrap_or_default() };
                self.parts.push((name.to_owned(), value.to_owned()));
            }
            "--compressed" => self.is_compressed = true,
            "-r" | "--range" => {
                let range = format!("bytes={}", argument()?);
                self.header("range", &range);
            }
            "--oauth2-bearer" => {
                let value = format!("Bearer {}", argument()?);
                self.header("authorization", &value);
            }
            "--json" => {
                self.is_json = true;
                self.data.push(argument()?);
            }
            "-G" | "--get" => self.is_get = true,
            "-I" | "--head" => self.is_head = true,
            "--url" => {
                let address = argument()?;
                self.address(address)?;
            }
            "--http1.0" | "-0" => self.version = Some("HTTP/1.0"),
            "--http1.1" => self.version = Some("HTTP/1.1"),
            "--http2" | "--http2-prior-knowledge" => self.version = Some("HTTP/2"),
            "--http3" | "--http3-only" => self.version = Some("HTTP/3"),
            option if IGNORED.contains(&option) => {}
            option if IGNORED_WITH_ARGUMENT.contains(&option) => drop(argument()?),
            // One word holds several letters.
            option if option.chars().nth(2).is_some() && !option.starts_with("--") => {
                for letter in option[1..].chars() {
                    self.option(&format!("-{letter}"), argument)?;
                }
            }
            option => {
                let detail = format!("this version does not know the effect of `{}`", clip(option));
                return Err(RequestError::new(
                    detail,
                    "remove it, or write the request without `curl`",
                ));
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Request, RequestError> {
        let Some(mut address) = self.address.take() else {
            return Err(RequestError::new(
                "the command has no address",
                "write one such as `curl https://example.com/`",
            ));
        };
        if !address.contains("://") {
            address = format!("http://{address}");
        }
        if !self.parts.is_empty() && !self.data.is_empty() {
            return Err(RequestError::new(
                "the command has a form and data",
                "write one of `-F` and `-d`",
            ));
        }
        let (is_form, data) = match self.parts.is_empty() {
            true => (false, self.data.join("&")),
            false => (true, form(&self.parts)),
        };
        let has_data = is_form || !self.data.is_empty();
        if self.is_get && has_data {
            let address_of =
                address.split_once('#').map_or(address.as_str(), |(address, _)| address);
            let mark = if address_of.contains('?') { '&' } else { '?' };
            address = format!("{address_of}{mark}{data}");
        }
        let has_body = has_data && !self.is_get;
        let usual = match (self.is_head, has_body) {
            (true, _) => "HEAD",
            (false, true) => "POST",
            (false, false) => "GET",
        };
        let mut request = Request::new(self.method.as_deref().unwrap_or(usual), &address)?;
        let form = format!("multipart/form-data; boundary={BOUNDARY}");
        let kind = match (self.is_json, is_form) {
            (true, _) => "application/json",
            (false, true) => &form,
            (false, false) => "application/x-www-form-urlencoded",
        };
        let mut by_default = |name: &str, value: &str| {
            if !self.removed.iter().any(|removed| removed == name)
                && self.headers.iter().all(|(known, _)| known != name)
            {
                self.headers.push((name.to_owned(), value.as_bytes().to_vec()));
            }
        };
        by_default("accept", if self.is_json { kind } else { "*/*" });
        if self.is_compressed {
            by_default("accept-encoding", "deflate, gzip, br, zstd");
        }
        if has_body {
            by_default("content-type", kind);
            by_default("content-length", &data.len().to_string());
        }
        // Rules see the host of the `Host` header.
        if let Some(at) = self.headers.iter().position(|(name, _)| name == "host") {
            let (_, host) = self.headers.remove(at);
            request.host =
                Request::new("GET", &format!("https://{}/", String::from_utf8_lossy(&host)))?.host;
        }
        request.headers = self.headers;
        request.has_all_headers = true;
        // A command without a user agent does not show which client sent the request.
        let is_client_known = self.removes_user_agent || request.header("user-agent").is_some();
        request.unsure_headers =
            if is_client_known { Vec::new() } else { vec!["user-agent".to_owned()] };
        request.body = Body::Known(if has_body { data.into_bytes() } else { Vec::new() });
        request.version = self.version.map(str::to_owned);
        Ok(request)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_option_of_one_letter_is_one_whatever_its_bytes() {
        for word in ["-é", "-\u{feff}w", "-ab\u{1f600}"] {
            let error = parse_curl(&format!("curl {word} https://a.example/")).unwrap_err();
            assert!(error.to_string().contains("does not know the effect"), "{word}: {error}");
        }
    }

    #[test]
    fn browsers_quote_in_two_ways() {
        let body = |command: &str| match read(command).body {
            Body::Known(body) => String::from_utf8(body).unwrap(),
            other => panic!("{other:?}"),
        };
        let data = |text: &str| body(&format!("curl 'https://a.example/' --data-raw {text}"));
        assert_eq!(data(r"$'q=don\'t\u0021&x=\x41\n'"), "q=don't!&x=A\n");
        assert_eq!(data(r"$'\u00e9\ud83d\ude00'"), "é\u{1f600}");
        // The form `$'…'` is special only outside of other quotes.
        assert_eq!(data(r#""a$'b'""#), "a$'b'");
        assert_eq!(data(r"'a$'"), "a$");
        for (command, words) in [
            (r"curl https://a.example/ -d $'a", "open quote"),
            (r"curl https://a.example/ -d $'\q'", r"`\q` in `$'…'`"),
            (r"curl https://a.example/ -d $'\xff'", "not UTF-8"),
            (r"curl https://a.example/ -d $'\ud83da'", "an incomplete character"),
            ("curl ^\"https://a.example/^\"", "Windows command prompt"),
            ("curl https://bob:secret@a.example/", "the address of `a.example` has a user name"),
        ] {
            let error = parse_curl(command).unwrap_err().to_string();
            assert!(error.contains(words) && !error.contains("secret"), "{command}: {error}");
        }
        // `curl` does not send a header without a value.
        assert!(read("curl https://a.example/ -H 'Accept:'").header("accept").is_none());
        assert!(
            read("curl https://a.example/ -d a -H 'Content-Type:'")
                .header("content-type")
                .is_none()
        );
        assert!(read("curl https://a.example/").header("accept").is_some());
    }

    fn read(command: &str) -> Request {
        parse_curl(command).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    #[test]
    fn what_browsers_copy_is_read() {
        let request = read(
            "curl 'https://API.example.com/v1/items?a=b#c' \\\n  -X PUT -H 'Content-Type: application/json' \\\r\n --data-raw '{\"a\":1}' --compressed -sSL",
        );
        assert_eq!(request.to_string(), "PUT https://api.example.com/v1/items?a=b");
        assert_eq!(request.header("content-type"), Some(&b"application/json"[..]));
        assert_eq!(request.body, Body::Known(b"{\"a\":1}".to_vec()));
        assert_eq!(read("curl example.com").to_string(), "GET http://example.com/");
        assert_eq!(
            read("curl -d a=b -d c=d https://x.test/y").body,
            Body::Known(b"a=b&c=d".to_vec())
        );
        assert_eq!(
            read("curl -G -d a=b https://x.test/y?z").to_string(),
            "GET https://x.test/y?z&a=b"
        );
        assert_eq!(
            read("curl -XDELETE -uA:b https://x.test").header("authorization"),
            Some(&b"Basic QTpi"[..])
        );
        assert_eq!(read("curl -I --http2 --url=https://x.test").version.as_deref(), Some("HTTP/2"));
        assert_eq!(read("curl -H 'Host: Y.test' https://x.test").host, "y.test");
        assert_eq!(
            read("curl --compressed https://x.test").header("accept-encoding"),
            Some(&b"deflate, gzip, br, zstd"[..])
        );
        let encoded = read(
            "curl -G --data-urlencode 'q=a b&c' --data-urlencode '=x/y' --data-urlencode z https://x.test/",
        );
        assert_eq!(encoded.query, "q=a%20b%26c&x%2Fy&z");
        let form = read("curl -F 'a\"b=1;type=text/plain' --form-string c=@d https://x.test/up");
        let Body::Known(body) = &form.body else { panic!("it is known") };
        let body = String::from_utf8_lossy(body).replace(BOUNDARY, "B").replace("\r\n", "|");
        let part = "--B|Content-Disposition: form-data; name=";
        assert_eq!(body, format!("{part}\"a%22b\"||1|{part}\"c\"||@d|--B--|"));
        assert!(
            form.method == "POST"
                && form.header("content-length")
                    == Some(form.body.bytes().len().to_string().as_bytes())
        );
        let sent = read(
            "curl -c jar -r 0-5 --oauth2-bearer t --max-redirs 3 -OJ --fail-with-body https://x.test",
        );
        assert_eq!(
            (sent.header("range"), sent.header("authorization")),
            (Some(&b"bytes=0-5"[..]), Some(&b"Bearer t"[..]))
        );
    }

    #[test]
    fn what_cannot_be_told_is_refused() {
        for command in [
            "",
            "wget https://x.test",
            "curl",
            "curl 'https://x.test",
            "curl https://x.test https://y.test",
            "curl -d @file https://x.test",
            "curl -F a=@b https://x.test",
            "curl -F a https://x.test",
            "curl -F a=b -d c=d https://x.test",
            "curl --data-urlencode a@b https://x.test",
            "curl https://x.test -H",
            "curl -H x https://x.test",
            "curl https://user@x.test/",
            "curl 'https://x.test/\u{e4}'",
            "curl -X 'A B' https://x.test",
            "curl https://x.test:8443/",
            "curl 'https://x.test/a b'",
        ] {
            assert!(parse_curl(command).is_err(), "{command}");
        }
    }
}
