//! Hostile text, made to deceive a reader or to control a program, through the whole binary.
//!
//! Modules: `responses` has such text in responses of Cloudflare, `files` in files and arguments.
//! `reach` is about other hosts, files and users that must not be reached. `memory` is about
//! responses and files that are made to fill the memory, `repositories` about Git, and `written`
//! about the paths of written files. `shown` has the checks that every output must pass.

mod files;
#[cfg(target_os = "linux")]
mod memory;
mod reach;
#[cfg(unix)]
mod repositories;
mod responses;
mod shown;
#[cfg(target_os = "linux")]
mod written;

/// A new format has to be added to `responses::SHOWN` if plans or drift have it, and to
/// `files::CHECKS` if `plan` or `validate` has it. The formats of `test`, `pull` and `waf rehearse`
/// are not in these lists.
#[test]
fn every_format_is_tried_with_hostile_text() {
    let tried: Vec<&(&[&str], &str)> = responses::SHOWN.iter().chain(files::CHECKS).collect();
    for command in ["plan", "drift", "validate"] {
        for format in crate::support::workspace::document_formats(command) {
            let is_tried =
                tried.iter().any(|(arguments, of)| arguments[0] == command && *of == format);
            assert!(is_tried, "no run of `{command} --format {format}` is tried with hostile text");
            // A plan shows the mistakes of a spec as well; any command with the format will do.
            let is_tried = command == "drift" || files::CHECKS.iter().any(|(_, of)| *of == format);
            assert!(
                is_tried,
                "no mistakes of a spec with hostile text are shown with `--format {format}`"
            );
        }
    }
}
