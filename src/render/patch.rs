//! Changes of files as a unified diff, for people, `git apply` and `patch -p1`.

use std::io::{self, Write};

use super::changed_file::ChangedFile;
use super::document::Document;
use super::findings::Findings;
use super::safe::visible;
use crate::diff::text::unified;

pub(super) const DOCUMENT: Document = Document {
    name: "diff",
    findings: |out, found, _| preamble(out, found),
    is_for_validate: false,
    plan: None,
    drift: None,
    expectations: None,
    patch: Some(|out, files| out.write_all(patch(files).as_bytes())),
    requests: None,
};

/// Number of equal lines that a patch shows on both sides of a change.
const CONTEXT: usize = 3;

/// Writes the findings as lines before a patch, which programs skip.
fn preamble(out: &mut dyn Write, found: &Findings<'_>) -> io::Result<()> {
    found
        .diagnostics
        .iter()
        .try_for_each(|d| writeln!(out, "# {}: {}", d.summary(), visible(&d.detail)))
}

/// Returns changed files as one patch, with file names as in `git diff`.
#[must_use]
pub fn patch(files: &[ChangedFile<'_>]) -> String {
    let mut text = String::new();
    for ChangedFile { name, before, after } in files {
        let name = name.strip_prefix("./").unwrap_or(name);
        text.push_str(&unified(
            before,
            after,
            (&format!("a/{name}"), &format!("b/{name}")),
            CONTEXT,
        ));
    }
    text
}

/// Returns the patch for a screen: hidden characters are escaped.
#[must_use]
pub fn shown(files: &[ChangedFile<'_>]) -> String {
    let patch = patch(files);
    patch.lines().map(|line| format!("{}\n", visible(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_names_that_git_uses() {
        let file = ChangedFile { name: "./zones/a.yaml", before: "a\nb\n", after: "a\nc\n" };
        assert_eq!(
            patch(&[file]),
            "--- a/zones/a.yaml\n+++ b/zones/a.yaml\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"
        );
    }
}
