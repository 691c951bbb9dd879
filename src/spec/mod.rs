//! The spec: reads YAML files and returns [`Desired`] and findings.
//!
//! | step | file | from → to |
//! |---|---|---|
//! | read | `load` | paths → texts and include relations; the only file access in `spec` |
//! | scan | `read_yaml`, `yaml_tree` | text → tree with places; syntax, duplicate keys |
//! | substitute | `variables`, `substitution_syntax` | `${NAME}` in the tree |
//! | check the shape | `schema_check`, `schema`, `suggest` | tree × JSON Schema → findings, and the tree without what was refused |
//! | deserialize | `deserialize`, `syntax`, `record_syntax` | tree → typed syntax with places |
//! | resolve | `zones`, `named_values`, `inherited_defaults`, `records`, `record_doubts`, `attributes`, `expiry`, `conflicting_records` | syntax of all files → the model |
//! | share | `profiles`, `profile_values` | profiles → what each zone lacks |
//! | protection | `waf` | `waf` sections, in all of these steps |
//! | print | `emit`, `origins`, `import_layout`, `shared_values`, `record_headings`, `write_yaml` | the model → YAML |
//! | all of them | `limits` | how much is read, and how much is reported |
//!
//! No step stops at the first error. Each step removes what it refuses and passes on the rest, so
//! that all errors are reported at once. The result has a [`Desired`] only if there is no error at
//! all.

mod any_value;
mod attributes;
mod conflicting_records;
mod deserialize;
mod directory_search;
mod emit;
mod expect;
mod expiry;
mod file_weight;
mod git;
mod import_layout;
mod inherited_defaults;
mod limits;
mod load;
mod named_values;
mod origins;
mod other_tools_yaml;
mod policy_file;
mod profile_values;
mod profiles;
mod read_yaml;
mod record_doubts;
mod record_headings;
mod record_syntax;
mod records;
mod repository;
mod revision;
mod revision_error;
mod scalar;
mod scalar_or_parts;
mod schema;
mod schema_check;
mod secrets;
mod settings;
mod shared_values;
mod substitution_syntax;
mod suggest;
mod suppress;
mod syntax;
mod uncommitted;
mod variables;
mod waf;
mod write_yaml;
mod yaml_1_1;
mod yaml_tree;
mod zones;

use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use ring::digest::{Context, SHA256};

pub use emit::{print, record_entry, written, written_value, zone_text};
pub use git::GitEnvironment;
pub use import_layout::{Arrangement, Part, Remarks, arrange};
pub use limits::LARGEST_FILE;
use limits::{EXPANDED, MOST, clip, is_enough};
pub use load::Input;
pub use origins::print_with_origins;
pub use other_tools_yaml::{
    Include, OctodnsDocument, Yaml, YamlKind, read_octodns_yaml, read_yaml,
};
pub use policy_file::{Allowed, POLICY_FILE, PolicyError, PolicyFile, policy_schema, read_policy};
pub use profile_values::record_set_name;
pub use read_yaml::lone_carriage_return;
pub use revision::{Revision, at_revision, is_object_id, resolve_revision};
pub use revision_error::RevisionError;
pub use schema::schema;
pub(crate) use settings::setting_value;
pub use substitution_syntax::{Piece, pieces};
pub use uncommitted::{Uncommitted, is_in_work_tree, uncommitted};
pub use waf::{deployment_entry, print_waf, rule_entry};
pub use yaml_1_1::PythonScalar;

use crate::diagnostic::{
    Diagnostics, Place, Source, SourceId, Sources, Span, findings, names_credential,
};
use crate::model::{Desired, EvaluationBudget, Suppression};

/// Options of [`load()`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Options {
    /// True if variables that no file uses are allowed, because the previous version of a spec may
    /// not have them.
    pub may_leave_variables: bool,
    /// Variables by name. They override those of the files.
    pub variables: Vec<(String, String)>,
    /// Lints that a policy accepts.
    pub accepted_lints: Vec<Suppression>,
    /// The date on which expiry is decided, `YYYY-MM-DD`. Without it, nothing has expired.
    pub today: Option<String>,
    /// Texts that are read in place of files, by file name, to load a spec as it will be once it is
    /// written.
    pub texts: BTreeMap<String, String>,
}

/// The result of loading a spec.
#[derive(Debug)]
pub struct Outcome {
    /// The desired state; `None` if there is any error.
    pub desired: Option<Desired>,
    /// Every finding, sorted.
    pub diagnostics: Diagnostics,
    /// SHA-256 over the sorted names and texts of the files and the variables of the command line;
    /// hexadecimal.
    pub digest: String,
    /// Number of files read.
    pub files: usize,
    /// Number of records in the spec.
    pub records: usize,
}

/// Loads a spec.
///
/// The texts that were read are added to `sources`, so that findings can quote them; values that
/// may be secrets are masked.
pub fn load(inputs: &[Input], options: &Options, sources: &mut Sources) -> Outcome {
    let mut diagnostics = Diagnostics::default();
    if inputs.is_empty() {
        diagnostics.push(
            findings::NOTHING
                .nowhere("no file or directory was given")
                .help("name a spec file or directory"),
        );
    }
    let loaded = load::load(inputs, &options.texts, sources, &mut diagnostics);
    let digest = digest(loaded.iter().map(|f| f.source), options, sources);
    let variables = variables(&loaded, options, sources, &mut diagnostics);
    let mut files = Vec::with_capacity(loaded.len());
    let mut secrets = Vec::new();
    let expanded = EvaluationBudget::of_bytes(EXPANDED);
    let mut suppressions = options.accepted_lints.clone();
    for mut file in loaded {
        let mut reduced = std::collections::HashSet::new();
        let (mut syntax, mut of_zone) = Default::default();
        if let Some(tree) = &mut file.tree {
            let text = sources.get(file.source).map_or("", Source::text);
            let failed;
            (failed, of_zone) = variables.apply(tree, text, &expanded, &mut diagnostics);
            let checked = schema_check::check(tree, &failed, &mut diagnostics);
            secrets.extend(checked.secrets);
            suppress::collect(tree, text, &mut suppressions, &mut diagnostics);
            reduced = checked.reduced;
            if file_weight::check(tree, &mut diagnostics) {
                syntax = typed_syntax(tree, &mut diagnostics);
            }
        }
        let load::Loaded { source, tree, includers, named } = file;
        files.push(inherited_defaults::FileIn {
            source,
            tree,
            syntax,
            includers,
            named,
            reduced,
            of_zone,
        });
    }
    let count = files.len();
    let first = files.first().map(|f| f.source);
    let today = options.today.as_deref().and_then(expiry::Day::parse);
    let desired = zones::resolve(files, today, sources, &mut diagnostics);
    let suppressions = suppress::apply_to_expressions(suppressions, &mut diagnostics);
    let desired = Desired { suppressions, ..desired };
    // A key that names a credential is an error, so without errors there is nothing to mask.
    if diagnostics.has_errors() {
        secrets::mask(secrets, sources);
    }
    if desired.zones.is_empty() && !diagnostics.has_errors() {
        let diagnostic = findings::NO_ZONES.nowhere("none of the files has a zone under `zones:`");
        let diagnostic = match first {
            Some(source) => diagnostic.at(Place { source, span: Span::new(0, 0) }, ""),
            None => diagnostic,
        };
        diagnostics.push(
            diagnostic.help(
                "add `zones:` with a domain below it, or check that the right file was given",
            ),
        );
    }
    if is_enough(&diagnostics) {
        diagnostics.push(
            findings::TOO_MANY
                .nowhere(format!("after {MOST} findings, the rest of the spec was not checked"))
                .help("fix these and check again"),
        );
    }
    diagnostics.sort(sources);
    let records = desired.zones.values().map(|z| z.records.len()).sum();
    let desired = (!diagnostics.has_errors()).then_some(desired);
    Outcome { desired, diagnostics, digest, files: count, records }
}

/// Returns true if a text is a calendar date, `YYYY-MM-DD`.
#[must_use]
pub fn is_date(text: &str) -> bool {
    expiry::Day::parse(text).is_some()
}

/// Reads the typed syntax of a tree that passed the shape check.
fn typed_syntax(
    tree: &yaml_tree::Tree,
    diagnostics: &mut Diagnostics,
) -> Option<syntax::FileSyntax> {
    // A tree whose root is not a mapping has been reported already.
    if !matches!(tree.node(tree.root).kind, yaml_tree::Kind::Mapping(_)) {
        return None;
    }
    deserialize::read(tree, tree.root)
        .map_err(|error: deserialize::ReadError| diagnostics.push(error.diagnostic(tree)))
        .ok()
}

/// Collects the variables of all files and of the command line.
fn variables(
    loaded: &[load::Loaded],
    options: &Options,
    sources: &mut Sources,
    diagnostics: &mut Diagnostics,
) -> variables::Variables {
    let mut variables = variables::Variables::default();
    if !options.variables.is_empty() {
        let mut text = String::new();
        let mut spans = Vec::new();
        for (name, value) in &options.variables {
            let start = text.len();
            text.push_str(&format!("{name}={value}"));
            spans.push(Span::new(start, text.len()));
            text.push('\n');
        }
        let source = sources.add("--var", text);
        for ((name, value), span) in options.variables.iter().zip(spans) {
            let place = Place { source, span };
            // The value may be a secret from the environment, in a variable that is misspelt or not
            // meant for the spec.
            let start = (span.end as usize).saturating_sub(value.len());
            sources.redact(Place { source, span: Span::new(start, span.end as usize) });
            if names_credential(name) {
                diagnostics.push(secrets::found(
                    place,
                    "the name of this variable is that of a credential; its value is not shown",
                ));
                continue;
            }
            variables.give(name, value, place, diagnostics);
        }
    }
    for tree in loaded.iter().filter_map(|f| f.tree.as_ref()) {
        variables.collect(tree, diagnostics);
    }
    if !options.may_leave_variables {
        let texts: Vec<&str> =
            loaded.iter().filter_map(|f| sources.get(f.source)).map(Source::text).collect();
        variables.unused(&texts, diagnostics);
    }
    variables
}

/// Returns the digest of all input.
fn digest(files: impl Iterator<Item = SourceId>, options: &Options, sources: &Sources) -> String {
    let mut texts: Vec<_> =
        files.filter_map(|id| sources.get(id)).map(|s| (s.name(), s.text())).collect();
    texts.sort_unstable();
    let mut hash = Context::new(&SHA256);
    // Each part is preceded by its length, so that different specs never give the same bytes.
    let mut part = |text: &str| {
        hash.update(&(text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    };
    for (name, text) in texts {
        part(name);
        part(text);
    }
    part("--var");
    for (name, value) in &options.variables {
        part(name);
        part(value);
    }
    HEXLOWER.encode(hash.finish().as_ref())
}
