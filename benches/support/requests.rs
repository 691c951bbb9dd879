//! Cases about requests: rules that `waf replay` and `expect` evaluate. The rules are compiled
//! before the measurement.

use bumpalo::Bump;
use zonewright::model::expression::{Expression, Program, Truth};
use zonewright::model::request::{Given, Request};
use zonewright::recorded::parse_curl;

use super::case::Case;

/// The number of rules that each request is compared with.
const RULES: usize = 50;
/// The number of different requests; they are repeated.
const DIFFERENT: usize = 1_000;

/// Returns a rule of a kind that people write.
fn rule(n: usize) -> String {
    match n % 10 {
        0 => format!("http.request.uri.path contains \"/wp-{n}\""),
        1 => format!(
            "http.host eq \"h{n}.example.com\" and not ip.src in {{192.0.2.0/24 198.51.100.{n}}}"
        ),
        2 => format!("lower(http.user_agent) contains \"scanner{n}\""),
        3 => format!("http.request.uri.path matches \"^/api/v{n}/[a-z]+/[0-9]+$\""),
        4 => format!(
            "ip.src.country in {{\"DE\" \"FR\" \"X{n}\"}} and http.request.method eq \"POST\""
        ),
        5 => format!("any(http.request.headers[\"x-api-key\"][*] eq \"{n}\")"),
        6 => format!(
            "starts_with(http.request.uri.path, \"/admin{n}\") and cf.bot_management.score lt 30"
        ),
        7 => format!("any(lower(http.request.uri.args.names[*])[*] eq \"debug{n}\")"),
        8 => format!("http.request.full_uri wildcard \"https://*.example.com/shop/*/{n}\""),
        _ => format!(
            "len(http.request.uri.query) gt {} or http.cookie contains \"session{n}=\"",
            500 + n
        ),
    }
}

/// Returns a request of a browser.
fn request(n: usize) -> Request {
    let command = format!(
        "curl 'https://www.example.com/shop/item/{n}?q=blue+shoes+{n}&page={}&sort=price' -A 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) \
         Gecko/20100101 Firefox/143.0' -H 'accept-language: de' -H 'x-api-key: {}' -e https://www.example.com/ -b 'theme=dark; id={n}'",
        n % 9,
        n % 60
    );
    let mut request = parse_curl(&command).expect("it is one");
    request.address = format!("203.0.113.{}", n % 250).parse().ok();
    request.fields.insert("ip.src.country".to_owned(), Given::Text("DE".to_owned()));
    request.fields.insert("cf.bot_management.score".to_owned(), Given::Integer(90));
    request
}

/// Adds the cases about requests.
pub(crate) fn all(all: &mut Vec<Case>) {
    all.push(Case::new(format!("requests/under {RULES} rules"), 1_000, |n| {
        let compile = |rule: String| Expression::reported(&rule).compile().expect("it is one");
        let programs: Vec<Program> = (0..RULES).map(rule).map(compile).collect();
        let requests: Vec<Request> = (0..DIFFERENT).map(request).collect();
        move || {
            let mut arena = Bump::new();
            let mut matched = 0;
            for request in requests.iter().cycle().take(n) {
                {
                    let sample = request.sample(&arena);
                    let is_match = |program: &&Program| program.evaluate(&sample) == Truth::True;
                    matched += programs.iter().filter(is_match).count();
                }
                arena.reset();
            }
            matched
        }
    }));
}
