//! Properties of expressions, tested with random ones: spellings are equal, the canonical text is a
//! fixed point with the same meaning, proofs about scopes hold for every request, and no text
//! crashes the parser.

use std::collections::BTreeSet;

use proptest::collection::{btree_set, vec};
use proptest::prelude::*;
use zonewright_expression::{Expression, ExpressionSetting, ScopeChange, parse_expression};

/// The number of cases of each test.
const CASES: u32 = 1000;

/// Values of the texts in generated expressions; every path begins with a slash, as every path
/// does.
const PATHS: [&str; 5] = ["/", "/a", "/a/b", "/b\"\\c", "/ä*"];

/// Possible hosts of a request.
const HOSTS: [&str; 3] = ["a.example", "b.example", "c.test"];

/// Possible scores of a request.
const SCORES: std::ops::RangeInclusive<i64> = 1..=12;

/// A condition.
#[derive(Debug, Clone)]
enum Tree {
    And(Vec<Tree>),
    Or(Vec<Tree>),
    Xor(Vec<Tree>),
    Not(Box<Tree>),
    Truth(bool),
    Ssl,
    Bot,
    Score(Order, i64),
    Scores(BTreeSet<(i64, i64)>),
    Host(BTreeSet<usize>),
    HostIs(usize),
    HostIsNot(usize),
    HostEnds(&'static str),
    PathHas(usize),
    PathStarts(usize),
    Address(BTreeSet<(u8, u8)>),
    Header(usize),
}

/// An operator of order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

/// All of them, with word and symbol.
const ORDERS: [(Order, &str, &str); 6] = [
    (Order::Equal, "eq", "=="),
    (Order::NotEqual, "ne", "!="),
    (Order::Less, "lt", "<"),
    (Order::LessOrEqual, "le", "<="),
    (Order::Greater, "gt", ">"),
    (Order::GreaterOrEqual, "ge", ">="),
];

/// What a request has.
#[derive(Debug, Clone, Copy)]
struct Evidence {
    ssl: bool,
    bot: bool,
    score: i64,
    host: &'static str,
    path: &'static str,
    last_octet: u8,
    header: Option<usize>,
}

/// Requests for every combination of values on which conditions can depend.
fn worlds() -> Vec<Evidence> {
    let mut all = Vec::new();
    for n in 0..4u8 {
        for score in SCORES {
            for host in HOSTS {
                for (p, path) in PATHS.into_iter().enumerate() {
                    // Octets and headers go along with the rest, in no simple rhythm.
                    let mixed = usize::from(n) * 67 + usize::try_from(score).unwrap() * 41 + p * 13;
                    let last_octet = u8::try_from(mixed % 256).unwrap();
                    let header = [None, Some(0), Some(1)][(usize::from(n) + p + host.len()) % 3];
                    all.push(Evidence {
                        ssl: n & 1 == 1,
                        bot: n & 2 == 2,
                        score,
                        host,
                        path,
                        last_octet,
                        header,
                    });
                }
            }
        }
    }
    all
}

impl Tree {
    /// Whether the expression is true for a request.
    fn holds(&self, world: &Evidence) -> bool {
        match self {
            Self::And(parts) => parts.iter().all(|p| p.holds(world)),
            Self::Or(parts) => parts.iter().any(|p| p.holds(world)),
            Self::Xor(parts) => parts.iter().filter(|p| p.holds(world)).count() % 2 == 1,
            Self::Not(inner) => !inner.holds(world),
            Self::Truth(truth) => *truth,
            Self::Ssl => world.ssl,
            Self::Bot => world.bot,
            Self::Score(order, n) => match order {
                Order::Equal => world.score == *n,
                Order::NotEqual => world.score != *n,
                Order::Less => world.score < *n,
                Order::LessOrEqual => world.score <= *n,
                Order::Greater => world.score > *n,
                Order::GreaterOrEqual => world.score >= *n,
            },
            Self::Scores(ranges) => {
                ranges.iter().any(|(from, to)| (*from..=*to).contains(&world.score))
            }
            Self::Host(hosts) => hosts.iter().any(|h| HOSTS[*h] == world.host),
            Self::HostIs(host) => HOSTS[*host] == world.host,
            Self::HostIsNot(host) => HOSTS[*host] != world.host,
            Self::HostEnds(end) => world.host.ends_with(end),
            Self::PathHas(path) => world.path.contains(PATHS[*path]),
            Self::PathStarts(path) => world.path.starts_with(PATHS[*path]),
            Self::Address(networks) => networks.iter().any(|(octet, bits)| {
                u32::from(octet ^ world.last_octet).leading_zeros() >= u32::from(*bits) + 24
                    || *bits == 0
            }),
            Self::Header(n) => world.header == Some(*n),
        }
    }

    /// The precedence of its text: 0 for `or`, 3 for text that needs no parentheses.
    fn strength(&self) -> u8 {
        match self {
            Self::Or(_) => 0,
            Self::Xor(_) => 1,
            Self::And(_) => 2,
            _ => 3,
        }
    }
}

/// Choices of spelling, from a seed; without one, the plainest spelling.
struct Style(Option<u64>);

impl Style {
    /// One of several.
    fn choose(&mut self, count: u64) -> u64 {
        let Some(state) = &mut self.0 else { return 0 };
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 33) % count
    }

    /// One of several texts.
    fn one_of(&mut self, texts: &[&str]) -> String {
        texts[self.choose(texts.len() as u64) as usize].to_owned()
    }

    /// A gap that must be there.
    fn gap(&mut self) -> String {
        self.one_of(&[" ", "  ", "\n", " \t ", "\n    "])
    }

    /// A gap that need not be there.
    fn maybe(&mut self) -> String {
        self.one_of(&["", " ", "\n"])
    }

    /// Text.
    fn text(&mut self, text: &str) -> String {
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        match self.choose(4) {
            1 => format!("r#\"{text}\"#"),
            2 => format!("r###\"{text}\"###"),
            3 => format!("\"{}\"", escaped.replace('a', "\\x61")),
            _ => format!("\"{escaped}\""),
        }
    }

    /// Members in any order, some of them twice.
    fn set(&mut self, mut members: Vec<String>) -> String {
        if self.choose(2) == 1 {
            members.push(members[0].clone());
        }
        let turn = self.choose(members.len() as u64) as usize;
        members.rotate_left(turn);
        if self.choose(2) == 1 {
            members.reverse();
        }
        let gap = self.gap();
        format!("{{{}{}{}}}", self.maybe(), members.join(&gap), self.maybe())
    }

    /// A comparison.
    fn compare(&mut self, left: &str, word: &str, symbol: &str, right: &str) -> String {
        if self.choose(2) == 1 {
            format!("{left}{}{symbol}{}{right}", self.maybe(), self.maybe())
        } else {
            format!("{left}{}{word}{}{right}", self.gap(), self.gap())
        }
    }

    /// Several joined by a word or symbol, in any order.
    fn chain(&mut self, parts: &[Tree], word: &str, symbol: &str, strength: u8) -> String {
        let mut texts: Vec<_> = parts
            .iter()
            .map(|part| {
                let text = self.print(part);
                if part.strength() < strength || self.choose(4) == 1 {
                    format!("({text})")
                } else {
                    text
                }
            })
            .collect();
        if self.choose(2) == 1 {
            texts.reverse();
        }
        let joint = if self.choose(2) == 1 {
            format!("{}{symbol}{}", self.gap(), self.maybe())
        } else {
            format!("{}{word}{}", self.gap(), self.gap())
        };
        texts.join(&joint)
    }

    /// A tree as text.
    fn print(&mut self, tree: &Tree) -> String {
        let text = match tree {
            Tree::And(parts) => self.chain(parts, "and", "&&", 2),
            Tree::Or(parts) => self.chain(parts, "or", "||", 0),
            Tree::Xor(parts) => self.chain(parts, "xor", "^^", 1),
            Tree::Not(inner) => {
                let text = self.print(inner);
                let text = if inner.strength() < 3 { format!("({text})") } else { text };
                let twice = self.choose(5) == 1;
                let not = if self.choose(2) == 1 {
                    format!("!{}", self.maybe())
                } else {
                    format!("not{}", self.gap())
                };
                if twice {
                    format!("not{}not {not}{text}", self.gap())
                } else {
                    format!("{not}{text}")
                }
            }
            Tree::Truth(truth) => truth.to_string(),
            Tree::Ssl => "ssl".to_owned(),
            Tree::Bot => "cf.client.bot".to_owned(),
            Tree::Score(order, n) => {
                let (_, word, symbol) = ORDERS.into_iter().find(|(o, ..)| o == order).unwrap();
                self.compare("cf.waf.score", word, symbol, &n.to_string())
            }
            Tree::Scores(ranges) => {
                let one = |(from, to): &(i64, i64)| {
                    if from == to { from.to_string() } else { format!("{from}..{to}") }
                };
                let members = ranges.iter().map(one).collect();
                format!("cf.waf.score{}in{}{}", self.gap(), self.gap(), self.set(members))
            }
            Tree::Host(hosts) => {
                let members = hosts.iter().map(|h| self.text(HOSTS[*h])).collect();
                format!("http.host in {}", self.set(members))
            }
            Tree::HostIs(host) => {
                let text = self.text(HOSTS[*host]);
                self.compare("http.host", "eq", "==", &text)
            }
            Tree::HostIsNot(host) => {
                let text = self.text(HOSTS[*host]);
                self.compare("http.host", "ne", "!=", &text)
            }
            Tree::HostEnds(end) => {
                format!(
                    "ends_with({}http.host{},{}{})",
                    self.maybe(),
                    self.maybe(),
                    self.maybe(),
                    self.text(end)
                )
            }
            Tree::PathHas(path) => {
                format!(
                    "http.request.uri.path{}contains{}{}",
                    self.gap(),
                    self.gap(),
                    self.text(PATHS[*path])
                )
            }
            Tree::PathStarts(path) => {
                format!(
                    "starts_with(http.request.uri.path,{}{})",
                    self.maybe(),
                    self.text(PATHS[*path])
                )
            }
            Tree::Address(networks) => {
                let masked = |(octet, bits): &(u8, u8)| {
                    let network = u32::from(*octet) & !(0xff_u32 >> bits) & 0xff;
                    format!("192.0.2.{network}/{}", bits + 24)
                };
                let members = networks.iter().map(masked).collect();
                format!("ip.src in {}", self.set(members))
            }
            Tree::Header(n) => {
                let compared = self.compare(
                    "http.request.headers[\"x-a\"][*]",
                    "eq",
                    "==",
                    &format!("\"{n}\""),
                );
                format!("any({compared})")
            }
        };
        if self.choose(6) == 1 { format!("({}{text}{})", self.maybe(), self.maybe()) } else { text }
    }
}

/// Random trees.
fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![
        1 => any::<bool>().prop_map(Tree::Truth),
        2 => Just(Tree::Ssl),
        2 => Just(Tree::Bot),
        3 => (0..ORDERS.len(), SCORES).prop_map(|(o, n)| Tree::Score(ORDERS[o].0, n)),
        2 => btree_set((SCORES, 0..4i64).prop_map(|(n, more)| (n, n + more)), 1..4).prop_map(Tree::Scores),
        2 => btree_set(0..HOSTS.len(), 1..3).prop_map(Tree::Host),
        2 => (0..HOSTS.len()).prop_map(Tree::HostIs),
        2 => (0..HOSTS.len()).prop_map(Tree::HostIsNot),
        1 => proptest::sample::select(vec![".example", "example", "t"]).prop_map(Tree::HostEnds),
        1 => (0..PATHS.len()).prop_map(Tree::PathHas),
        2 => (0..PATHS.len()).prop_map(Tree::PathStarts),
        2 => btree_set((any::<u8>(), 0..=8u8), 1..4).prop_map(Tree::Address),
        1 => (0..2usize).prop_map(Tree::Header),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 2..4).prop_map(Tree::And),
            vec(inner.clone(), 2..4).prop_map(Tree::Or),
            vec(inner.clone(), 2..4).prop_map(Tree::Xor),
            inner.prop_map(|t| Tree::Not(Box::new(t))),
        ]
    })
}

/// A tree, and another that is like it but for a part.
fn two_trees() -> impl Strategy<Value = (Tree, Tree)> {
    (tree(), tree(), 0..7u8).prop_map(|(one, other, how)| {
        let changed = match how {
            0 => Tree::And(vec![one.clone(), other]),
            1 => Tree::Or(vec![other, one.clone()]),
            2 => Tree::Not(Box::new(Tree::Or(vec![one.clone(), other]))),
            3 => Tree::Not(Box::new(one.clone())),
            4 | 5 => other,
            _ => match &one {
                Tree::And(parts) => Tree::And(parts[1..].to_vec()),
                Tree::Or(parts) => Tree::Or(parts[1..].to_vec()),
                same => same.clone(),
            },
        };
        (one, changed)
    })
}

/// The phase of all of them.
fn setting() -> ExpressionSetting<'static> {
    ExpressionSetting::in_phase("http_request_firewall_custom")
}

/// An expression of a text that has no errors.
fn good(text: &str) -> Expression {
    let (expression, problems) = parse_expression(text, setting());
    expression.unwrap_or_else(|| panic!("{text}\n{problems:#?}"))
}

/// Texts that are nearly expressions.
fn damaged() -> impl Strategy<Value = String> {
    let pieces = vec(
        proptest::sample::select(vec![
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            "[*]",
            "\"",
            "'",
            "“",
            "”",
            " ",
            "\n",
            "and",
            "OR",
            "not",
            "!",
            "==",
            "=",
            "in",
            "$l",
            "http.host",
            "ip.src",
            "ssl",
            "ssl",
            "\"a\"",
            "r#\"",
            "\"#",
            "\\",
            "1",
            "1..5",
            "..",
            "10.0.0.0/8",
            "::1",
            ",",
            "é",
            "🦀",
            "any(",
            "lower(",
            "http.request.headers",
            "[\"x\"]",
            "matches",
            "~",
            "[",
            "contains",
            "starts_with",
            "URI",
            "Path",
            "is",
            "list",
            "#",
            "//",
            "/*",
            "*/",
            "-",
            "%2f",
            "true",
            "strict",
            "wildcard",
            "**",
            "eq",
            "cf.waf.score",
            "cf.some.field",
            "/bare",
            "a-b",
            "len(",
            "concat(",
            "ip.src.country",
            "xor",
            "or",
            "in {",
            "}",
        ]),
        0..24,
    );
    let joined =
        (pieces, prop_oneof![Just(""), Just(" ")]).prop_map(|(pieces, joint)| pieces.join(joint));
    let cut = (
        tree(),
        any::<u64>(),
        any::<proptest::sample::Index>(),
        any::<proptest::sample::Index>(),
        "[ -~é]{0,3}",
    )
        .prop_map(|(tree, seed, from, to, put)| {
            let text: Vec<char> = Style(Some(seed)).print(&tree).chars().collect();
            let (a, b) = (from.index(text.len()), to.index(text.len()));
            let (a, b) = (a.min(b), a.max(b).min(a.min(b) + 6));
            text[..a]
                .iter()
                .chain(put.chars().collect::<Vec<_>>().iter())
                .chain(&text[b..])
                .collect()
        });
    prop_oneof![joined, cut, any::<String>()]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None, ..ProptestConfig::default() })]

    /// All spellings of a tree are equal, and the canonical text is one of them that no longer
    /// changes.
    #[test]
    fn spellings_are_equal(tree in tree(), one in any::<u64>(), other in any::<u64>()) {
        let plain = good(&Style(None).print(&tree));
        for seed in [one, other] {
            let text = Style(Some(seed)).print(&tree);
            let expression = good(&text);
            prop_assert_eq!(expression.text(), &text);
            prop_assert_eq!(&expression, &plain, "{}", text);
            prop_assert_eq!(&Expression::reported(&text), &plain);
        }
        let again = good(plain.canonical());
        prop_assert_eq!(again.canonical(), plain.canonical());
    }

    /// A proof about two expressions holds for every request.
    #[test]
    fn scopes_hold_in_every_world((one, other) in two_trees(), seed in any::<u64>()) {
        let before = good(&Style(None).print(&one));
        let after = good(&Style(Some(seed)).print(&other));
        let change = Expression::scope_change(&before, &after);
        let (always, never, hosts) = (after.is_always_true(), after.is_always_false(), after.hosts());
        for world in worlds() {
            let (was, is) = (one.holds(&world), other.holds(&world));
            match change {
                ScopeChange::Equal => prop_assert_eq!(was, is, "{:?}", world),
                ScopeChange::Wider => prop_assert!(!was || is, "{:?}", world),
                ScopeChange::Narrower => prop_assert!(was || !is, "{:?}", world),
                ScopeChange::Unknown => {}
            }
            prop_assert!(is || !always, "{:?}", world);
            prop_assert!(!is || !never, "{:?}", world);
            if let Some(hosts) = &hosts {
                prop_assert!(!is || hosts.contains(world.host), "{:?}", world);
            }
        }
        let back = match change {
            ScopeChange::Wider => ScopeChange::Narrower,
            ScopeChange::Narrower => ScopeChange::Wider,
            ScopeChange::Equal | ScopeChange::Unknown => change,
        };
        prop_assert_eq!(Expression::scope_change(&after, &before), back);
    }

    /// An added or removed part is recognized as such.
    #[test]
    fn what_is_added_is_seen(one in tree(), other in tree()) {
        let before = good(&Style(None).print(&one));
        let wider = good(&Style(None).print(&Tree::Or(vec![one.clone(), other.clone()])));
        let narrower = good(&Style(None).print(&Tree::And(vec![one, other])));
        prop_assert!(matches!(Expression::scope_change(&before, &wider), ScopeChange::Wider | ScopeChange::Equal));
        prop_assert!(matches!(Expression::scope_change(&before, &narrower), ScopeChange::Narrower | ScopeChange::Equal));
    }

    /// No text crashes the parser; every problem has a span in the text, and a suggestion.
    #[test]
    fn problems_lie_in_the_text(text in damaged()) {
        let (expression, problems) = parse_expression(&text, setting());
        let has_errors = problems.iter().any(|p| p.is_error);
        prop_assert_eq!(expression.is_none(), has_errors);
        for problem in &problems {
            prop_assert!(text.get(problem.span.clone()).is_some(), "{:?}", problem);
            prop_assert!(problem.code != "unreadable");
            prop_assert!(!problem.message.is_empty() && !problem.help.is_empty() && !problem.code.is_empty());
        }
        let reported = Expression::reported(&text);
        prop_assert_eq!(&Expression::reported(reported.canonical()), &reported);
        if let Some(expression) = expression {
            prop_assert_eq!(&expression, &reported);
            let again = good(expression.canonical());
            prop_assert_eq!(again.canonical(), expression.canonical());
        }
        let _ = (reported.requirement(), reported.hosts(), reported.is_always_true());
    }
}
