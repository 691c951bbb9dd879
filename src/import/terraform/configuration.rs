//! Configurations in HCL: variables with their defaults and `.tfvars`, locals, `for_each` and `count`.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use hcl_edit::Span as _;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Block, Body, Structure};

use super::evaluate::{Globals, Scope};
use super::nesting::is_too_deep;
use super::types::conform;
use super::value::{Missing, Term};
use super::{Resource, ZONE_REFERENCE, remarks};
use crate::diagnostic::{Place, Source, SourceId, Sources, Span, findings};
use crate::import::files::read_below;
use crate::import::found::Found;

/// Attributes and blocks of a resource that Terraform itself uses.
const META: &[&str] =
    &["for_each", "count", "provider", "depends_on", "lifecycle", "timeouts", "connection", "provisioner"];
/// The most instances of one resource.
const MOST_INSTANCES: usize = 50_000;

/// An expression and its file.
type Written<'b> = (SourceId, &'b Expression);

/// A variable.
#[derive(Clone, Copy, Default)]
struct Variable<'b> {
    /// Its default.
    default: Option<Written<'b>>,
    /// Its type.
    kind: Option<Written<'b>>,
}

/// A module: every file of a directory.
struct Module<'b> {
    /// Its directory.
    directory: &'b Path,
    /// The texts of the files.
    sources: &'b Sources,
    /// Variables.
    variables: BTreeMap<&'b str, Variable<'b>>,
    /// Values of variables from `.tfvars` files.
    assigned: BTreeMap<&'b str, Written<'b>>,
    /// Local values.
    locals: BTreeMap<&'b str, Written<'b>>,
    /// Resources and data sources by kind (with `data.` in front) and name.
    blocks: BTreeMap<(String, &'b str), (SourceId, &'b Block)>,
    /// What was evaluated; `None` while it is under way.
    cache: RefCell<BTreeMap<String, Option<Term>>>,
    /// Steps taken.
    steps: Cell<usize>,
}

/// Reads the files of the module in a directory; `.tfvars` files are those whose name ends like that.
pub(in crate::import) fn read(directory: &Path, files: &[SourceId], found: &mut Found) -> Vec<Resource> {
    let mut bodies = Vec::new();
    for source in files {
        let text = found.sources.get(*source).map_or("", Source::text).to_owned();
        match parse(&text) {
            Ok(body) => bodies.push((*source, found.sources.name(*source).ends_with(".tfvars"), body)),
            Err((offset, why)) => {
                let place = Place { source: *source, span: Span::new(offset, offset + 1) };
                found.report(findings::UNREADABLE_SOURCE, "", place, &why, None);
            }
        }
    }
    let sources = found.sources.clone();
    let module = Module::new(directory, &sources, &bodies, found);
    let mut resources = Vec::new();
    for ((kind, name), (source, block)) in &module.blocks {
        let is_ours = kind.starts_with("cloudflare_");
        if is_ours {
            module.expand(kind, name, *source, block, &mut resources, found);
        }
    }
    resources
}

/// Parses a file; otherwise where and why it is invalid.
fn parse(text: &str) -> Result<Body, (usize, String)> {
    if is_too_deep(text) {
        return Err((0, "the file nests too deeply".to_owned()));
    }
    Body::from_str(text).map_err(|error| (error.location().offset(), error.message().to_owned()))
}

impl<'b> Module<'b> {
    /// Sorts the blocks of the files; reports what cannot be read.
    fn new(directory: &'b Path, sources: &'b Sources, bodies: &'b [(SourceId, bool, Body)], found: &mut Found) -> Self {
        let mut module = Self {
            directory,
            sources,
            variables: BTreeMap::new(),
            assigned: BTreeMap::new(),
            locals: BTreeMap::new(),
            blocks: BTreeMap::new(),
            cache: RefCell::default(),
            steps: Cell::new(0),
        };
        for (source, is_assignment, body) in bodies {
            for structure in body {
                match structure {
                    Structure::Attribute(attribute) if *is_assignment => {
                        module.assigned.insert(attribute.key.as_str(), (*source, &attribute.value));
                    }
                    Structure::Attribute(_) => {}
                    Structure::Block(block) => module.block(*source, block, found),
                }
            }
        }
        module
    }

    /// Takes in a block at the top of a file.
    fn block(&mut self, source: SourceId, block: &'b Block, found: &mut Found) {
        let labels: Vec<&str> = block.labels.iter().map(hcl_edit::structure::BlockLabel::as_str).collect();
        let attributes = || block.body.attributes().map(|a: &Attribute| (a.key.as_str(), (source, &a.value)));
        match (block.ident.as_str(), labels.as_slice()) {
            ("variable", [name]) => {
                let written = |name: &str| block.body.get_attribute(name).map(|a| (source, &a.value));
                self.variables.insert(name, Variable { default: written("default"), kind: written("type") });
            }
            ("locals", []) => self.locals.extend(attributes()),
            ("resource", [kind, name]) => drop(self.blocks.insert(((*kind).to_owned(), name), (source, block))),
            ("data", [kind, name]) => drop(self.blocks.insert((format!("data.{kind}"), name), (source, block))),
            ("module", [name]) => {
                let why = "modules are not read; import the state (`terraform show -json`) to include what it makes";
                found.refuse(findings::NOT_TRANSLATED, "module", &format!("module.{name}"), head(source, block), why);
            }
            _ => {}
        }
    }

    /// The scope at the top of a file.
    fn scope(&self, source: SourceId) -> Scope<'_> {
        Scope { source, globals: self, names: Vec::new() }
    }

    /// The value of something that may refer to itself by way of others.
    fn cached(&self, key: String, place: Place, evaluate: impl FnOnce() -> Term) -> Term {
        if let Some(known) = self.cache.borrow().get(&key) {
            return known
                .clone()
                .unwrap_or_else(|| Term::Missing(Missing::unknown(format!("`{key}` refers to itself"), place)));
        }
        self.cache.borrow_mut().insert(key.clone(), None);
        let value = evaluate();
        self.cache.borrow_mut().insert(key, Some(value.clone()));
        value
    }

    /// The scopes of the instances of a block, with the text of their index.
    fn instances(&self, source: SourceId, block: &Block) -> Result<Vec<(String, Scope<'_>)>, Missing> {
        let scope = self.scope(source);
        let with = |name: &str, members: Vec<(&str, Term)>| {
            let mut inner = self.scope(source);
            let members = members.into_iter().map(|(member, value)| (member.to_owned(), value)).collect();
            inner.names.push((name.to_owned(), Term::Map(members)));
            inner
        };
        let place = head(source, block);
        let bounded = |n: usize| {
            if n > MOST_INSTANCES { Err(Missing::unknown(format!("it has {n} instances"), place)) } else { Ok(()) }
        };
        if let Some(attribute) = block.body.get_attribute("for_each") {
            let pairs: Vec<(String, Term)> = match scope.evaluate(&attribute.value) {
                Term::Missing(missing) => return Err(missing),
                Term::Map(map) => map.into_iter().collect(),
                Term::List(list) => list.into_iter().filter_map(|item| Some((item.text()?, item))).collect(),
                _ => return Err(Missing::error("`for_each` needs a map or a set", place)),
            };
            bounded(pairs.len())?;
            let instance = |(key, value): (String, Term)| {
                let index = format!("[{key:?}]");
                (index, with("each", vec![("key", Term::Text(key)), ("value", value)]))
            };
            return Ok(pairs.into_iter().map(instance).collect());
        }
        if let Some(attribute) = block.body.get_attribute("count") {
            let count = match scope.evaluate(&attribute.value) {
                Term::Missing(missing) => return Err(missing),
                value => value.whole().ok_or_else(|| Missing::error("`count` needs a whole number", place))?,
            };
            bounded(count as usize)?;
            let instance = |n: u32| (format!("[{n}]"), with("count", vec![("index", Term::Number(f64::from(n)))]));
            return Ok((0..count).map(instance).collect());
        }
        Ok(vec![(String::new(), scope)])
    }

    /// Adds the instances of a resource.
    fn expand(
        &self,
        kind: &str,
        name: &str,
        source: SourceId,
        block: &Block,
        out: &mut Vec<Resource>,
        found: &mut Found,
    ) {
        let address = format!("{kind}.{name}");
        let place = head(source, block);
        let instances = match self.instances(source, block) {
            Ok(instances) => instances,
            Err(missing) => {
                let at = if missing.place == Place::NOWHERE { place } else { missing.place };
                found.leaving.terraform.insert(address.clone(), false);
                found.refuse(findings::UNKNOWN_VALUE, kind, &address, at, &missing.why);
                return;
            }
        };
        let text = self.sources.get(source).map_or("", Source::text);
        let comments: Arc<[_]> = remarks::of(text, place.span.start as usize, place.span.end as usize, block).into();
        for (index, scope) in instances {
            let address = format!("{address}{index}");
            match members(&block.body, &scope) {
                Ok(mut values) => {
                    values.insert("id".to_owned(), Term::Text(format!("\u{1}{address}")));
                    let (kind, values, comments) = (kind.to_owned(), Term::Map(values), Arc::clone(&comments));
                    out.push(Resource { address, kind, values, place, comments });
                }
                Err(at) => {
                    let why = "`dynamic` blocks are not read; import the state (`terraform show -json`) instead";
                    found.leaving.terraform.insert(address.clone(), false);
                    found.refuse(findings::NOT_TRANSLATED, kind, &address, at, why);
                }
            }
        }
    }

    /// What other code sees of an instance: its id, and the attributes that its block sets.
    fn seen(&self, kind: &str, address: &str, block: &Block, scope: &Scope<'_>) -> Term {
        let plain = kind.trim_start_matches("data.");
        let attribute = |name: &str| block.body.get_attribute(name).map(|a| scope.evaluate(&a.value));
        let zone_name = || {
            let filter = block.body.get_blocks("filter").next();
            let filtered = || filter.and_then(|f| f.body.get_attribute("name")).map(|a| scope.evaluate(&a.value));
            let in_object = || match attribute("filter") {
                Some(Term::Map(mut filter)) => filter.remove("name"),
                _ => None,
            };
            attribute("zone").or_else(|| attribute("name")).or_else(filtered).or_else(in_object)
        };
        let mut map = BTreeMap::new();
        for member in block.body.attributes().filter(|a| !META.contains(&a.key.as_str())) {
            map.insert(member.key.to_string(), scope.evaluate(&member.value));
        }
        match (plain, zone_name()) {
            ("cloudflare_zone", Some(Term::Text(name))) => {
                let id = Term::Text(format!("{ZONE_REFERENCE}{name}"));
                map.extend([("id".to_owned(), id.clone()), ("zone_id".to_owned(), id)]);
                map.extend([("name".to_owned(), Term::from(&*name)), ("zone".to_owned(), Term::Text(name))]);
            }
            ("cloudflare_zones", Some(Term::Text(name))) => {
                let id = Term::Text(format!("{ZONE_REFERENCE}{name}"));
                let zone = Term::Map(BTreeMap::from([("id".to_owned(), id), ("name".to_owned(), Term::Text(name))]));
                let zones = Term::List(vec![zone]);
                map.extend([("zones".to_owned(), zones.clone()), ("result".to_owned(), zones)]);
            }
            ("cloudflare_zone" | "cloudflare_zones", _) => {}
            _ => drop(map.insert("id".to_owned(), Term::Text(format!("\u{1}{address}")))),
        }
        Term::Map(map)
    }

    /// The value of `kind.name`: an object, or a map or list of objects.
    fn resource(&self, kind: &str, name: &str, place: Place) -> Option<Term> {
        let (source, block) = self.blocks.get(&(kind.to_owned(), name))?;
        let address = format!("{kind}.{name}");
        Some(self.cached(address.clone(), place, || {
            let instances = match self.instances(*source, block) {
                Ok(instances) => instances,
                Err(missing) => return Term::Missing(missing),
            };
            let object =
                |(index, scope): &(String, Scope<'_>)| self.seen(kind, &format!("{address}{index}"), block, scope);
            if block.body.has_attribute("count") {
                return Term::List(instances.iter().map(object).collect());
            }
            if block.body.has_attribute("for_each") {
                let key = |scope: &Scope<'_>| match scope.names.first() {
                    Some((_, each)) => each.get("key").and_then(Term::text).unwrap_or_default(),
                    None => String::new(),
                };
                return Term::Map(instances.iter().map(|one| (key(&one.1), object(one))).collect());
            }
            instances.first().map_or(Term::Null, object)
        }))
    }
}

impl Globals for Module<'_> {
    fn lookup(&self, first: &str, rest: &[&str], place: Place) -> Option<(Term, usize)> {
        match (first, rest) {
            ("var", [name, ..]) => {
                let written = match (self.assigned.get(name), self.variables.get(name)) {
                    (Some(written), _) => Some(*written),
                    (None, Some(variable)) => variable.default,
                    (None, None) => None,
                };
                let Some((source, expression)) = written else {
                    let why = format!("the variable `{name}` has no value; set it in a `.tfvars` file");
                    return Some((Term::Missing(Missing::unknown(why, place)), 1));
                };
                let value = self.cached(format!("var.{name}"), place, || {
                    let value = self.scope(source).evaluate(expression);
                    match self.variables.get(name).and_then(|variable| variable.kind) {
                        Some((of, kind)) => conform(value, kind, &self.scope(of)),
                        None => value,
                    }
                });
                Some((value, 1))
            }
            ("local", [name, ..]) => {
                let (source, expression) = self.locals.get(name)?;
                let value = self.cached(format!("local.{name}"), place, || self.scope(*source).evaluate(expression));
                Some((value, 1))
            }
            // Files are named from the directory of the module.
            ("path", ["module" | "root" | "cwd", ..]) => Some((Term::from("."), 1)),
            ("data", [kind, name, ..]) => Some((self.resource(&format!("data.{kind}"), name, place)?, 2)),
            (kind, [name, rest @ ..]) if kind.starts_with("cloudflare_") => {
                let value = self.resource(kind, name, place)?;
                // What only Cloudflare knows, such as an assigned name server.
                if let (Term::Map(map), [attribute, ..]) = (&value, rest) {
                    let is_single = self.blocks.get(&(kind.to_owned(), name)).is_some_and(|(_, block)| {
                        !block.body.has_attribute("for_each") && !block.body.has_attribute("count")
                    });
                    if is_single && !map.contains_key(*attribute) {
                        return None;
                    }
                }
                Some((value, 1))
            }
            _ => None,
        }
    }

    fn read(&self, name: &str) -> Result<String, String> {
        read_below(self.directory, name)
    }

    fn text(&self, source: SourceId) -> &str {
        self.sources.get(source).map_or("", Source::text)
    }

    fn steps(&self) -> &Cell<usize> {
        &self.steps
    }
}

/// The attributes and blocks of a body; the place of a `dynamic` block if there is one.
fn members(body: &Body, scope: &Scope<'_>) -> Result<BTreeMap<String, Term>, Place> {
    let mut map: BTreeMap<String, Term> = BTreeMap::new();
    for structure in body {
        match structure {
            Structure::Attribute(attribute) if !META.contains(&attribute.key.as_str()) => {
                map.insert(attribute.key.to_string(), scope.evaluate(&attribute.value));
            }
            Structure::Block(block) if block.ident.as_str() == "dynamic" => return Err(head(scope.source, block)),
            Structure::Block(block) if !META.contains(&block.ident.as_str()) => {
                let inner = Term::Map(members(&block.body, scope)?);
                match map.entry(block.ident.to_string()).or_insert_with(|| Term::List(Vec::new())) {
                    Term::List(list) => list.push(inner),
                    other => *other = Term::List(vec![inner]),
                }
            }
            Structure::Attribute(_) | Structure::Block(_) => {}
        }
    }
    Ok(map)
}

/// The place of the head of a block.
fn head(source: SourceId, block: &Block) -> Place {
    let start = block.ident.span().or_else(|| block.span()).map_or(0, |span| span.start);
    let end = block.labels.last().and_then(hcl_edit::Span::span).map_or(start + block.ident.as_str().len(), |s| s.end);
    Place { source, span: Span::new(start, end) }
}
