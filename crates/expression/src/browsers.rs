//! Headers and user agents of common browsers.

use std::borrow::Cow;
use std::ops::RangeInclusive;

/// Headers that browsers send with every request. A rule that asks for one of them names no clients,
/// whatever the value.
pub(crate) const BROWSER_HEADERS: &[&str] = &[
    "accept",
    "accept-encoding",
    "accept-language",
    "connection",
    "host",
    "sec-ch-ua",
    "sec-ch-ua-mobile",
    "sec-ch-ua-platform",
    "sec-fetch-dest",
    "sec-fetch-mode",
    "sec-fetch-site",
    "sec-fetch-user",
    "upgrade-insecure-requests",
    "user-agent",
];

/// Values of such headers.
pub(crate) const BROWSER_HEADER_VALUES: &[&str] = &[
    "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8",
    "gzip, deflate, br, zstd",
    "en-US,en;q=0.9",
    "keep-alive",
    "1",
];

/// User agents of common browsers of the version [`VERSION`]. A rule that matches one of them
/// concerns ordinary visitors.
const USER_AGENTS: &[&str] = &[
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0",
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/140.0.0.0 Mobile Safari/537.36",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0",
];

/// The version in these user agents.
const VERSION: &str = "140";

/// Versions that visitors use. Chrome, Edge and Firefox count alike and have a version a month.
const VERSIONS: RangeInclusive<u32> = 130..=160;

/// Returns the user agents of common browsers; those of every version in use if a test of them has
/// digits.
pub(crate) fn browser_user_agents(has_digits: bool) -> impl Iterator<Item = Cow<'static, str>> {
    let versions = VERSIONS.filter(move |_| has_digits);
    USER_AGENTS.iter().flat_map(move |text| {
        let of_version = |version: u32| Cow::from(text.replace(VERSION, &version.to_string()));
        std::iter::once(Cow::from(*text)).chain(versions.clone().map(of_version))
    })
}
