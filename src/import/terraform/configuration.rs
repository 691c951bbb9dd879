//! Evaluates configurations in HCL: variables with their defaults and `.tfvars`, locals,
//! `for_each`, `count`, and called modules.

mod calls;
mod module;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Block, Structure};

use super::blocks::{IgnoredChanges, META, head, is_single, key, members};
use super::body::{BodyError, MOST_OF_FILES, parse_body};
use super::evaluate::{Effort, Globals, Scope};
use super::modules::{Files, Modules, Role, plain};
use super::value::{Missing, Term};
use super::variable_types::conform;
use super::variable_values::{Assigned, Assignments, GivenValues, from_text, readable};
use super::{ASSIGNED, Resource, ZONE_REFERENCE, block_comments};
use crate::diagnostic::{Place, Source, SourceId, Span, findings};
use crate::import::import_result::{ImportResult, Translation};
use crate::import::source_files::read_below;
use crate::model::{EvaluationBudget, Gather, sort_by_key};
use module::{Call, Module, Refused, Variable, Written};

/// Maximum number of instances of one resource.
const MOST_INSTANCES: usize = 50_000;

/// Reads the files of directories. A file is a `.tfvars` file if its name ends with that extension.
pub(in crate::import) fn read(
    directories: Vec<(PathBuf, Vec<SourceId>)>,
    given: &GivenValues,
    found: &mut ImportResult,
) -> Vec<Resource> {
    let memory = EvaluationBudget::of_bytes(MOST_OF_FILES);
    let parse = |(path, files): (PathBuf, Vec<SourceId>)| (path, parse_all(&files, &memory, found));
    let parsed: Vec<_> = directories.into_iter().map(parse).collect();
    // Terraform ignores files with values in a directory without configuration.
    for (_, name, _) in parsed
        .iter()
        .filter(|(_, files)| files.bodies.is_empty())
        .flat_map(|(_, files)| &files.values)
    {
        found.skip_file(Path::new(name), "there is no configuration beside it; use `--var-file`");
    }
    let (values, unreadable) = given.read(found);
    for (path, why) in unreadable {
        found.report(findings::UNREADABLE_SOURCE, &path, Place::NOWHERE, &why, None);
    }
    let sources = found.sources.clone();
    let modules = Modules::new(&sources, parsed, values);
    let mut resources = Vec::new();
    let mut declared = BTreeSet::new();
    for root in modules.roots() {
        modules.effort.renew();
        let module = Module::new(&modules, vec![root], String::new(), PathBuf::new(), None);
        module.report_unread_values(found);
        declared.extend(module.variables.keys().map(|name| (*name).to_owned()));
        module.read_into(&mut resources, found);
    }
    modules.given.report_undeclared(&declared, found);
    // Terraform ignores these files: their directories have no configuration or a called module.
    for (path, why) in std::mem::take(&mut found.unread_values) {
        found.skip_file(&path, why);
    }
    resources
}

/// Parses files and reports invalid ones.
fn parse_all(files: &[SourceId], memory: &EvaluationBudget, found: &mut ImportResult) -> Files {
    let mut parsed = Files::default();
    for source in files {
        let text = found.sources.get(*source).map_or("", Source::text).to_owned();
        let name = found.sources.name(*source).to_owned();
        let role = Role::of_name(&name);
        if role >= Role::Values {
            match Assignments::parse(*source, &name, &text, memory) {
                Ok(values) => parsed.values.push((role, name, values)),
                Err(why) => drop(found.unread_values.insert(PathBuf::from(name), why)),
            }
            continue;
        }
        match parse_body(&text, memory) {
            Ok(body) => parsed.bodies.push((*source, role, body)),
            Err(error) => {
                let (offset, why) = match error {
                    BodyError::Refused(why) => (0, why),
                    BodyError::Invalid(offset, why) => (offset, why),
                };
                let place = Place { source: *source, span: Span::new(offset, offset + 1) };
                found.report(findings::UNREADABLE_SOURCE, "", place, &why, None);
                parsed.is_broken = true;
            }
        }
    }
    sort_by_key(&mut parsed.bodies, |(_, role, _)| *role);
    parsed.values.sort_by(|(role, name, _), (other, of, _)| (role, name).cmp(&(other, of)));
    parsed
}

impl<'b> Module<'b> {
    /// Creates an instance of a module and collects the blocks of its files.
    fn new(
        all: &'b Modules<'b>,
        chain: Vec<&'b Path>,
        prefix: String,
        path: PathBuf,
        call: Option<Call<'b>>,
    ) -> Rc<Self> {
        let files = chain.last().and_then(|directory| all.files(directory));
        let is_root = chain.len() == 1;
        let mut module = Self {
            own: Weak::new(),
            chain,
            all,
            prefix,
            path,
            call,
            calls: BTreeMap::new(),
            outputs: BTreeMap::new(),
            children: RefCell::default(),
            variables: BTreeMap::new(),
            assigned: if is_root {
                all.given.by_variable(
                    files.into_iter().flat_map(|files| &files.values).map(|(_, _, values)| values),
                )
            } else {
                BTreeMap::new()
            },
            sensitive_outputs: BTreeSet::new(),
            locals: BTreeMap::new(),
            blocks: BTreeMap::new(),
            redeclared: BTreeMap::new(),
            cache: RefCell::default(),
        };
        for (source, role, body) in files.map_or(&[][..], |files| &files.bodies) {
            for structure in body {
                if let Structure::Block(block) = structure {
                    module.block(*source, *role, block);
                }
            }
        }
        Rc::new_cyclic(|own| Self { own: own.clone(), ..module })
    }

    /// Reports unreadable files with values in the directory, and the variables that remain
    /// unknown.
    fn report_unread_values(&self, found: &mut ImportResult) {
        let real = |path: &Path| {
            let directory = path
                .parent()
                .filter(|parent| !parent.as_os_str().is_empty())
                .unwrap_or(Path::new("."));
            directory.canonicalize().ok()
        };
        let own = self.chain.last().map(|directory| directory.to_path_buf());
        let unread: Vec<PathBuf> =
            found.unread_values.keys().filter(|path| real(path) == own).cloned().collect();
        for path in unread {
            let why = found.unread_values.remove(&path).unwrap_or_default();
            let has_value = |(name, variable): &(&&str, &Variable<'_>)| {
                variable.default.is_some() || self.assigned.contains_key(**name)
            };
            let with_value = self.variables.iter().filter(has_value);
            let with_value: Vec<String> = with_value.map(|(name, _)| format!("`{name}`")).collect();
            let detail = match with_value.as_slice() {
                [] => why,
                names => format!(
                    "{why}; if it sets {}, other values than its own are imported",
                    names.join(", ")
                ),
            };
            found.report(
                findings::UNREADABLE_VALUES,
                &path.display().to_string(),
                Place::NOWHERE,
                &detail,
                None,
            );
        }
    }

    /// Adds the resources of the module and of the modules that it calls. Reports unknown values.
    fn read_into(&self, resources: &mut Vec<Resource>, found: &mut ImportResult) {
        for ((kind, name), (source, block)) in &self.blocks {
            if kind.starts_with("cloudflare_") {
                self.all
                    .effort
                    .released(|| self.expand(kind, name, *source, block, resources, found));
            }
        }
        for (name, (source, block)) in &self.calls {
            let address = format!("{}module.{name}", self.prefix);
            let place = head(*source, block);
            let refused = match self.all.effort.released(|| self.called(name)) {
                Ok(instances) => {
                    found.count("module", Translation::Whole);
                    instances.iter().for_each(|(_, module)| module.read_into(resources, found));
                    continue;
                }
                Err(refused) => refused,
            };
            found.leaving.keep(&address);
            match refused {
                Refused::Elsewhere(why) => {
                    found.refuse(findings::NOT_TRANSLATED, "module", &address, place, &why)
                }
                Refused::Missing(missing) => {
                    let at = if missing.place == Place::NOWHERE { place } else { missing.place };
                    found.refuse(findings::UNKNOWN_VALUE, "module", &address, at, &missing.why);
                }
                Refused::TooMany => self.too_many("module", &address, place, found),
            }
        }
    }

    /// Reports that the limit on entries is exceeded. Only the first such entry is reported.
    fn too_many(&self, kind: &str, address: &str, place: Place, found: &mut ImportResult) {
        found.leaving.keep(address);
        if self.all.is_first_of_too_many() {
            let why = "the configuration has too many instances or values; this entry and others are left out";
            found.refuse(findings::UNKNOWN_VALUE, kind, address, place, why);
        } else {
            found.count(kind, Translation::LeftOut);
        }
    }

    /// Returns the value of a variable.
    fn variable(&self, name: &str, place: Place) -> Term {
        let declared = self.variables.get(name).copied().unwrap_or_default();
        let assigned = self.assigned.get(name).copied();
        let is_given = self.call.as_ref().is_some_and(|call| call.has(name));
        if !is_given && assigned.is_none() && declared.default.is_none() {
            let where_to = match self.call {
                None => format!(
                    "give it with `--var {name}=VALUE`, `--var-file` or in `terraform.tfvars`"
                ),
                Some(_) => "set it in the `module` block".to_owned(),
            };
            let why = format!("the variable `{name}` has no value; {where_to}");
            return Term::Missing(Missing::unknown(why, place));
        }
        let evaluate = |(source, expression): Written<'_>| self.scope(source).evaluate(expression);
        let assigned_value = |assigned: Assigned<'_>| match assigned {
            Assigned::Expression(source, expression) => evaluate((source, expression)),
            Assigned::Value(value) => value.clone(),
            Assigned::Text(text) => {
                from_text(text, declared.kind.map(|(_, kind)| kind), name, place)
            }
        };
        let value = self.cached(format!("var.{name}"), place, || {
            let input = self.call.as_ref().and_then(|call| call.input(name));
            if input.as_ref().is_some_and(|value| !self.all.admits_input(value.size())) {
                return Term::Missing(Missing::unknown(
                    "the modules are called with too many values",
                    place,
                ));
            }
            let given = input
                .or_else(|| assigned.map(assigned_value).map(|value| readable(value, name, place)));
            let given = given.filter(|value| !(declared.is_never_null && *value == Term::Null));
            let value = given.or_else(|| declared.default.map(evaluate)).unwrap_or(Term::Null);
            let value = match declared.kind {
                Some((of, kind)) => conform(value, kind, &self.scope(of)),
                None => value,
            };
            match value {
                value @ (Term::Null | Term::Missing(_)) => value,
                value if declared.is_sensitive => Term::Missing(Missing::sensitive(
                    &format!("the variable `{name}`"),
                    value,
                    place,
                )),
                value => value,
            }
        });
        match value {
            // An entry that refers to the variable is reported at its own place.
            Term::Missing(missing) if declared.is_sensitive => {
                Term::Missing(Missing { place, ..missing })
            }
            value => value,
        }
    }

    /// Registers a block at the top of a file.
    fn block(&mut self, source: SourceId, role: Role, block: &'b Block) {
        let labels: Vec<&str> =
            block.labels.iter().map(hcl_edit::structure::BlockLabel::as_str).collect();
        let attributes =
            || block.body.attributes().map(|a: &Attribute| (a.key.as_str(), (source, &a.value)));
        match (block.ident.as_str(), labels.as_slice()) {
            ("variable", [name]) => {
                let written =
                    |name: &str| block.body.get_attribute(name).map(|a| (source, &a.value));
                let nullable = block.body.get_attribute("nullable").map(|a| &a.value);
                let is_never_null = matches!(nullable, Some(Expression::Bool(b)) if !*b.value());
                let is_sensitive = is_sensitive(block);
                let overridden = self
                    .variables
                    .get(name)
                    .copied()
                    .filter(|_| role == Role::Override)
                    .unwrap_or_default();
                let (default, kind) = (
                    written("default").or(overridden.default),
                    written("type").or(overridden.kind),
                );
                let is_never_null = is_never_null || overridden.is_never_null;
                let is_sensitive = is_sensitive || overridden.is_sensitive;
                self.variables
                    .insert(name, Variable { is_sensitive, default, kind, is_never_null });
            }
            ("locals", []) => self.locals.extend(attributes()),
            ("resource" | "data", [kind, name]) => {
                let kind = if block.ident.as_str() == "data" {
                    format!("data.{kind}")
                } else {
                    (*kind).to_owned()
                };
                let address = format!("{kind}.{name}");
                let earlier_block = self.blocks.insert((kind, name), (source, block));
                if earlier_block.is_some_and(|earlier| !self.is_the_same(earlier, (source, block)))
                {
                    self.redeclared.insert(address, role.redeclares());
                }
            }
            ("module", [name]) => {
                let earlier_call = self.calls.insert(name, (source, block));
                if earlier_call.is_some_and(|earlier| !self.is_the_same(earlier, (source, block))) {
                    self.redeclared.insert(format!("module.{name}"), role.redeclares());
                }
            }
            ("output", [name]) => {
                let value = block.body.get_attribute("value");
                self.outputs.extend(value.map(|a| (*name, (source, &a.value))));
                self.sensitive_outputs.extend(is_sensitive(block).then_some(*name));
            }
            _ => {}
        }
    }

    /// Returns true if two blocks have the same text and place. A file is read twice if the user
    /// names its directory twice.
    fn is_the_same(&self, one: (SourceId, &Block), other: (SourceId, &Block)) -> bool {
        let file =
            |(source, block): (SourceId, &Block)| (head(source, block).span, self.text(source));
        one.0 != other.0 && file(one) == file(other)
    }

    /// Returns the scope at the top of a file.
    fn scope(&self, source: SourceId) -> Scope<'_> {
        Scope { source, globals: self, names: Vec::new() }
    }

    /// Evaluates a value once. The value is missing if it depends on itself.
    fn cached(&self, key: String, place: Place, evaluate: impl FnOnce() -> Term) -> Term {
        if let Some(known) = self.cache.borrow().get(&key) {
            return known.clone().unwrap_or_else(|| {
                Term::Missing(Missing::unknown(format!("`{key}` refers to itself"), place))
            });
        }
        self.cache.borrow_mut().insert(key.clone(), None);
        let value = self.all.effort.keep(evaluate(), place);
        self.cache.borrow_mut().insert(key, Some(value.clone()));
        value
    }

    /// Returns the scopes of the instances of a block, each with the text of its index.
    fn instances(
        &self,
        source: SourceId,
        block: &Block,
    ) -> Result<Vec<(String, Scope<'_>)>, Missing> {
        let scope = self.scope(source);
        let with = |name: &str, members: Vec<(&str, Term)>| {
            let mut inner = self.scope(source);
            let members =
                members.into_iter().map(|(member, value)| (member.to_owned(), value)).gather();
            inner.names.push((name.to_owned(), Rc::new(Term::Map(members))));
            inner
        };
        let place = head(source, block);
        let labels: Vec<&str> =
            block.labels.iter().map(hcl_edit::structure::BlockLabel::as_str).collect();
        let head = if block.ident.as_str() == "resource" {
            String::new()
        } else {
            format!("{}.", block.ident.as_str())
        };
        if let Some(why) = self.redeclared.get(&format!("{head}{}", labels.join("."))) {
            return Err(Missing::unknown(*why, place));
        }
        let bounded = |n: usize| {
            if n > MOST_INSTANCES {
                Err(Missing::unknown(format!("it has {n} instances"), place))
            } else {
                Ok(())
            }
        };
        if let Some(attribute) = block.body.get_attribute("for_each") {
            let pairs: Vec<(String, Term)> = match scope.evaluate(&attribute.value) {
                Term::Missing(missing) => return Err(missing),
                Term::Map(map) => map.into_iter().collect(),
                Term::List(list) => {
                    let pair = |item: Term| match (item.text(), item) {
                        (Some(key), item) => Ok((key, item)),
                        (None, Term::Missing(missing)) => Err(missing),
                        (None, _) => {
                            Err(Missing::error("`for_each` needs a map, or a set of text", place))
                        }
                    };
                    list.into_iter().map(pair).collect::<Result<_, _>>()?
                }
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
                value => value
                    .whole()
                    .ok_or_else(|| Missing::error("`count` needs a whole number", place))?,
            };
            bounded(count as usize)?;
            let instance = |n: u32| {
                (format!("[{n}]"), with("count", vec![("index", Term::Number(f64::from(n)))]))
            };
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
        found: &mut ImportResult,
    ) {
        let address = format!("{}{kind}.{name}", self.prefix);
        let place = head(source, block);
        let instances = match self.instances(source, block) {
            Ok(instances) => instances,
            Err(missing) => {
                let at = if missing.place == Place::NOWHERE { place } else { missing.place };
                found.leaving.resource(&address, false);
                found.refuse(findings::UNKNOWN_VALUE, kind, &address, at, &missing.why);
                return;
            }
        };
        if !self.all.admits_resources(instances.len()) {
            return self.too_many(kind, &address, place, found);
        }
        let ignored = IgnoredChanges::of(block);
        let origin: Arc<str> =
            self.chain.first().map(|root| self.all.shown(root)).unwrap_or_default().into();
        let text = self.text(source);
        let comments: Arc<[_]> =
            block_comments::of(text, place.span.start as usize, place.span.end as usize, block)
                .into();
        for (index, scope) in instances {
            let address = format!("{address}{index}");
            match self.all.effort.released(|| members(&block.body, &scope)) {
                Ok(mut values) => {
                    ignored.leave(kind, &mut values, place);
                    values.insert("id".to_owned(), Term::Text(format!("{ASSIGNED}{address}")));
                    let values = match self.all.effort.keep(Term::Map(values), place) {
                        Term::Missing(_) => {
                            self.too_many(kind, &address, place, found);
                            continue;
                        }
                        values => values,
                    };
                    let (kind, comments) = (kind.to_owned(), Arc::clone(&comments));
                    let origin = Arc::clone(&origin);
                    out.push(Resource {
                        address,
                        kind,
                        values,
                        place,
                        comments,
                        origin,
                        is_complete: false,
                    });
                }
                Err(at) => {
                    let why = "`dynamic` blocks are not read; import the state (`terraform show -json`) instead";
                    found.leaving.resource(&address, false);
                    found.refuse(findings::NOT_TRANSLATED, kind, &address, at, why);
                }
            }
        }
    }

    /// Returns the attributes of an instance that expressions can refer to: its id, and the
    /// attributes that its block sets.
    fn seen(&self, kind: &str, address: &str, block: &Block, scope: &Scope<'_>) -> Term {
        let place = head(scope.source, block);
        let plain = kind.trim_start_matches("data.");
        let attribute =
            |name: &str| block.body.get_attribute(name).map(|a| scope.evaluate(&a.value));
        let zone_name = || {
            let filter = block.body.get_blocks("filter").next();
            let filtered = || {
                filter.and_then(|f| f.body.get_attribute("name")).map(|a| scope.evaluate(&a.value))
            };
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
                map.extend([
                    ("name".to_owned(), Term::from(&*name)),
                    ("zone".to_owned(), Term::Text(name)),
                ]);
            }
            ("cloudflare_zones", Some(Term::Text(name))) => {
                let id = Term::Text(format!("{ZONE_REFERENCE}{name}"));
                let zone = Term::Map(
                    [("id".to_owned(), id), ("name".to_owned(), Term::Text(name))]
                        .into_iter()
                        .gather(),
                );
                let zones = Term::List(vec![zone]);
                map.extend([("zones".to_owned(), zones.clone()), ("result".to_owned(), zones)]);
            }
            ("cloudflare_zone" | "cloudflare_zones", name) => {
                let unknown = match name {
                    Some(Term::Missing(missing)) => missing,
                    _ => Missing::unknown(
                        format!("`{address}` does not say the name of its zone"),
                        place,
                    ),
                };
                let members = if plain == "cloudflare_zone" {
                    ["id", "zone_id"]
                } else {
                    ["zones", "result"]
                };
                let unknown = |member: &str| (member.to_owned(), Term::Missing(unknown.clone()));
                map.extend(members.map(unknown));
            }
            _ => drop(map.insert("id".to_owned(), Term::Text(format!("{ASSIGNED}{address}")))),
        }
        Term::Map(map)
    }

    /// Returns the value of `kind.name`: an object, or a map or list of objects.
    fn resource(&self, kind: &str, name: &str, place: Place) -> Option<Term> {
        let (source, block) = self.blocks.get(&(kind.to_owned(), name))?;
        let address = format!("{}{kind}.{name}", self.prefix);
        Some(self.cached(address.clone(), place, || {
            let instances = match self.instances(*source, block) {
                Ok(instances) => instances,
                Err(missing) => return Term::Missing(missing),
            };
            let object = |(index, scope): &(String, Scope<'_>)| {
                self.seen(kind, &format!("{address}{index}"), block, scope)
            };
            if block.body.has_attribute("count") {
                return Term::List(instances.iter().map(object).collect());
            }
            if block.body.has_attribute("for_each") {
                return Term::Map(instances.iter().map(|one| (key(&one.1), object(one))).gather());
            }
            instances.first().map_or(Term::Null, object)
        }))
    }
}

/// Returns true if a variable or output is marked as sensitive.
fn is_sensitive(block: &Block) -> bool {
    let mark = block.body.get_attribute("sensitive").map(|a| &a.value);
    matches!(mark, Some(Expression::Bool(b)) if *b.value())
}

impl Globals for Module<'_> {
    fn lookup(&self, first: &str, rest: &[&str], place: Place) -> Option<(Term, usize)> {
        match (first, rest) {
            ("var", [name, ..]) => Some((self.variable(name, place), 1)),
            ("local", [name, ..]) => {
                let (source, expression) = self.locals.get(name)?;
                let value = self.cached(format!("local.{name}"), place, || {
                    self.scope(*source).evaluate(expression)
                });
                Some((value, 1))
            }
            ("path", ["module", ..]) => match self.path.to_str() {
                Some("") => Some((Term::from("."), 1)),
                path => Some((Term::from(path?), 1)),
            },
            // Terraform runs in the directory of the root.
            ("path", ["root" | "cwd", ..]) => Some((Term::from("."), 1)),
            ("module", path) => self.outputs(path, place),
            ("data", [kind, name, ..]) => {
                Some((self.resource(&format!("data.{kind}"), name, place)?, 2))
            }
            (kind, [name, rest @ ..]) if kind.starts_with("cloudflare_") => {
                let value = self.resource(kind, name, place)?;
                // Attributes that only Cloudflare knows, such as an assigned name server.
                if let (Term::Map(map), [attribute, ..]) = (&value, rest) {
                    let block = self.blocks.get(&(kind.to_owned(), name));
                    if block.is_some_and(|(_, block)| is_single(block))
                        && !map.contains_key(*attribute)
                    {
                        return None;
                    }
                }
                Some((value, 1))
            }
            _ => None,
        }
    }

    fn read(&self, name: &str) -> Result<String, String> {
        let (Some(root), Some(own)) = (self.chain.first(), self.chain.last()) else {
            return Err(String::new());
        };
        // Terraform runs in the directory of the root. A name that begins with `path.module` leads
        // to the directory of the module.
        let path = plain(&root.join(name));
        let below = |directory: &Path| {
            path.strip_prefix(directory).ok().and_then(Path::to_str).map(str::to_owned)
        };
        match (below(own), below(root)) {
            (Some(name), _) => read_below(own, &name),
            (None, Some(name)) => read_below(root, &name),
            (None, None) => read_below(own, name),
        }
    }

    fn text(&self, source: SourceId) -> &str {
        self.all.sources.get(source).map_or("", Source::text)
    }

    fn effort(&self) -> &Effort {
        &self.all.effort
    }
}
