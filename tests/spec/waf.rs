//! `waf` sections and profiles.

use super::*;

#[test]
fn a_good_section_is_understood_and_reads_back() {
    let (outcome, sources) = load_path(&Path::new(CASES).join("waf-good.yaml"));
    assert!(outcome.diagnostics.is_empty(), "{}", shown(&outcome, &sources));
    let desired = bare(outcome.desired.unwrap());
    let printed = print(&desired);
    insta::assert_snapshot!(printed);
    let (again, sources) = load_text(&printed);
    assert!(again.diagnostics.is_empty(), "{}", shown(&again, &sources));
    assert_eq!(bare(again.desired.unwrap()), desired);
}
