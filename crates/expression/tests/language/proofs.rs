//! Proofs about pairs of expressions, held against the evaluation of both on many requests: no
//! claim is false, and most of what can be claimed is.

use zonewright_expression::{Counterexample, Expression, Program, Request, ScopeChange, Truth};

/// Number of pairs.
const PAIRS: usize = 1_500;

/// Conditions that have many spellings, or that follow from one another.
const CONDITIONS: &[&str] = &[
    "http.host eq \"a.example\"",
    "http.host ne \"a.example\"",
    "not http.host eq \"b.example\"",
    "http.host in {\"a.example\" \"b.example\"}",
    "not http.host in {\"a.example\" \"c.test\"}",
    "ends_with(http.host, \".example\")",
    "http.host wildcard \"*.EXAMPLE\"",
    "http.host matches \"^(a|b)\\\\.example$\"",
    "lower(http.host) eq \"a.example\"",
    "lower(http.host) in {\"b.example\" \"c.test\"}",
    "http.request.uri.path eq \"/a\"",
    "http.request.uri.path in {\"/a\" \"/a/b\"}",
    "starts_with(http.request.uri.path, \"/a\")",
    "starts_with(http.request.uri.path, \"/a/\")",
    "starts_with(lower(http.request.uri.path), \"/a\")",
    "lower(http.request.uri.path) eq \"/a\"",
    "http.request.uri.path strict wildcard \"/a*\"",
    "http.request.uri.path wildcard \"/A*\"",
    "http.request.uri.path wildcard \"/a/*/c\"",
    "http.request.uri.path matches \"^/a\"",
    "http.request.uri.path matches \"^/(a|b)/\"",
    "http.request.uri.path matches \"^/a/[bc]$\"",
    "http.request.uri.path matches \"b\"",
    "http.request.uri.path contains \"b\"",
    "not http.request.uri.path contains \"a\"",
    "ends_with(http.request.uri.path, \".php\")",
    "http.request.uri eq \"/a\"",
    "http.request.uri eq \"/a?x=1\"",
    "starts_with(http.request.uri, \"/a\")",
    "http.request.uri contains \"x=1\"",
    "http.request.uri.query eq \"x=1\"",
    "http.request.uri.query contains \"x\"",
    "http.request.uri.query eq \"\"",
    "http.request.method eq \"GET\"",
    "http.request.method in {\"GET\" \"POST\"}",
    "http.request.method ne \"POST\"",
    "ip.src eq 192.0.2.1",
    "ip.src in {192.0.2.0/25}",
    "ip.src in {192.0.2.128/25}",
    "ip.src in {192.0.2.0/24}",
    "ip.src in {192.0.2.0..192.0.2.200}",
    "ip.src ne 192.0.2.1",
    "ssl",
    "any(http.request.headers[\"x-a\"][*] eq \"1\")",
    "http.request.headers[\"x-a\"][0] ne \"1\"",
    "not http.request.headers[\"x-a\"][0] eq \"1\"",
];

/// Requests for every combination of values on which these depend.
fn requests() -> Vec<Request> {
    let mut all = Vec::new();
    for host in ["a.example", "A.example", "b.example", "c.test"] {
        for path in ["/", "/a", "/A", "/a/b", "/a/x/c", "/b/a.php", "/ab", "/b/"] {
            for query in ["", "?x=1", "?xb"] {
                for n in 0..4_u8 {
                    let method = ["GET", "POST", "PUT", "GET"][usize::from(n)];
                    let text = format!("{method} https://{host}{path}{query}");
                    let mut request = Request::parse(&text).expect("it is one");
                    request.host = host.to_owned();
                    let octet = [1, 100, 150, 250][usize::from(n)];
                    request.address =
                        Some([192, 0, if octet == 250 { 3 } else { 2 }, octet].into());
                    request.has_all_headers = true;
                    if n % 2 == 1 {
                        request.headers.push(("x-a".to_owned(), b"1".to_vec()));
                    }
                    request.is_https = n != 2;
                    all.push(request);
                }
            }
        }
    }
    all
}

/// A random condition.
fn condition(random: &mut fastrand::Rng, depth: usize) -> String {
    if depth == 0 || random.u8(0..3) == 0 {
        return CONDITIONS[random.usize(0..CONDITIONS.len())].to_owned();
    }
    let mut part = || condition(random, depth - 1);
    let (one, other) = (part(), part());
    match random.u8(0..7) {
        0..=2 => format!("({one}) and ({other})"),
        3 | 4 => format!("({one}) or ({other})"),
        5 => format!("not ({one})"),
        _ => format!("not (({one}) or ({other}))"),
    }
}

/// A condition that is like another.
fn similar(one: &str, random: &mut fastrand::Rng) -> String {
    let other = condition(random, 1);
    match random.u8(0..7) {
        0 => format!("not (not ({one}) or not ({other}))"),
        1 => format!("({other}) or ({one})"),
        2 => format!("({one}) and not ({other})"),
        3 => format!("(({one}) and ({other})) or (({one}) and not ({other}))"),
        4 => format!("not (not ({one}) and not ({other}))"),
        _ => condition(random, 2),
    }
}

/// Which of two lists of results are included in the other.
fn relation(one: &[bool], other: &[bool]) -> ScopeChange {
    let within = |these: &[bool], those: &[bool]| these.iter().zip(those).all(|(a, b)| !a || *b);
    match (within(one, other), within(other, one)) {
        (true, true) => ScopeChange::Equal,
        (true, false) => ScopeChange::Wider,
        (false, true) => ScopeChange::Narrower,
        (false, false) => ScopeChange::Unknown,
    }
}

#[test]
fn proofs_hold_for_every_request_and_most_of_what_holds_is_proven() {
    let requests = requests();
    let mut random = fastrand::Rng::with_seed(7);
    let evaluate = |program: &Program| -> Vec<bool> {
        let holds = |request: &Request| match program.evaluate(&request.sample(&Default::default()))
        {
            Truth::True => true,
            Truth::False => false,
            Truth::Unknown(_) => panic!("a result is unknown"),
        };
        requests.iter().map(holds).collect()
    };
    let (mut related, mut decided) = (0, 0);
    for _ in 0..PAIRS {
        let one = condition(&mut random, 2);
        let other = similar(&one, &mut random);
        let (before, after) = (Expression::reported(&one), Expression::reported(&other));
        let results = [&before, &after].map(|e| evaluate(&e.compile().expect("it is valid")));
        let found = relation(&results[0], &results[1]);
        let claimed = Expression::scope_change(&before, &after);
        let is_safe = match claimed {
            ScopeChange::Unknown => true,
            ScopeChange::Equal => found == ScopeChange::Equal,
            ScopeChange::Wider => matches!(found, ScopeChange::Wider | ScopeChange::Equal),
            ScopeChange::Narrower => matches!(found, ScopeChange::Narrower | ScopeChange::Equal),
        };
        assert!(is_safe, "{one}\n{other}\nclaimed {claimed:?}, found {found:?}");
        let nothing = |results: &[bool]| results.iter().all(|holds| !holds);
        for (expression, results) in [&before, &after].into_iter().zip(&results) {
            assert!(!expression.is_always_false() || nothing(results), "{}", expression.text());
            assert!(!expression.is_always_true() || results.iter().all(|holds| *holds));
        }
        if found != ScopeChange::Unknown {
            related += 1;
            decided += usize::from(claimed == found);
        }
    }
    let share = decided * 100 / related;
    println!("{decided} of {related} pairs are decided, {share} %");
    assert!(share >= 85, "{decided} of {related}");
}

#[test]
fn a_counterexample_is_one_and_most_that_exist_are_found() {
    let requests = requests();
    let mut random = fastrand::Rng::with_seed(11);
    let (mut existing, mut found) = (0, 0);
    for _ in 0..PAIRS / 10 {
        let one = condition(&mut random, 2);
        let other = similar(&one, &mut random);
        let (one, other) = (Expression::reported(&one), Expression::reported(&other));
        let programs = [&one, &other].map(|e| e.compile().expect("it is valid"));
        let results = |request: &Request| {
            let arena = Default::default();
            let sample = request.sample(&arena);
            [programs[0].evaluate(&sample), programs[1].evaluate(&sample)]
        };
        let outside = [Truth::True, Truth::False];
        let exists = requests.iter().any(|request| results(request) == outside);
        let claimed = Expression::scope_change(&one, &other);
        match one.counterexample(&other, "example") {
            Counterexample::Found(request) => {
                assert_eq!(results(&request), outside, "{}\n{}", one.text(), other.text());
                let is_denied = matches!(claimed, ScopeChange::Equal | ScopeChange::Wider);
                assert!(!is_denied, "{}\n{}\n{request}", one.text(), other.text());
                found += usize::from(exists);
            }
            Counterexample::NotFound | Counterexample::Open => {}
        }
        existing += usize::from(exists);
    }
    let share = found * 100 / existing;
    println!("{found} of {existing} counterexamples are found, {share} %");
    assert!(share >= 90, "{found} of {existing}");
}
