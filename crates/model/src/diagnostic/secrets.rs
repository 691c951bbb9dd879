//! Finds the parts of a request that must not be shown, by their names and by their form.
//!
//! Names of keys in specs are in `credential_names.rs`.

use super::REDACTED;

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
/// Words that mark a secret only where they are a word of their own.
const WORDS: [&str; 6] = ["jwt", "sid", "sig", "otp", "saml", "csrf"];
/// Common words that are no secrets, but have such a word in them.
const NO_SECRETS: [&str; 5] = ["author", "authors", "keyword", "keywords", "postcode"];

/// Returns true if an argument or a header of this name may hold a secret.
#[must_use]
pub fn sounds_secret(name: &str) -> bool {
    let name = percent_decoded(name).to_ascii_lowercase();
    let mut words =
        name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !NO_SECRETS.contains(word));
    words.any(|word| PARTS.iter().any(|part| word.contains(part)) || WORDS.contains(&word))
}

/// Returns true if a text has an argument with a name and a value that may hold a secret.
#[must_use]
pub fn has_secret_argument(text: &str) -> bool {
    let arguments = text.split(['?', '&', ';']).filter_map(|part| part.split_once('='));
    arguments.into_iter().any(|(name, _)| sounds_secret(name))
}

/// Characters from which on a word can be a token.
const LEAST_OF_TOKEN: usize = 16;
/// Hexadecimal digits from which on they are a token, however often letters and digits change.
const LEAST_OF_HEXADECIMAL: usize = 24;

/// Returns a query without values that may be secrets.
#[must_use]
pub fn shown_query(query: &str) -> String {
    let part = |part: &str| part.split(';').map(shown_argument).collect::<Vec<_>>().join(";");
    query.split('&').map(part).collect::<Vec<_>>().join("&")
}

/// Returns a path without segments that may be secrets: tokens, web tokens, UUIDs, e-mail
/// addresses, and the segment after the name of a secret.
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

/// Returns an argument without a value that may be a secret.
fn shown_argument(argument: &str) -> String {
    match argument.split_once('=') {
        Some((name, value)) if sounds_secret(name) || looks_secret(value) => {
            format!("{name}={REDACTED}")
        }
        None if looks_secret(argument) => REDACTED.to_owned(),
        _ => argument.to_owned(),
    }
}

/// Returns true if a text has the form of a secret or names a person, whatever its key is.
fn looks_secret(text: &str) -> bool {
    let text = percent_decoded(text);
    let is_word = |c: char| c.is_ascii_alphanumeric();
    let is_address = text.split_once('@').is_some_and(|(local, domain)| {
        let is_part =
            |part: &str| !part.is_empty() && part.chars().all(|c| is_word(c) || "+-._".contains(c));
        is_part(local) && is_part(domain) && domain.contains('.')
    });
    let is_web_token = text.starts_with("eyJ") && text.matches('.').count() >= 2;
    is_address
        || is_web_token
        || has_uuid(text.as_bytes())
        || text.split(|c| !is_word(c)).any(is_random)
}

/// Returns true if a text contains a UUID that is not part of a longer word.
fn has_uuid(text: &[u8]) -> bool {
    const LENGTH: usize = 36;
    let is_part = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphanumeric);
    let is_uuid = |part: &[u8]| {
        part.iter().enumerate().all(|(n, byte)| match n {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    let mut places = text.windows(LENGTH).enumerate();
    places.any(|(at, part)| is_uuid(part) && !is_part(at.wrapping_sub(1)) && !is_part(at + LENGTH))
}

/// Returns true for letters and digits that are no words, and too many for a number or a day: they
/// change too often, are hexadecimal, are only digits, or are letters that make no words.
fn is_random(word: &str) -> bool {
    let kind = |byte: &u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes =
        word.as_bytes().windows(2).filter(|pair| kind(&pair[0]) != kind(&pair[1])).count();
    let all_bytes = |is: fn(&u8) -> bool| word.as_bytes().iter().all(is);
    let is_hexadecimal =
        word.len() >= LEAST_OF_HEXADECIMAL && all_bytes(u8::is_ascii_hexdigit) && changes > 0;
    let has_no_words = || match word.as_bytes().first() {
        Some(first) if first.is_ascii_digit() => all_bytes(u8::is_ascii_digit),
        _ => all_bytes(u8::is_ascii_alphabetic) && is_unpronounceable(word),
    };
    word.len() >= LEAST_OF_TOKEN && (changes * 3 >= word.len() || is_hexadecimal || has_no_words())
}

/// Returns true if letters have too few vowels, too many rare letters, or too many consonants in a
/// row for words. Of the words of 16 letters and more of English, French and German dictionaries,
/// fewer than one in 2,000 counts as a token; of 20 random letters, three of four do.
fn is_unpronounceable(word: &str) -> bool {
    let mut text = word.to_ascii_lowercase();
    for (written, sound) in
        [("sch", "s"), ("ch", "c"), ("ck", "c"), ("ss", "s"), ("ng", "n"), ("th", "t")]
    {
        text = text.replace(written, sound);
    }
    let (mut vowels, mut rare, mut run, mut longest) = (0, 0, 0, 0);
    for letter in text.bytes() {
        vowels += usize::from(b"aeiouy".contains(&letter));
        rare += usize::from(b"jqxz".contains(&letter));
        run = if b"aeiouy".contains(&letter) { 0 } else { run + 1 };
        longest = longest.max(run);
    }
    let length = text.len();
    // Each sign counts once, or twice if it is strong.
    let signs = [
        (vowels * 4 < length, vowels * 5 < length),
        (rare * 8 >= length, rare * 5 >= length),
        (longest >= 6, longest >= 9),
    ];
    signs
        .into_iter()
        .map(|(is_there, is_strong)| usize::from(is_there) + usize::from(is_strong))
        .sum::<usize>()
        >= 2
}

/// Returns true if a text is probably a value, and not the name of something.
fn looks_like_value(text: &str) -> bool {
    text.len() >= 6
        && text.bytes().any(|byte| byte.is_ascii_digit())
        && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Returns a name with its percent-encoding decoded.
fn percent_decoded(name: &str) -> String {
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
        for name in [
            "Access_Token",
            "x-api-key",
            "api%6Bey",
            "csrf_middleware",
            "id-sid",
            "PASSWORD",
            "SAMLAssertion",
        ] {
            assert!(sounds_secret(name), "{name}");
        }
        for name in ["q", "keyword", "search[keyword]", "author", "side", "page", "%", "%zz"] {
            assert!(!sounds_secret(name), "{name}");
        }
        assert!(
            has_secret_argument("https://x.test/?a=b&token=c")
                && !has_secret_argument("https://x.test/token?a=b")
        );
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
            ("/invite-123e4567-e89b-12d3-a456-426614174000.html", "/[redacted]"),
            ("/i/qzkxvwpmtrbnglhdwt", "/i/[redacted]"),
            ("/i/XKCDWQPLMNBVTRGHJK", "/i/[redacted]"),
            ("/i/kJhGfDsAqWeRtYuIoP", "/i/[redacted]"),
            ("/pay/4111111111111111", "/pay/[redacted]"),
            ("/f/deadbeefdeadbeefdeadbeef0123", "/f/[redacted]"),
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
            "/item/123456789012345",
            "/internationalization/telecommunications",
            "/datenschutzerklaerung/rechtsschutzversicherung/geschaeftsbedingungen",
            "/anticonstitutionnellement/desenvolvimento",
            "/getUserAccountInformation/xmlhttprequestfactory",
            "/0123e4567-e89b-12d3-a456-4266141740001",
            "/wp-content/plugins/woocommerce/assets/js/frontend/add-to-cart.min.js",
        ] {
            assert_eq!(shown_path(path), path);
        }
        assert_eq!(
            shown_query("q=1%27%20or%201=1&u=a%40b.example&x=9f86d081884c7d659a2f"),
            "q=1%27%20or%201=1&u=[redacted]&x=[redacted]"
        );
    }
}
