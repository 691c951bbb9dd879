//! Evaluates configurations in HCL: variables with their defaults and `.tfvars`, locals,
//! `for_each`, `count`, and called modules.

mod calls;
mod instances;
mod module;
mod references;

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::rc::{Rc, Weak};

use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Block, Structure};

use super::Resource;
use super::blocks::head;
use super::body::{BodyError, MOST_OF_FILES, parse_body};
use super::evaluate::{Globals, Scope};
use super::json_syntax;
use super::modules::{Files, Modules, Role, is_json};
use super::variable_values::{Assignments, GivenValues};
use crate::diagnostic::{Place, Source, SourceId, Span, findings};
use crate::import::import_result::{ImportResult, Translation};
use crate::model::{EvaluationBudget, sort_by_key};
use module::{Call, Module, Refused, Variable};

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
        let body = match is_json(&name) {
            true => json_syntax::parse(&text, memory),
            false => parse_body(&text, memory),
        };
        match body {
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
        let own_directory = self.chain.last().map(|directory| directory.to_path_buf());
        let unread: Vec<PathBuf> = found
            .unread_values
            .keys()
            .filter(|path| real(path) == own_directory)
            .cloned()
            .collect();
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
            let why = "the configuration has too many instances or values; this entry and others \
                are left out";
            found.refuse(findings::UNKNOWN_VALUE, kind, address, place, why);
        } else {
            found.count(kind, Translation::LeftOut);
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
}

/// Returns true if a variable or output is marked as sensitive.
fn is_sensitive(block: &Block) -> bool {
    let mark = block.body.get_attribute("sensitive").map(|a| &a.value);
    matches!(mark, Some(Expression::Bool(b)) if *b.value())
}
