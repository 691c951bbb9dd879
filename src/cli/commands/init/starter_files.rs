//! Provides the files of a first spec: an example, the schema for editors, the policy, and
//! `.gitignore`.

use crate::cli::default_spec;
use crate::document;
use crate::model::ZoneName;
use crate::spec::{self, POLICY_FILE};

/// File of the schema, beside the directory of the spec.
const SCHEMA: &str = "zonewright.schema.json";

/// Line that refers editors to the schema.
pub(super) const SCHEMA_LINE: &str = "# yaml-language-server: $schema=../zonewright.schema.json\n";

/// Zone name in the example.
const NAME: &str = "example.com";

const EXAMPLE: &str = include_str!("example.yaml");

const POLICY: &str = include_str!("policy.yaml");

/// Content of `.gitignore`.
const IGNORED: &str = "\
# Journals, caches and the sandbox of zonewright; plans and snapshots hold addresses and rules.
/.zonewright/
*.zwplan
*.snapshot.json.gz
";

/// Returns the path and the text of the example spec.
pub(super) fn example(name: Option<&ZoneName>) -> (String, String) {
    let stem = name.map_or_else(|| NAME.to_owned(), ZoneName::file_stem);
    let text = EXAMPLE.replace(NAME, name.map_or(NAME, ZoneName::as_str));
    (format!("{}/{stem}.yaml", default_spec::DIRECTORIES[0]), format!("{SCHEMA_LINE}{text}"))
}

/// Returns the files that accompany a spec.
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
