//! Which parts of a request must not be shown, by their names.

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

impl Request {
    /// The same without the values of arguments that sound like secrets.
    #[must_use]
    pub fn without_secrets(&self) -> Self {
        let shown = |argument: &str| match argument.split_once('=') {
            Some((name, _)) if sounds_secret(name) => format!("{name}=[redacted]"),
            _ => argument.to_owned(),
        };
        let part = |part: &str| part.split(';').map(shown).collect::<Vec<_>>().join(";");
        let query = self.query.split('&').map(part).collect::<Vec<_>>().join("&");
        Self { query, ..self.clone() }
    }
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
    fn values_of_secrets_are_not_shown() {
        let request = Request::parse("GET https://x.test/a?q=1&Access_Token=abc&b;t%6Fken=d").expect("it is one");
        let shown = "GET https://x.test/a?q=1&Access_Token=[redacted]&b;t%6Fken=[redacted]";
        assert_eq!(request.without_secrets().to_string(), shown);
    }
}
