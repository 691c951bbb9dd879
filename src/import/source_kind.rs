//! Which tool a file belongs to.

use std::path::Path;

/// The file that this program's help suggests for the output of `dnscontrol print-ir`.
pub(super) const IR_NAME: &str = "ir.json";

/// The tool that a source comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum SourceKind {
    /// Terraform or OpenTofu: a state, a plan as JSON, or configuration.
    Terraform,
    /// octoDNS zone files.
    Octodns,
    /// What `dnscontrol print-ir` prints.
    Dnscontrol,
    /// A zone file.
    Bind,
    /// A table of records.
    Csv,
}

impl SourceKind {
    /// Every kind with its name.
    pub const ALL: &'static [(&'static str, Self)] = &[
        ("terraform", Self::Terraform),
        ("octodns", Self::Octodns),
        ("dnscontrol", Self::Dnscontrol),
        ("bind", Self::Bind),
        ("csv", Self::Csv),
    ];

    /// The kind of this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// Its name.
    pub(super) fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, kind)| *kind == self).map_or("", |(name, _)| *name)
    }

    /// The kind that the name of a file tells.
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

/// Whether a file is configuration of Terraform or OpenTofu, by its name.
pub(super) fn is_terraform_code(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "tf" || extension == "tofu")
}

/// Whether a file has values of Terraform's variables, by its name.
pub(super) fn is_terraform_values(path: &Path) -> bool {
    let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    name.ends_with(".tfvars") || name.ends_with(".tfvars.json")
}
