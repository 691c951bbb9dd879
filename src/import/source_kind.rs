//! Detects the tool that a file belongs to.

use std::path::Path;

/// File name that the help suggests for the output of `dnscontrol print-ir`.
pub(super) const IR_NAME: &str = "ir.json";

/// Tool that a source comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// Terraform or OpenTofu: a state, a plan as JSON, or configuration.
    Terraform,
    /// Zone files of octoDNS.
    Octodns,
    /// Output of `dnscontrol print-ir`.
    Dnscontrol,
    /// Zone file in the format of BIND.
    Bind,
    /// A table of records.
    Csv,
}

impl SourceKind {
    /// All kinds with their names.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("terraform", Self::Terraform),
        ("octodns", Self::Octodns),
        ("dnscontrol", Self::Dnscontrol),
        ("bind", Self::Bind),
        ("csv", Self::Csv),
    ];

    /// Returns the kind with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| *name)
    }

    /// Detects the kind by the name of a file.
    pub(super) fn of_name(path: &Path) -> Option<Self> {
        let extension =
            path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        Some(match extension {
            _ if is_terraform_code(path) || is_terraform_values(path) => Self::Terraform,
            "tfstate" => Self::Terraform,
            "yaml" | "yml" => Self::Octodns,
            "csv" => Self::Csv,
            "zone" | "bind" | "db" | "hosts" => Self::Bind,
            _ if name.starts_with("db.") => Self::Bind,
            _ if name == IR_NAME => Self::Dnscontrol,
            _ => return None,
        })
    }
}

/// Returns true if the name of a file is that of Terraform or OpenTofu configuration, in either
/// syntax.
pub(super) fn is_terraform_code(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let name = name.strip_suffix(".json").unwrap_or(name);
    name.ends_with(".tf") || name.ends_with(".tofu")
}

/// Returns true if the name of a file is that of a file with Terraform variables.
pub(super) fn is_terraform_values(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}
