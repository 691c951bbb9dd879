//! Which parts of a request must not be shown: by their names, and by what they look like.

use super::Request;

/// Words in names of arguments and headers whose values are not shown.
const PARTS: [&str; 12] = [
    "token",
    "key",
    "secret",
    "pass",
    "pwd",
    "auth",
    "session",
    "signature",
    "code",
    "credential",
    "cookie",
    "assertion",
];
/// The same, if it is a word of its own.
const WORDS: [&str; 6] = ["jwt", "sid", "sig", "otp", "saml", "csrf"];
/// Common words that are no secrets, but have such a word in them.
const NO_SECRETS: [&str; 5] = ["author", "authors", "keyword", "keywords", "postcode"];

/// Whether an argument or a header of this name may hold a secret.
#[must_use]
pub fn sounds_secret(name: &str) -> bool {
    let name = decoded(name).to_ascii_lowercase();
    let mut words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !NO_SECRETS.contains(word));
    words.any(|word| PARTS.iter().any(|part| word.contains(part)) || WORDS.contains(&word))
}

/// Whether a text has an argument with a name and a value that may hold a secret.
#[must_use]
pub fn has_secret_argument(text: &str) -> bool {
    let arguments = text.split(['?', '&', ';']).filter_map(|part| part.split_once('='));
    arguments.into_iter().any(|(name, _)| sounds_secret(name))
}

/// What is shown in the place of a secret.
const REDACTED: &str = "[redacted]";
/// Characters from which on a word can be a token.
const LEAST_OF_TOKEN: usize = 16;

impl Request {
    /// The same without what sounds or looks like a secret in its path and its arguments.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let part = |part: &str| part.split(';').map(shown_argument).collect::<Vec<_>>().join(";");
        let query = self.query.split('&').map(part).collect::<Vec<_>>().join("&");
        Self { path: shown_path(&self.path), query, ..self.clone() }
    }
}

/// A path without segments that look like secrets: tokens, web tokens, UUIDs, e-mail addresses, and what follows a name of a secret.
#[must_use]
pub fn shown_path(path: &str) -> String {
    let mut is_named = false;
    let segments = path.split('/').map(|segment| {
        let is_secret = is_named && looks_like_value(segment);
        is_named = sounds_secret(segment);
        if is_secret {
            REDACTED.to_owned()
        } else {
            segment.split(';').map(shown_argument).collect::<Vec<_>>().join(";")
        }
    });
    segments.collect::<Vec<_>>().join("/")
}

/// An argument without a value that sounds or looks like a secret.
fn shown_argument(argument: &str) -> String {
    match argument.split_once('=') {
        Some((name, value)) if sounds_secret(name) || looks_secret(value) => format!("{name}={REDACTED}"),
        None if looks_secret(argument) => REDACTED.to_owned(),
        _ => argument.to_owned(),
    }
}

/// Whether a text looks like a secret or names a person, whatever it is called.
fn looks_secret(text: &str) -> bool {
    let text = decoded(text);
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let is_address = text.split_once('@').is_some_and(|(local, domain)| {
        let is_part = |part: &str| !part.is_empty() && part.chars().all(|c| is_word(c) || "+-._".contains(c));
        is_part(local) && is_part(domain) && domain.contains('.')
    });
    let is_web_token = text.starts_with("eyJ") && text.matches('.').count() >= 2;
    let is_uuid = text.len() == 36
        && text.bytes().enumerate().all(|(n, byte)| match n {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        });
    is_address || is_web_token || is_uuid || text.split(|c| !is_word(c)).any(is_random)
}

/// Whether letters and digits change so often that they are no words.
fn is_random(word: &str) -> bool {
    let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = word.as_bytes().windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    word.len() >= LEAST_OF_TOKEN && changes * 3 >= word.len()
}

/// Whether a text is rather a value than a name of something.
fn looks_like_value(text: &str) -> bool {
    text.len() >= 6
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// A name without percent signs.
fn decoded(name: &str) -> String {
    let mut parts = name.split('%');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                text.push(char::from(byte));
                text.push_str(&part[2..]);
            }
            None => text.push_str(part),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_sound_like_secrets_are_found() {
        for name in ["Access_Token", "x-api-key", "api%6Bey", "csrf_middleware", "id-sid", "PASSWORD", "SAMLAssertion"]
        {
            assert!(sounds_secret(name), "{name}");
        }
        for name in ["q", "keyword", "search[keyword]", "author", "side", "page", "%", "%zz"] {
            assert!(!sounds_secret(name), "{name}");
        }
        assert!(has_secret_argument("https://x.test/?a=b&token=c") && !has_secret_argument("https://x.test/token?a=b"));
    }

    #[test]
    fn what_looks_like_a_secret_is_not_shown() {
        for (path, shown) in [
            ("/reset/eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "/reset/[redacted]"),
            ("/u/jane.doe%40mail.example/orders", "/u/[redacted]/orders"),
            ("/u/jane@mail.example", "/u/[redacted]"),
            ("/share/9f86d081884c7d659a2feaa0c55ad015", "/share/[redacted]"),
            ("/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit", "/d/[redacted]/edit"),
            ("/o/123e4567-e89b-12d3-a456-426614174000", "/o/[redacted]"),
            ("/password/a1b2c3", "/password/[redacted]"),
            ("/a;jsessionid=1A530637289A03B07199A44E8D531427", "/a;jsessionid=[redacted]"),
        ] {
            assert_eq!(shown_path(path), shown);
        }
        for path in [
            "/",
            "/blog/how-to-configure-nginx-2024-with-php8-and-opcache",
            "/shop/iphone15promax256gb/",
            "/api/v2/getUserAccountInformationList",
            "/assets/app.8f3a9b1c.js",
            "/auth/login",
            "/2026/11/23/20261123100000",
            "/%2e%2e/etc/passwd",
            "/wp-content/plugins/woocommerce/assets/js/frontend/add-to-cart.min.js",
        ] {
            assert_eq!(shown_path(path), path);
        }
        let request = Request::parse("GET https://x.test/a?q=1%27%20or%201=1&u=a%40b.example&x=9f86d081884c7d659a2f");
        let shown = request.expect("it is one").without_secrets().query;
        assert_eq!(shown, "q=1%27%20or%201=1&u=[redacted]&x=[redacted]");
    }

    #[test]
    fn values_of_secrets_are_not_shown() {
        let request = Request::parse("GET https://x.test/a?q=1&Access_Token=abc&b;t%6Fken=d").expect("it is one");
        let shown = "GET https://x.test/a?q=1&Access_Token=[redacted]&b;t%6Fken=[redacted]";
        assert_eq!(request.without_secrets().to_string(), shown);
    }
}
