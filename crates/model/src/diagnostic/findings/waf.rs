//! Findings about the protection that a spec describes.

findings! {
    EXPRESSION = "WAF0001" Error "invalid expression",
        "The expression is not part of the Rules language, or uses what is not available in this phase.",
        "Correct the expression at the marked place.";
    EXPRESSION_DOUBT = "WAF0002" Warning "the expression may not do what you mean",
        "Cloudflare accepts the expression, but it probably matches other requests than intended.",
        "Check the marked part.";
    DEPLOYED_TWICE = "WAF0004" Error "the managed ruleset is deployed twice",
        "Cloudflare refuses a second rule that executes the same managed ruleset in a zone (20014).",
        "Keep one deployment. Use exceptions to make it do less for some requests.";
    PARANOIA = "WAF0005" Error "invalid paranoia level",
        "Paranoia levels are 1 to 4; `custom` leaves them to `raw`.",
        "Write a number from 1 to 4.";
    THRESHOLD = "WAF0006" Error "invalid score threshold",
        "A threshold is `low`, `medium`, `high` or a whole number from 1.",
        "Write one of the words or a number.";
    THRESHOLD_LOW = "WAF0007" Warning "the threshold looks like a paranoia level",
        "Below 5, the first match of almost any rule reaches the threshold. 1 to 4 are paranoia levels.",
        "Move the number to `paranoia`, or write a threshold such as `high`.";
    RULE_NAME = "WAF0008" Error "invalid rule name",
        "The name becomes the `ref` of the rule: 1 to 128 letters, digits, `-`, `_` and `.`, not `-` or `.` at an end; it is not the name of a managed ruleset.",
        "Rename the rule.";
    NAME_TWICE = "WAF0009" Error "duplicate rule name",
        "Rules are identified by their names, so each name is used once in a list.",
        "Rename one of the rules.";
    TUNED_TWICE = "WAF0010" Error "the same rule or tag is tuned twice",
        "One entry tunes a rule or a tag of a managed ruleset. Two would contradict each other.",
        "Keep one of the entries.";
    TUNING = "WAF0011" Error "the entry does not say what to tune",
        "An entry names one rule or one tag, and what changes.",
        "Write `rule` or `tag`, and the change.";
    NO_REASON = "WAF0012" Error "weaker protection needs a reason",
        "An entry that disables, only logs or skips something says why, so that others can judge it and revert it.",
        "Add `reason`.";
    SKIP = "WAF0013" Error "invalid `skip`",
        "`skip` is `everything`, or a mapping with at least one thing that matching requests bypass.",
        "Write `everything`, or name what is bypassed.";
    NOT_HERE = "WAF0014" Error "the key does not apply here",
        "The key belongs to another action, or to a rule that is not raw.",
        "Remove the key, or change the action.";
    RATE = "WAF0015" Error "invalid rate",
        "A rate is written `5 in 1m`, and the mitigation `block for 10m`. Cloudflare supports certain periods only.",
        "Write a rate with a supported period.";
    CHARACTERISTIC = "WAF0016" Error "requests cannot be counted by this",
        "`per` names what requests are counted by: `ip` or `visitor`, not both, or the names of the Cloudflare API.",
        "Write a supported characteristic.";
    RESPONSE = "WAF0017" Error "invalid response",
        "A response belongs to `block`, and has a status from 400 to 499, a body and a content type.",
        "Correct or remove the response.";
    RAW = "WAF0018" Error "invalid raw value",
        "What is under `raw` is sent as it is, so it must have the form of the Cloudflare API.",
        "Compare it with the API documentation.";
    UNKNOWN_PROFILE = "WAF0019" Error "unknown profile",
        "`use` names profiles that are defined under `profiles:` in any file of the spec.",
        "Correct the name, or define the profile.";
    PROFILE_TWICE = "WAF0020" Error "duplicate profile",
        "All files share their profiles, so each name has one definition.",
        "Rename or remove one of them.";
    PROFILE_CLASH = "WAF0021" Error "two profiles contradict each other",
        "The profiles of the zone set the same key differently, and the zone does not decide.",
        "Set the key in the zone, or use one of the profiles.";
    EXPIRED = "WAF0022" Warning "the entry has expired",
        "The last day of the entry is over, so it no longer applies.",
        "Remove the entry, or set a later date.";
    EXPIRES_SOON = "WAF0023" Warning "the entry expires soon",
        "The last day of the entry is at most 14 days away. After it, the entry no longer applies.",
        "Decide whether it is still needed.";
    ANOMALY_OFF = "WAF0024" Warning "this disables the whole OWASP ruleset",
        "The rules of the OWASP ruleset only add to a score. Rule 949110 alone acts on it.",
        "Turn `owasp` off instead, or raise the threshold.";
    ALWAYS = "WAF0025" Warning "the exception applies to every request",
        "The expression is always true, so what the exception skips protects nothing.",
        "Narrow the expression.";
    SCORE_ACTION = "WAF0026" Warning "the action has no effect on the score",
        "An override of the whole ruleset does not reach the rule that acts on the score.",
        "Set `action` of the deployment.";
    PARANOIA_TAG = "WAF0027" Warning "this ruleset has no paranoia levels",
        "Paranoia levels belong to the OWASP ruleset, where `paranoia` sets them.",
        "Remove the entry.";
    LEVELS = "WAF0028" Warning "these are not cumulative paranoia levels",
        "A paranoia level includes the levels below it. Disabling a lower level leaves a gap.",
        "Set `paranoia` instead.";
    PROFILE_UNUSED = "WAF0029" Note "no zone uses the profile",
        "The profile has no effect until a zone names it under `use`.",
        "Use the profile or remove it.";
    SECTION = "WAF0030" Error "invalid value for a managed ruleset",
        "A managed ruleset is `on`, `off`, or a mapping that tunes it.",
        "Write `on`, `off` or a mapping.";
    ORDER = "WAF0031" Error "no order of the rules satisfies this",
        "The order of the list and its `before` and `after` must leave a position for each rule.",
        "Remove or correct one of them.";
    ACCEPT = "WAF0032" Error "an entry of `accept` is not usable",
        "An entry accepts one rule, key or override at Cloudflare, and its value, so that it does not hold for whatever that becomes.",
        "Write `rule`, `key` or `override`, and the live value under `is`.";
    ACCEPTED_TWICE = "WAF0033" Error "something is accepted twice",
        "Each rule, key or override has one value, so two entries for it contradict each other.",
        "Remove one of the entries.";
    ACCEPTS_NOTHING = "WAF0034" Warning "an entry of `accept` matches nothing",
        "Nothing at Cloudflare that makes the protection weaker than the section says has this name and this value. The entry would \
         silently accept it later.",
        "Remove the entry, or correct its name or its value.";
    PROTECTION_NOT_KNOWN = "WAF0035" Note "it is not known whether the protection is in force",
        "Rules of an earlier phase can let requests skip the managed rulesets, and they could not be read.",
        "Give the credentials the permission to read them, or take the snapshot again.";
    ACCEPTS_UNKNOWN_RULE = "WAF0037" Warning "an entry of `accept` names a rule that does not exist",
        "The managed rulesets have no such rule, as `waf.lock` lists them, so the entry can match nothing.",
        "Correct the name of the rule, or remove the entry.";
    EARLIER_NOT_READ = "WAF0038" Note "rules that can skip managed rulesets were not read",
        "Custom rules of others can let requests skip the managed rulesets. They are read where the list of the zone's rulesets, which a run \
         over one zone of an account reads anyway, has them. A run over several zones reads the list of the account, which does not say.",
        "Plan such a zone by itself (`--zone NAME`), or write its custom rules into the section.";
    NEVER_REACHED = "WAF0039" Error "no request can reach the threshold",
        "The threshold is higher than the scores of all active rules together, so the ruleset never acts on a request.",
        "Lower the threshold, or write `action: log` if nothing is to be stopped.";
    SHARE = "WAF0040" Error "invalid share",
        "A share is a whole number of percent between the requests that a rule acts on and those that match it.",
        "Write `share: 10%`, or remove the key for all requests.";
}
