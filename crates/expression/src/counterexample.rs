//! Finds a request that one expression matches and another does not: a proof by example.
//!
//! The requests are built from values near those that the expressions name, in all combinations up
//! to a bound. A list is assumed to have some items and to lack others. A condition on the headers
//! of the response is assumed to be possible.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use bumpalo::Bump;

use crate::evaluate::{ListItems, Lists, Program, Reason, Truth};
use crate::expression::{Expression, tree};
use crate::field_values::is_derived;
use crate::given::Given;
use crate::pages::is_path_field;
use crate::predicate::texts_of_pattern;
use crate::request::{Body, Request};
use crate::syntax::{
    Base, ComparedValue, Comparison, Index, Item, Literal, Node, NodeKind, Operand, Operator,
};
use crate::vocabulary::{FIELDS, FieldType};

/// Maximum number of requests that one search tries.
const MOST_REQUESTS: usize = 4_096;

/// Maximum number of values of one field that a search combines.
const MOST_VALUES: usize = 48;

/// An address that all lists are assumed to contain.
const LISTED: IpAddr = IpAddr::V4(Ipv4Addr::new(198, 51, 100, 7));

/// An address that expressions rarely name.
const UNNAMED: IpAddr = IpAddr::V4(Ipv4Addr::new(203, 0, 113, 77));

/// A number of a network that all lists are assumed to contain (RFC 5398).
const LISTED_NUMBER: i64 = 64_496;

/// The value that leaves a field as the other fields have it.
const UNSET: Given = Given::Several(Vec::new());

/// The result of a search.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Counterexample {
    /// This request is one.
    Found(Box<Request>),
    /// None was found, and every request could be evaluated. This proves nothing.
    NotFound,
    /// None was found, and some requests could not be evaluated.
    Open,
}

/// A field or a header.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Property {
    Field(String),
    Header(String),
}

/// The values that a search combines.
#[derive(Debug)]
struct Candidates<'z> {
    zone: &'z str,
    values: BTreeMap<Property, Vec<Given>>,
    lists: Lists,
}

impl Expression {
    /// Looks for a request to a zone that this expression matches and `other` does not.
    #[must_use]
    pub fn counterexample(&self, other: &Self, zone: &str) -> Counterexample {
        search(self, other, zone)
    }
}

fn search(one: &Expression, other: &Expression, zone: &str) -> Counterexample {
    let (Some(inner), Some(outer)) = (one.compile(), other.compile()) else {
        return Counterexample::Open;
    };
    let mut candidates = Candidates { zone, values: BTreeMap::new(), lists: Lists::new() };
    for tree in [one, other].into_iter().filter_map(|expression| tree(expression.canonical())) {
        candidates.add_tree(&tree);
    }
    let numbers = candidates.values.values().map(Vec::len);
    let number = numbers.fold(1_usize, usize::saturating_mul).min(MOST_REQUESTS);
    let mut is_open = false;
    for request in (0..number).filter_map(|number| candidates.request(number)) {
        let arena = Bump::new();
        let mut sample = request.sample(&arena);
        sample.set_lists(&candidates.lists);
        match (can_hold(&inner, inner.evaluate(&sample)), outer.evaluate(&sample)) {
            (Some(true), Truth::False) => return Counterexample::Found(Box::new(request.clone())),
            (None, Truth::False | Truth::Unknown(_)) | (Some(true), Truth::Unknown(_)) => {
                is_open = true;
            }
            (Some(false), _) | (_, Truth::True) => {}
        }
    }
    if is_open { Counterexample::Open } else { Counterexample::NotFound }
}

/// Returns true if a result is true, or depends on nothing but the response; `None` if it is
/// unknown.
fn can_hold(program: &Program, truth: Truth) -> Option<bool> {
    let is_of_response = |reason: &Reason| match reason {
        Reason::Field(name) => {
            FIELDS.iter().any(|field| field.name == name && field.is_of_response)
        }
        Reason::List(_) | Reason::Function(_) | Reason::Pattern(_) => false,
    };
    match truth {
        Truth::True => Some(true),
        Truth::False => Some(false),
        Truth::Unknown(_) => program.reasons(truth).all(is_of_response).then_some(true),
    }
}

impl Candidates<'_> {
    fn add_tree(&mut self, node: &Node) {
        node.each_operand(&mut |operand| {
            if let Base::Call(..) = &operand.base {
                let arguments = operand.arguments();
                let literals: Vec<&Literal> = arguments
                    .iter()
                    .filter_map(|argument| operand_of(argument)?.literal())
                    .collect();
                for argument in arguments.iter().filter_map(operand_of) {
                    self.add(argument, &literals);
                }
            } else {
                self.add(operand, &[]);
            }
        });
        node.each_comparison(&mut |comparison| self.add_comparison(comparison));
    }

    fn add_comparison(&mut self, comparison: &Comparison) {
        let literals: Vec<&Literal> = match &comparison.right {
            ComparedValue::Literal(literal) => vec![literal],
            ComparedValue::Set(items) => items
                .iter()
                .flat_map(|(item, _)| match item {
                    Item::One(literal) => vec![literal],
                    Item::Range(first, last) => vec![first, last],
                })
                .collect(),
            ComparedValue::List(name) => {
                let items = ListItems {
                    networks: vec![LISTED.into()],
                    integers: [LISTED_NUMBER].into(),
                    texts: [format!("listed.{}", self.zone).into_bytes()].into(),
                    suffixes: Vec::new(),
                };
                self.lists.insert(name.trim_start_matches('$').to_owned(), items);
                Vec::new()
            }
            ComparedValue::Operand(_) | ComparedValue::Broken => Vec::new(),
        };
        self.add(&comparison.left, &literals);
        if let (Operator::Matches, [Literal::Bytes(pattern)]) =
            (comparison.operator, literals.as_slice())
        {
            let texts: Vec<Literal> =
                texts_of_pattern(pattern).into_iter().map(Literal::Bytes).collect();
            self.add(&comparison.left, &texts.iter().collect::<Vec<_>>());
        }
    }

    /// Adds values of the field that an operand reads, through functions.
    fn add(&mut self, operand: &Operand, literals: &[&Literal]) {
        let name = match &operand.base {
            Base::Field(name) => name,
            Base::Call(_, arguments) => {
                for argument in arguments.iter().filter_map(operand_of) {
                    self.add(argument, literals);
                }
                return;
            }
            Base::Literal(_) => return,
        };
        let Some(field) = FIELDS.iter().find(|field| field.name == name) else { return };
        let name = field.instead.or(field.raw_of).unwrap_or(field.name);
        let property = match (name, operand.indexes.first()) {
            ("http.request.headers", Some((Index::Key(key), _))) => {
                Property::Header(String::from_utf8_lossy(key).to_ascii_lowercase())
            }
            _ => Property::Field(name.to_owned()),
        };
        let kind = match property {
            Property::Header(_) => FieldType::Bytes,
            Property::Field(_) => field.kind,
        };
        let is_literal = |text: &str| {
            literals.iter().any(|own| matches!(own, Literal::Bytes(own) if own == text.as_bytes()))
        };
        let (from, to) = field.range.unwrap_or((i64::MIN, i64::MAX));
        let is_allowed = |value: &Given| match value {
            // A zone has hosts of other names only if an author says so.
            Given::Text(text) if name == "http.host" => {
                text.strip_suffix(self.zone).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
                    || is_literal(text)
            }
            Given::Text(text) => field.values.is_empty() || field.values.contains(&text.as_str()),
            Given::Integer(number) => (from..=to).contains(number),
            Given::Truth(_) | Given::Several(_) => true,
        };
        let mut values: Vec<Given> =
            literals.iter().flat_map(|literal| near(literal, is_path_field(name))).collect();
        values.sort_by_key(|value| !matches!(value, Given::Text(text) if is_literal(text)));
        values.retain(|value| value.as_value(kind, &Bump::new()).is_some() && is_allowed(value));
        values.extend(self.ordinary_values(name, kind).into_iter().filter(is_allowed));
        if values.is_empty() {
            return;
        }
        let known = self.values.entry(property).or_default();
        for value in values {
            if known.len() < MOST_VALUES && !known.contains(&value) {
                known.push(value);
            }
        }
    }

    /// Returns values that a field can have, whatever the expressions name.
    fn ordinary_values(&self, name: &str, kind: FieldType) -> Vec<Given> {
        let texts = |texts: &[&str]| texts.iter().map(|one| text(one)).chain([UNSET]).collect();
        match (name, kind) {
            ("http.host", _) => {
                let below = ["unnamed.", "listed."].map(|label| format!("{label}{}", self.zone));
                texts(&below.each_ref().map(String::as_str))
            }
            ("http.request.method", _) => texts(&["POST", "PUT"]),
            ("http.request.uri.query" | "http.request.full_uri", _) => vec![UNSET],
            (name, _) if is_path_field(name) => texts(&["/unnamed"]),
            (_, FieldType::Boolean) => vec![Given::Truth(true), Given::Truth(false)],
            (_, FieldType::Integer) => [0, LISTED_NUMBER].map(Given::Integer).into(),
            (_, FieldType::Address) => [UNNAMED, LISTED].map(address).into(),
            (_, FieldType::Bytes) => texts(&["unnamed", ""]),
            _ => Vec::new(),
        }
    }

    /// Returns the request with one of the combinations of values; `None` if there is no such
    /// request.
    fn request(&self, mut number: usize) -> Option<Request> {
        let mut request = Request::of_line("GET", true, self.zone, "/", "");
        request.has_all_headers = true;
        request.body = Body::Known(Vec::new());
        request.address = Some(UNNAMED);
        for (property, values) in &self.values {
            let value = values.get(number % values.len().max(1))?;
            number /= values.len().max(1);
            match (property, value) {
                (_, value) if *value == UNSET => {}
                (Property::Header(name), Given::Text(value)) => {
                    if name == "host" {
                        return None;
                    }
                    request.headers.push((name.clone(), value.clone().into_bytes()));
                }
                (Property::Header(_), _) => return None,
                (Property::Field(name), value) => self.set(&mut request, name, value)?,
            }
        }
        Some(request)
    }

    /// Sets a field of a request; `None` if it cannot have the value.
    fn set(&self, request: &mut Request, name: &str, value: &Given) -> Option<()> {
        match (name, value) {
            ("ssl", Given::Truth(is_https)) => request.is_https = *is_https,
            ("http.host", Given::Text(host)) => {
                let parsed = Request::new("GET", &format!("https://{host}/")).ok()?;
                request.host = (parsed.host == *host).then_some(parsed.host)?;
            }
            ("http.request.method", Given::Text(method)) => request.method.clone_from(method),
            ("http.request.uri.path", Given::Text(path)) => {
                is_path(path).then(|| request.path.clone_from(path))?
            }
            ("http.request.uri.query", Given::Text(query)) => request.query.clone_from(query),
            ("http.request.uri", Given::Text(target)) => {
                let (path, query) = target.split_once('?').unwrap_or((target, ""));
                is_path(path).then(|| request.path = path.to_owned())?;
                request.query = query.to_owned();
            }
            ("http.request.full_uri", Given::Text(address)) => {
                let Ok(other) = Request::new("GET", address) else { return Some(()) };
                (request.is_https, request.host) = (other.is_https, other.host);
                (request.path, request.query) = (other.path, other.query);
            }
            ("ip.src", Given::Text(address)) => request.address = Some(address.parse().ok()?),
            (
                "http.user_agent" | "http.referer" | "http.cookie" | "http.x_forwarded_for",
                Given::Text(value),
            ) => {
                let header = name.trim_start_matches("http.").replace('_', "-");
                request.headers.push((header, value.clone().into_bytes()));
            }
            // Where a client is follows from its address.
            (name, _)
                if name.starts_with("ip.src.")
                    && self.values.contains_key(&Property::Field("ip.src".to_owned())) => {}
            (name, _) if is_derived(name) => {}
            (name, value) => request.state(name, value).ok()?,
        }
        Some(())
    }
}

/// Returns true if a text can be the path of a request.
fn is_path(text: &str) -> bool {
    text.starts_with('/')
        && text.bytes().all(|byte| byte.is_ascii_graphic() && !b"?#".contains(&byte))
}

/// Returns the operand, if a node is one.
fn operand_of(node: &Node) -> Option<&Operand> {
    match &node.kind {
        NodeKind::Operand(operand) => Some(operand),
        NodeKind::Chain(..) | NodeKind::Comparison(_) | NodeKind::Not(_) | NodeKind::Broken => None,
    }
}

fn text(text: &str) -> Given {
    Given::Text(text.to_owned())
}

fn address(address: IpAddr) -> Given {
    Given::Text(address.to_string())
}

/// Returns values that a comparison with a literal tells apart.
fn near(literal: &Literal, is_path: bool) -> Vec<Given> {
    match literal {
        Literal::Integer(number) => {
            [*number, number.saturating_sub(1), number.saturating_add(1)].map(Given::Integer).into()
        }
        Literal::Address(one) => [Some(*one), beside(*one, true), beside(*one, false)]
            .into_iter()
            .flatten()
            .map(address)
            .collect(),
        Literal::Network(network) => {
            let (first, last) = (network.network(), network.broadcast());
            [Some(first), beside(first, false), beside(last, true)]
                .into_iter()
                .flatten()
                .map(address)
                .collect()
        }
        Literal::Bytes(bytes) => {
            let Ok(literal) = std::str::from_utf8(bytes) else { return Vec::new() };
            // The literal may be a pattern.
            let is_plain = |c: &char| c.is_alphanumeric() || "/-_.:?=& ".contains(*c);
            let plain: String = literal.chars().filter(is_plain).collect();
            let start = if is_path && !plain.starts_with('/') { "/" } else { "" };
            let mut texts = vec![literal.to_owned(), literal.to_ascii_uppercase()];
            texts.extend([format!("{start}{plain}"), format!("{start}{plain}x")]);
            let start = if is_path { "/x" } else { "x" };
            texts.push(format!("{start}{plain}"));
            texts.into_iter().map(Given::Text).collect()
        }
        Literal::Truth(_) | Literal::Unquoted(_) => Vec::new(),
    }
}

/// Returns the next address, or the previous one.
fn beside(address: IpAddr, is_next: bool) -> Option<IpAddr> {
    Some(match address {
        IpAddr::V4(four) => {
            let bits = four.to_bits();
            let beside = if is_next { bits.checked_add(1)? } else { bits.checked_sub(1)? };
            Ipv4Addr::from_bits(beside).into()
        }
        IpAddr::V6(six) => {
            let bits = six.to_bits();
            let beside = if is_next { bits.checked_add(1)? } else { bits.checked_sub(1)? };
            Ipv6Addr::from_bits(beside).into()
        }
    })
}
