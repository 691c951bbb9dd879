//! The lock of managed rulesets: a printed lock reads back, and changes by Cloudflare are reported.

use crate::support::rulesets::{cloudflare, owasp, owasp_of, scoring_rule};
use proptest::prelude::*;
use zonewright::insight::waf::lock::{Lock, LockedRuleset, compare};
use zonewright::model::managed::Catalogue;
use zonewright::model::ruleset::RuleId;

/// Returns the sentence about a change from one state of a ruleset to another.
fn sentence(before: &Catalogue, after: &Catalogue) -> String {
    compare(Some(&LockedRuleset::of(before)), after).sentence()
}

#[test]
fn what_is_printed_is_read() {
    let lock = Lock::of([&owasp(), &cloudflare(), &owasp()].into_iter());
    assert_eq!(lock.rulesets.len(), 2);
    let text = lock.print();
    assert_eq!(Lock::parse(&text).as_ref(), Ok(&lock));
    assert!(text.contains("\n00000000000000000000000000942430 942430 level-2 on score "));
    let mut shuffled = owasp();
    shuffled.rules.list_mut().reverse();
    assert_eq!(Lock::of([&shuffled, &cloudflare()].into_iter()).print(), text);
}

#[test]
fn what_cannot_be_read_says_where() {
    let at = |text: &str| Lock::parse(text).expect_err("it is no lock").line;
    let good = Lock::of([&cloudflare()].into_iter()).print();
    assert_eq!(at(""), 1);
    assert_eq!(at("hello\n"), 1);
    assert_eq!(at("waf.lock 2\n"), 1);
    assert_eq!(at("waf.lock 1\nabc - - on block 0 x\n"), 2);
    let lines = good.lines().count();
    assert_eq!(at(&format!("{good}<<<<<<< HEAD\n")), lines + 1);
    assert_eq!(at(&format!("{good}abc - level-9 on block 0 x\n")), lines + 1);
}

#[test]
fn upstream_moves_are_told() {
    let before = owasp_of(vec![
        scoring_rule(942_100, 1, Some(5)),
        scoring_rule(942_430, 2, Some(3)),
        scoring_rule(930_100, 1, Some(5)),
        scoring_rule(930_110, 1, Some(5)),
    ]);
    let mut after = before.clone();
    after.version = "37".to_owned();
    assert_eq!(sentence(&before, &after), "OWASP 36 → 37 since waf.lock: no rule changed");
    assert!(compare(Some(&LockedRuleset::of(&before)), &after).is_empty());
    after.rules.list_mut()[1].tags = vec!["paranoia-level-1".to_owned()];
    after.rules.list_mut()[2].enabled = false;
    after.rules.list_mut()[3].description = "930110: Another name".to_owned();
    after.rules.list_mut().remove(0);
    after.rules.list_mut().insert(0, scoring_rule(944_100, 1, None));
    let expected = "OWASP 36 → 37 since waf.lock: 1 rule added (944100), 1 rule removed (942100), 1 re-levelled (942430 2 → 1), \
                    1 with another default (930100 score → off), 1 renamed (930110: now \"Another name\")";
    assert_eq!(sentence(&before, &after), expected);
    after.rules.list_mut()[2].tags.push("attack-lfi".to_owned());
    assert!(sentence(&before, &after).ends_with("1 with other tags (930100)"));
    assert_eq!(compare(None, &after).sentence(), "OWASP is not in waf.lock");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text_of_cloudflare_is_read_back(
        texts in prop::collection::vec(("\\PC{0,12}|[ \\t\\n#-]{0,4}", "\\PC{0,8}|[ \n]{0,2}", any::<bool>()), 0..6), name in "\\PC{0,10}|[ \\n\\t]{0,3}"
    ) {
        let mut ruleset = cloudflare();
        ruleset.name = name;
        ruleset.rules.list_mut().truncate(texts.len());
        for (n, (rule, (title, action, enabled))) in ruleset.rules.list_mut().iter_mut().zip(texts).enumerate() {
            rule.description = title;
            rule.action.clone_from(&action);
            rule.id = RuleId(format!("{action}{n}"));
            rule.enabled = enabled;
        }
        let lock = Lock::of(std::iter::once(&ruleset));
        prop_assert_eq!(Lock::parse(&lock.print()), Ok(lock.clone()), "{}", lock.print());
        prop_assert!(compare(lock.ruleset(&ruleset.id.0), &ruleset).is_empty());
    }
}
