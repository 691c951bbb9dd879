//! Reads providers of a configuration: their kinds by class, and the options that affect published
//! records.
//!
//! # Sources
//! octodns 1.22.0, `provider/yaml.py` and `manager.py` (`_build_kwargs`, secret handlers), and
//! octodns-cloudflare 1.2.0, `CloudflareProvider.__init__`, read 2026-11.

use std::collections::BTreeSet;

use crate::diagnostic::Place;
use crate::spec::{PythonScalar, Yaml};

/// TTL of records that state none, unless the provider has another default.
///
/// # Units
/// Seconds.
const DEFAULT_TTL: i64 = 3600;

/// Minimum TTL that octodns-cloudflare sends, unless the provider has another minimum.
///
/// # Units
/// Seconds.
const DEFAULT_MIN_TTL: i64 = 120;

#[derive(Debug)]
pub(super) struct Provider {
    /// Class, such as `octodns.provider.yaml.YamlProvider`.
    pub(super) class: String,
    pub(super) kind: ProviderKind,
    /// Options that affect published records and come from a secret handler, such as `env/TTL`.
    pub(super) unread_options: Vec<String>,
}

/// Kind of a provider, with its options.
#[derive(Debug)]
pub(super) enum ProviderKind {
    /// A provider of YAML files.
    Yaml(YamlProvider),
    Cloudflare(CloudflareProvider),
    /// Any other provider. Its records are unknown.
    Other,
}

/// Order of keys that a provider enforces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum KeyOrder {
    Natural,
    Simple,
    Any,
}

/// Options of a provider of YAML files.
#[derive(Debug)]
pub(super) struct YamlProvider {
    /// Directory as written, and its place; `None` if unknown.
    pub(super) directory: Option<(String, Place)>,
    pub(super) default_ttl: i64,
    pub(super) key_order: KeyOrder,
    /// True if record sets replace those of earlier sources.
    pub(super) replaces: bool,
    pub(super) split_extension: Option<String>,
    /// True if the provider reads `example.com.yaml`.
    pub(super) reads_zone_files: bool,
    pub(super) shared_filename: Option<String>,
    pub(super) has_escaped_semicolons: bool,
    pub(super) ignores_missing_zones: bool,
}

impl Default for YamlProvider {
    fn default() -> Self {
        Self {
            directory: None,
            default_ttl: DEFAULT_TTL,
            key_order: KeyOrder::Natural,
            replaces: false,
            split_extension: None,
            reads_zone_files: true,
            shared_filename: None,
            has_escaped_semicolons: true,
            ignores_missing_zones: false,
        }
    }
}

/// Options of the provider of Cloudflare.
#[derive(Debug)]
pub(super) struct CloudflareProvider {
    pub(super) min_ttl: i64,
    /// True if the provider serves proxied names as `….cdn.cloudflare.net`. It then never sends a
    /// proxy status.
    pub(super) is_cdn: bool,
    /// True if the provider refuses records that it cannot publish; otherwise it leaves them out.
    pub(super) is_strict: bool,
}

/// Reads the options of one provider.
pub(super) struct OptionReader<'y> {
    config: &'y Yaml,
    /// Names of secret handlers.
    handlers: &'y BTreeSet<String>,
    unread: Vec<String>,
}

impl<'y> OptionReader<'y> {
    pub(super) fn new(config: &'y Yaml, handlers: &'y BTreeSet<String>) -> Self {
        Self { config, handlers, unread: Vec::new() }
    }

    /// Returns an option. An option from a secret handler is noted and not read.
    fn value(&mut self, name: &str) -> Option<&'y Yaml> {
        let value = self.config.get(name)?;
        let text = value.text().unwrap_or_default();
        let Some((handler, secret)) =
            text.split_once('/').filter(|(handler, _)| self.handlers.contains(*handler))
        else {
            return Some(value);
        };
        // The text after the name of a variable is a default, which can be a secret.
        let variable = secret.split('/').next().unwrap_or_default();
        self.unread.push(format!("`{name}: {handler}/{variable}`"));
        None
    }

    /// Returns a number of seconds.
    pub(super) fn seconds(&mut self, name: &str, default: i64) -> i64 {
        let number = self.value(name).and_then(Yaml::python).and_then(|scalar| scalar.to_integer());
        number.unwrap_or(default)
    }

    /// Returns true if Python takes the value of an option for true.
    pub(super) fn is_on(&mut self, name: &str, default: bool) -> bool {
        self.value(name).map_or(default, is_true)
    }

    /// Returns a text that is not empty.
    pub(super) fn text(&mut self, name: &str) -> Option<(String, Place)> {
        let value = self.value(name).filter(|value| is_true(value))?;
        value.text().map(|text| (text.to_owned(), value.place))
    }

    /// Returns a list of texts; a single text is a list of one.
    pub(super) fn texts(&mut self, name: &str) -> Vec<String> {
        self.value(name).map(texts_of).unwrap_or_default()
    }

    fn has(&self, name: &str) -> bool {
        self.config.get(name).is_some()
    }

    /// Returns the requested options that come from a secret handler.
    pub(super) fn unread(self) -> Vec<String> {
        self.unread
    }
}

/// Returns the texts of a list; a single text is a list of one.
pub(super) fn texts_of(value: &Yaml) -> Vec<String> {
    let texts = value.items().iter().filter_map(Yaml::python);
    texts
        .filter(|scalar| *scalar != PythonScalar::Null)
        .map(|scalar| scalar.python_text())
        .collect()
}

/// Returns true if Python takes a value for true.
pub(super) fn is_true(value: &Yaml) -> bool {
    value.python().map_or(!value.items().is_empty(), |scalar| scalar.is_true())
}

/// Returns true if a class is the provider of Cloudflare. The provider of its internal zones is a
/// different class.
fn is_cloudflare(class: &str) -> bool {
    let classes =
        ["octodns_cloudflare.CloudflareProvider", "octodns.provider.cloudflare.CloudflareProvider"];
    classes.contains(&class)
}

pub(super) fn read_provider(config: &Yaml, handlers: &BTreeSet<String>) -> Provider {
    let class = config.get("class").and_then(Yaml::text).unwrap_or_default().to_owned();
    let mut options = OptionReader::new(config, handlers);
    let is_split = class == "octodns.provider.yaml.SplitYamlProvider";
    let kind = if class == "octodns.provider.yaml.YamlProvider" || is_split {
        ProviderKind::Yaml(read_yaml_provider(&mut options, is_split))
    } else if is_cloudflare(&class) {
        ProviderKind::Cloudflare(CloudflareProvider {
            min_ttl: options.seconds("min_ttl", DEFAULT_MIN_TTL),
            is_cdn: options.is_on("cdn", false),
            is_strict: options.is_on("strict_supports", true),
        })
    } else {
        ProviderKind::Other
    };
    Provider { class, kind, unread_options: options.unread() }
}

/// Reads the options of a provider of YAML files. The older class for split files has different
/// defaults.
fn read_yaml_provider(options: &mut OptionReader<'_>, is_split: bool) -> YamlProvider {
    let key_order = match options.text("order_mode") {
        _ if !options.is_on("enforce_order", true) => KeyOrder::Any,
        Some((mode, _)) if mode == "simple" => KeyOrder::Simple,
        _ => KeyOrder::Natural,
    };
    let text = |option: Option<(String, Place)>| option.map(|(text, _)| text);
    let split_extension = match is_split {
        true if options.has("extension") => text(options.text("extension")),
        true => Some(".".to_owned()),
        false => text(options.text("split_extension")),
    };
    let has_escaped_semicolons = match options.value("escaped_semicolons") {
        Some(value) if value.python() != Some(PythonScalar::Null) => is_true(value),
        _ => true,
    };
    YamlProvider {
        directory: options.text("directory"),
        default_ttl: options.seconds("default_ttl", DEFAULT_TTL),
        key_order,
        replaces: options.is_on("populate_should_replace", false),
        split_extension,
        reads_zone_files: !is_split && !options.is_on("disable_zonefile", false),
        shared_filename: text(options.text("shared_filename")),
        has_escaped_semicolons,
        ignores_missing_zones: options.is_on("ignore_missing_zones", false),
    }
}
