//! What a move of a rule does.

use super::direction::{Direction, Impact};
use super::exception;
use super::scope;
use crate::model::ruleset::{LiveWaf, Phase, RuleBody};

/// A rule stands elsewhere in its phase. Only a rule without any effect moves without one.
#[must_use]
pub fn move_impact(phase: Phase, rule: &RuleBody, waf: &LiveWaf) -> Impact {
    if !rule.is_enabled() {
        return Impact::none("the rule is off");
    }
    if scope::expression(rule).is_always_false() {
        return Impact::none("no request is concerned");
    }
    let line = match (rule.action(), rule.executes()) {
        ("skip", _) => "an exception acts on what comes after it: other rules may be passed by now".to_owned(),
        (_, Some(id)) => format!(
            "the {} runs at another point: other exceptions may act on it now",
            exception::ruleset_name(id, waf)
        ),
        _ => format!("{} act in order: another of them may decide first now", phase.about()),
    };
    Impact::one(Direction::Unclassified, line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ruleset::RuleBody;

    #[test]
    fn only_a_rule_without_effect_moves_without_one() {
        let mut rule = RuleBody::default();
        rule.set("action", "skip");
        rule.set("expression", "true");
        let moved = |rule: &RuleBody| move_impact(Phase::Managed, rule, &LiveWaf::default()).direction;
        assert_eq!(moved(&rule), Direction::Unclassified);
        rule.set("expression", "false");
        assert_eq!(moved(&rule), Direction::Neutral);
        rule.set("expression", "true");
        rule.set("enabled", false);
        assert_eq!(moved(&rule), Direction::Neutral);
    }
}
