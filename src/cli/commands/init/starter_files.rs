//! The files of a first spec: an example, the schema for editors, the policy, and what Git ignores.

use crate::cli::default_spec;
use crate::document;
use crate::model::ZoneName;
use crate::spec::{self, POLICY_FILE};

/// The schema, beside the directory of the spec.
const SCHEMA: &str = "zonewright.schema.json";

/// The line that leads editors to the schema.
pub(super) const SCHEMA_LINE: &str = "# yaml-language-server: $schema=../zonewright.schema.json\n";

/// The name in the example.
const NAME: &str = "example.com";

/// The example.
const EXAMPLE: &str = include_str!("example.yaml");

/// The policy.
const POLICY: &str = include_str!("policy.yaml");

/// What Git ignores.
const IGNORED: &str = "\
# Journals, caches and the sandbox of zonewright; plans and snapshots hold addresses and rules.
/.zonewright/
*.zwplan
*.snapshot.json.gz
";

/// The example of a spec, with its path.
pub(super) fn example(name: Option<&ZoneName>) -> (String, String) {
    let stem = name.map_or_else(|| NAME.to_owned(), ZoneName::file_stem);
    let text = EXAMPLE.replace(NAME, name.map_or(NAME, ZoneName::as_str));
    (format!("{}/{stem}.yaml", default_spec::DIRECTORIES[0]), format!("{SCHEMA_LINE}{text}"))
}

/// What belongs beside a spec.
pub(super) fn files() -> Vec<(String, String)> {
    vec![
        (SCHEMA.to_owned(), document::text(&spec::schema()) + "\n"),
        (POLICY_FILE.to_owned(), POLICY.to_owned()),
        (".gitignore".to_owned(), IGNORED.to_owned()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Policy;

    #[test]
    fn the_first_policy_file_has_the_default_limit() {
        let line = format!("\nmost_changes: {}\n", Policy::default().most_changes);
        assert!(POLICY.contains(&line), "{POLICY}");
    }
}
