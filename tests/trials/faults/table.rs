//! The tables of docs/internals/fault-matrix.md.

use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use super::case::Cell;

/// The name of a fault and its cells.
pub(crate) type Row = (String, Vec<Option<Cell>>);

/// A lock, because several tests write the same page.
static PAGE: Mutex<()> = Mutex::new(());

/// Compares a table with the page, or writes it there.
pub(crate) fn up_to_date(name: &str, head: &[&str], rows: &[Row]) {
    let _alone = PAGE.lock().unwrap_or_else(PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/internals/fault-matrix.md");
    let page = fs::read_to_string(&path).expect("the page is there").replace("\r\n", "\n");
    let (begin, end) = (
        format!("<!-- {name}: UPDATE_GENERATED=1 cargo test --test trials faults -->\n"),
        format!("<!-- /{name} -->"),
    );
    let (before, rest) =
        page.split_once(&begin).unwrap_or_else(|| panic!("the page has no place for {name}"));
    let (old, tail) = rest.split_once(&end).expect("the place has an end");
    let new = table(head, rows);
    if std::env::var_os("UPDATE_GENERATED").is_some() {
        fs::write(&path, format!("{before}{begin}{new}{end}{tail}"))
            .expect("the page can be written");
    } else {
        assert!(
            old == new,
            "{} is out of date: run UPDATE_GENERATED=1 cargo test --test trials faults\n{new}",
            path.display()
        );
    }
}

/// Returns the table; consecutive faults with the same results share a row.
fn table(head: &[&str], rows: &[Row]) -> String {
    let mut text = format!("| {} |\n{}\n", head.join(" | "), "|---".repeat(head.len()) + "|");
    for alike in rows.chunk_by(|a, b| a.1 == b.1) {
        let mut names: Vec<&str> = alike.iter().map(|(name, _)| name.as_str()).collect();
        names.dedup();
        let cells = alike[0].1.iter().map(|cell| match cell {
            Some(cell) => format!(" {cell} |"),
            None => " |".to_owned(),
        });
        text += &format!("| {} |{}\n", names.join("; "), cells.collect::<String>());
    }
    text
}
