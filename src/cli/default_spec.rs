//! Finds the spec in the working directory if the command line names none.
//!
//! | in the working directory | the spec |
//! |---|---|
//! | the file `zonewright.yaml` | that file; `zones/` and `dns/` are read as far as it includes them |
//! | the directory `zones/`, or `dns/` | that directory |
//! | both directories | neither: one must be named |
//! | a link that leads out of it | refused, because what is behind it was not named |

use std::fs;
use std::path::{Path, PathBuf};

use super::paths::is_below;

/// Name of a spec that is one file.
pub(super) const FILE: &str = "zonewright.yaml";

/// Names of directories that contain a spec.
pub(super) const DIRECTORIES: [&str; 2] = ["zones", "dns"];

/// Returns the help of an argument that has these places as default.
pub(super) fn in_help(what: &str) -> String {
    format!("{what} [default: {FILE}, {}/]", DIRECTORIES.join("/ or "))
}

/// Fills in a missing spec argument. Returns the message about it.
///
/// # Errors
/// There is no spec, or more than one.
pub(super) fn fill(spec: &mut Vec<PathBuf>, command: &str) -> Result<String, String> {
    let FoundSpec { path, beside } = find_spec(Path::new("."), command)?;
    let shown = if path == FILE { path.to_owned() } else { format!("{path}/") };
    let directories: Vec<String> = beside.iter().map(|directory| format!("{directory}/")).collect();
    let note = match directories.as_slice() {
        [] => String::new(),
        directories => {
            format!("; {} is read as far as {path} includes it", directories.join(" or "))
        }
    };
    spec.push(PathBuf::from(path));
    Ok(format!("No SPEC is given: using {shown}{note}"))
}

/// Returns the first of these places that exists in the working directory, even if it is no spec. A
/// new spec would be written beside it.
pub(super) fn present() -> Option<String> {
    let mut names = [FILE].into_iter().chain(DIRECTORIES);
    names.find(|name| fs::symlink_metadata(name).is_ok()).map(str::to_owned)
}

/// A spec that was found.
#[derive(Debug, PartialEq, Eq)]
struct FoundSpec {
    /// Path of the file or directory.
    path: &'static str,
    /// Directories beside the file.
    beside: Vec<&'static str>,
}

/// Finds the spec in a directory.
fn find_spec(directory: &Path, command: &str) -> Result<FoundSpec, String> {
    let at = |name: &str| directory.join(name);
    let mut directories: Vec<&'static str> =
        DIRECTORIES.into_iter().filter(|name| at(name).is_dir()).collect();
    let path = match (at(FILE).is_file(), directories.as_slice()) {
        (true, _) => FILE,
        (false, []) => return Err(nothing(directory, command)),
        (false, [_]) => directories.remove(0),
        (false, _) => {
            return Err(format!(
                "no SPEC is given, and {}/ both exist here; name the one to use: zonewright \
                {command} {}",
                directories.join("/ and "),
                directories.join(", or ")
            ));
        }
    };
    if !is_below(&at(path), directory) {
        return Err(format!(
            "no SPEC is given, and {path} is a link that leads out of this directory; to use it, \
            name it as the SPEC"
        ));
    }
    Ok(FoundSpec { path, beside: directories })
}

/// Returns the message for a directory without a spec.
fn nothing(directory: &Path, command: &str) -> String {
    let is_other = |name: &&str| fs::symlink_metadata(directory.join(name)).is_ok();
    let misplaced = [FILE].iter().chain(&DIRECTORIES).filter(|name| is_other(name)).map(|name| {
        let kind = if *name == FILE { "file" } else { "directory" };
        format!(" ({name} is here, but it is not a {kind})")
    });
    let misplaced: String = misplaced.collect();
    format!(
        "no SPEC is given, and this directory has no {FILE}, {}/{misplaced}; name the files or \
        directories of the spec (`zonewright \
         help {command}` has examples), or begin with one: zonewright init",
        DIRECTORIES.join("/ or ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_place_is_the_spec_and_several_directories_are_none() {
        let root = tempfile::tempdir().unwrap();
        let at = |name: &str| root.path().join(name);
        let found = || find_spec(root.path(), "plan");
        assert!(found().unwrap_err().contains("zonewright.yaml, zones/ or dns/; name"));
        // A directory with this name is an error, not a spec.
        fs::create_dir(at(FILE)).unwrap();
        fs::write(at("dns"), "").unwrap();
        let error = found().unwrap_err();
        assert!(error.contains("(zonewright.yaml is here, but it is not a file)"), "{error}");
        assert!(error.contains("(dns is here, but it is not a directory)"), "{error}");
        fs::create_dir(at("zones")).unwrap();
        assert_eq!(found(), Ok(FoundSpec { path: "zones", beside: vec![] }));
        fs::remove_file(at("dns")).unwrap();
        fs::create_dir(at("dns")).unwrap();
        let error = found().unwrap_err();
        assert!(
            error.contains("zones/ and dns/ both exist here")
                && error.contains("plan zones, or dns"),
            "{error}"
        );
        fs::remove_dir(at(FILE)).unwrap();
        fs::write(at(FILE), "").unwrap();
        assert_eq!(found(), Ok(FoundSpec { path: FILE, beside: vec!["zones", "dns"] }));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_in_the_directory() {
        use std::os::unix::fs::symlink;
        let (root, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let at = |name: &str| root.path().join(name);
        fs::create_dir(at("infrastructure")).unwrap();
        symlink("infrastructure", at("zones")).unwrap();
        assert_eq!(find_spec(root.path(), "plan"), Ok(FoundSpec { path: "zones", beside: vec![] }));
        fs::remove_file(at("zones")).unwrap();
        symlink(other.path(), at("zones")).unwrap();
        assert!(find_spec(root.path(), "plan").unwrap_err().contains("a link that leads out"));
        fs::remove_file(at("zones")).unwrap();
        symlink("nothing", at("zones")).unwrap();
        symlink(FILE, at(FILE)).unwrap();
        assert!(
            find_spec(root.path(), "plan")
                .unwrap_err()
                .contains("(zones is here, but it is not a directory)")
        );
    }
}
