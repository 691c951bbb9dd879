//! Every kind of finding about a spec: its stable code, severity, fixed summary and one line of documentation.
//!
//! Each kind stands here once, in the order of its code; [`ALL`] lists them for documentation and tests. A code is never
//! reused: a kind that is given up leaves a gap.

use crate::diagnostic::{Code, Diagnostic, Place, Severity};

/// One kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Stable code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// The words that every finding of this kind begins with.
    pub summary: &'static str,
    /// One line for the documentation.
    pub about: &'static str,
}

impl Finding {
    /// A finding of this kind at a place; the detail is shown there.
    pub(super) fn at(&self, place: Place, detail: impl Into<String>) -> Diagnostic {
        self.nowhere(detail).at(place, "")
    }

    /// A finding of this kind that has no place in a text.
    pub(super) fn nowhere(&self, detail: impl Into<String>) -> Diagnostic {
        Diagnostic::new(Code(self.code), self.severity, self.summary, detail)
    }
}

/// Declares the table.
macro_rules! findings {
    ($($name:ident = $code:literal $severity:ident $summary:literal: $about:literal;)+) => {
        $(#[doc = $about] pub const $name: Finding = Finding {
            code: $code,
            severity: Severity::$severity,
            summary: $summary,
            about: $about,
        };)+

        /// Every kind of finding about a spec, in the order of the codes.
        pub const ALL: &[Finding] = &[$($name),+];
    };
}

findings! {
    SYNTAX = "SPEC0001" Error "the YAML cannot be read":
        "The text is not well-formed YAML; nothing after the place was looked at.";
    UNREADABLE = "SPEC0002" Error "the file cannot be read":
        "The file or directory does not exist, is not readable, or is not a regular file.";
    TOO_LARGE = "SPEC0003" Error "the file is too large":
        "A file of a spec has at most 64 MiB and eight million values; write one file for each zone.";
    NOT_TEXT = "SPEC0004" Error "the file is not text":
        "A spec is UTF-8 text without NUL bytes.";
    NOTHING = "SPEC0005" Error "there is nothing to read":
        "An input, an included path or a file holds no spec; an empty spec is refused rather than taken to manage nothing.";
    INCLUDE_REFUSED = "SPEC0006" Error "the path cannot be included":
        "Included paths stay below the directory of the file or directory that was given, after symbolic links are resolved.";
    DIRECTORY_LOOP = "SPEC0007" Error "the directories form a loop":
        "A symbolic link leads back to a directory that it is in.";
    DUPLICATE_KEY = "SPEC0008" Error "the key stands twice":
        "A key stands twice in one mapping; YAML readers would silently keep one of them.";
    TOO_DEEP = "SPEC0009" Error "the nesting is too deep":
        "Lists and mappings are nested deeper than any spec needs.";
    TOO_MANY_ALIASES = "SPEC0010" Error "the aliases expand to too much":
        "Aliases are expanded at most to a million values, so that a small file cannot fill the memory.";
    MERGE_KEY = "SPEC0011" Error "merge keys are not supported":
        "`<<` is not part of YAML 1.2 and hides where a value comes from; `defaults:` does the same in the open.";
    TAG = "SPEC0012" Error "YAML tags are not supported":
        "A tag such as `!secret` or `!!str` stands before a value; a spec needs none.";
    SEVERAL_DOCUMENTS = "SPEC0013" Error "the file holds several YAML documents":
        "One file holds one document; a `---` further down begins another.";
    KEY_NOT_TEXT = "SPEC0014" Error "the key is not a plain word":
        "A list or a mapping stands where a key is expected.";
    VERSION = "SPEC0015" Error "the version of the spec is missing or unknown":
        "Each file says `version: 1`, so that an upgrade never changes what an old spec means.";
    UNKNOWN_KEY = "SPEC0016" Error "the key is unknown":
        "No such key exists at this place.";
    SECRET = "SPEC0018" Error "secrets do not belong in a spec":
        "A key that names a credential stands in the spec; credentials come from the environment.";
    WRONG_KIND = "SPEC0019" Error "the value is of the wrong kind":
        "Text stands where a list is expected, a number where text is, and the like.";
    UNKNOWN_WORD = "SPEC0020" Error "the word is not one of those possible here":
        "The key takes one of a few words.";
    MISSING_KEY = "SPEC0021" Error "a required key is missing":
        "The mapping lacks a key that it cannot do without.";
    OUT_OF_RANGE = "SPEC0022" Error "the number or length is out of range":
        "The value is smaller or larger than is possible here.";
    NO_ZONES = "SPEC0023" Error "the spec names no zone":
        "A spec without zones is refused rather than taken to manage nothing.";
    UNDEFINED_VARIABLE = "SPEC0024" Error "the variable is not defined":
        "`${NAME}` is neither under `variables:` nor given with `--var`; the environment is never asked.";
    SUBSTITUTION = "SPEC0025" Error "the substitution cannot be read":
        "`${` begins a substitution `${NAME}`; `$${` stands for the two characters themselves.";
    VARIABLE_CLASH = "SPEC0026" Error "the variable has two values":
        "Variables are shared by all files, and two of them give this one different values.";
    VARIABLE = "SPEC0027" Error "the variable is not usable":
        "Names of variables are letters, digits and `_`, values are single values that hold no `${…}` themselves.";
    ZONE_CLASH = "SPEC0028" Error "two fragments of the zone contradict each other":
        "Fragments of a zone are merged; what they say about the zone itself must agree.";
    DEFAULTS_CLASH = "SPEC0029" Error "the file inherits different defaults":
        "The file is included from several places whose `defaults` differ, so it is not clear which apply.";
    DATE = "SPEC0030" Error "the date is not valid":
        "Dates are written YYYY-MM-DD.";
    TOMBSTONE = "SPEC0031" Error "a record that should be gone cannot have this":
        "`state: absent` goes with a name, a type and perhaps a value; anything else would have no effect.";
    VALUE_FORM = "SPEC0032" Error "the record needs exactly one value form":
        "A record has either `content` or `data`.";
    IGNORE = "SPEC0033" Error "the ignore pattern is not usable":
        "A pattern under `ignore` needs at least one of `name`, `type`, `content` and `tag`, and its globs must be well-formed.";
    IGNORE_IDLE = "SPEC0034" Note "the ignore patterns have no effect":
        "`ignore` makes exceptions from `unmanaged: prune`; with `keep`, everything that the spec does not name stays.";
    NOT_UNDERSTOOD = "SPEC0035" Error "the value cannot be understood":
        "The value passed every other check and still could not be read.";
    TOO_MANY = "SPEC0036" Error "there are more mistakes than are reported":
        "After ten thousand findings the rest of the spec is not checked.";
    TOO_MUCH_TO_SEARCH = "SPEC0037" Error "there is too much to look through":
        "For one spec at most a million files and directories and a thousand links to directories are looked at.";
    OUTSIDE_ZONE = "DNS0001" Error "the name is outside the zone":
        "Records of a zone stand at its name or below it.";
    NAME = "DNS0002" Error "the name is not a domain name":
        "Labels have 1 to 63 octets of letters, digits, `-` and `_`, and the whole name at most 253.";
    WILDCARD = "DNS0003" Error "the wildcard is misplaced":
        "`*` counts as a wildcard only as the whole first label of a name.";
    VALUE = "DNS0004" Error "the value does not fit the record type":
        "The content or data of the record is not valid for its type.";
    PRIORITY = "DNS0005" Error "the priority is missing or not valid":
        "MX and SRV records have a priority from 0 to 65535, other types have none.";
    SERVICE_TYPE = "DNS0006" Error "the service manages records of this type":
        "SOA records are written by the service and cannot be managed as records.";
    EXCLUSIVE = "DNS0007" Error "records of these types cannot stand at one name":
        "A CNAME excludes A, AAAA and NS records at its name, and NS excludes A and AAAA.";
    SECOND_CNAME = "DNS0008" Error "a name has one CNAME at most":
        "Two CNAME records stand at one name.";
    REPEATED = "DNS0009" Error "the record stands twice":
        "Two records have the same name, type and value, perhaps in different spellings.";
    CONTRADICTION = "DNS0010" Error "the record is wanted and wanted gone":
        "A record and a `state: absent` of the same name and type contradict each other.";
    SELF_ALIAS = "DNS0011" Error "the CNAME points to itself":
        "The target of a CNAME is its own name.";
    APEX_NS = "DNS0012" Warning "the service maintains the name servers of the zone itself":
        "NS records at the apex of the zone are kept by the service; those of the spec may be ignored or refused.";
    NOT_PROXIABLE = "DNS0013" Error "records of this type cannot be proxied":
        "Only A, AAAA and CNAME records can be proxied.";
    TTL = "DNS0014" Error "the time to live is not valid":
        "A time to live is `auto` or 60 to 86400 seconds, on Enterprise zones from 30.";
    TTL_ENTERPRISE = "DNS0015" Warning "the time to live is possible on Enterprise zones only":
        "Less than 60 seconds are refused by the service on other plans.";
    TTL_IGNORED = "DNS0016" Note "the time to live has no effect":
        "The service sets the time to live of proxied records itself; it is never compared.";
    COMMENT = "DNS0017" Error "the comment is not possible":
        "Comments have at most 500 characters on one line.";
    RECORD_TAG = "DNS0018" Error "the tag is not valid":
        "Tags are `name` or `name:value`, the name of 1 to 32 letters, digits, `-` or `_`.";
    TOO_MANY_TAGS = "DNS0019" Error "the record has too many tags":
        "A record has at most 20 tags.";
    SINGLE_LABEL = "DNS0020" Warning "the target is a single word":
        "Targets are never relative to the zone: `www` means the top-level domain `www`.";
    ZONE_NAME = "DNS0021" Error "the name is not a zone name":
        "A zone is named by its domain, such as example.com.";
    ZONE_ID = "DNS0022" Error "the zone id is not valid":
        "A zone id is 32 hexadecimal digits.";
    EXPRESSION = "WAF0001" Error "the expression cannot be used":
        "The expression is not part of the service's rules language, or uses what the place does not have.";
    EXPRESSION_DOUBT = "WAF0002" Warning "the expression may not do what is meant":
        "The service takes the expression, and it probably matches other requests than its author had in mind.";
    EXPRESSION_NOTE = "WAF0003" Note "about the expression":
        "Something about the expression that is good to know.";
    DEPLOYED_TWICE = "WAF0004" Error "a managed ruleset runs once in a zone":
        "The service refuses a second rule that executes the same managed ruleset (20014); exceptions say where it does less.";
    PARANOIA = "WAF0005" Error "the paranoia level is not possible":
        "Paranoia levels are 1 to 4; `custom` leaves them to `raw`.";
    THRESHOLD = "WAF0006" Error "the threshold is not possible":
        "A threshold is `low`, `medium`, `high` or a whole number from 1.";
    THRESHOLD_LOW = "WAF0007" Warning "the threshold looks like a paranoia level":
        "With a threshold below 5, the first hit of nearly any rule is enough; 1 to 4 are paranoia levels.";
    RULE_NAME = "WAF0008" Error "the name of the rule is not possible":
        "The name becomes the rule's `ref`: 1 to 128 letters, digits, `-`, `_` and `.`, and not the name of a managed ruleset.";
    NAME_TWICE = "WAF0009" Error "two rules have one name":
        "Rules are known by their names, so each stands once in its list.";
    TUNED_TWICE = "WAF0010" Error "the same thing is tuned twice":
        "A rule or a tag of a managed ruleset is tuned by one entry; two would contradict each other.";
    TUNING = "WAF0011" Error "the entry does not say what to tune":
        "An entry names one rule or one tag, and what is to become of it.";
    NO_REASON = "WAF0012" Error "weaker protection needs a reason":
        "Whatever is switched off, only logged or passed by says why, so that it can be judged and taken back.";
    SKIP = "WAF0013" Error "what is passed by cannot be used":
        "`skip` is `everything`, or a mapping with at least one thing that requests pass by.";
    NOT_HERE = "WAF0014" Error "the key has no meaning here":
        "The key belongs to another action, or to a rule that is not raw.";
    RATE = "WAF0015" Error "the rate cannot be used":
        "Rates are written `5 in 1m`, and what happens above them `block for 10m`; the service knows certain periods only.";
    CHARACTERISTIC = "WAF0016" Error "requests cannot be counted by this":
        "`per` names what requests are counted by: `ip` or `visitor`, not both, or the service's names.";
    RESPONSE = "WAF0017" Error "the response is not possible":
        "A response goes with `block`, and has a status from 400 to 499, a body and its type.";
    RAW = "WAF0018" Error "the raw value cannot be used":
        "What stands under `raw` has the service's form, or it could not be sent.";
    UNKNOWN_PROFILE = "WAF0019" Error "there is no such profile":
        "`use` names profiles that stand under `profiles:` in any file of the spec.";
    PROFILE_TWICE = "WAF0020" Error "the profile is defined twice":
        "Profiles are shared by all files, so each name has one definition.";
    PROFILE_CLASH = "WAF0021" Error "two profiles contradict each other":
        "Profiles that a zone uses together say different things about one key, and the zone does not decide.";
    EXPIRED = "WAF0022" Warning "the entry has expired":
        "The last day on which the entry holds is over, so it is no longer wanted.";
    EXPIRES_SOON = "WAF0023" Warning "the entry expires soon":
        "The last day on which the entry holds is at most 14 days away.";
    ANOMALY_OFF = "WAF0024" Warning "this switches the whole OWASP ruleset off":
        "The rules of the OWASP ruleset only add to a score; 949110 alone acts on it.";
    ALWAYS = "WAF0025" Warning "the exception holds for every request":
        "An exception with an expression that is always true protects nothing from what it skips.";
    SCORE_ACTION = "WAF0026" Warning "the action has no effect on the score":
        "An override of the whole ruleset does not reach the rule that acts on the score.";
    PARANOIA_TAG = "WAF0027" Warning "the tag means nothing in this ruleset":
        "Paranoia levels belong to the OWASP ruleset, whose level is set by `paranoia`.";
    LEVELS = "WAF0028" Warning "these are no paranoia levels":
        "A paranoia level includes the levels below it; switching a lower one off leaves a hole.";
    PROFILE_UNUSED = "WAF0029" Note "no zone uses the profile":
        "The profile has no effect as long as no zone names it under `use`.";
    SECTION = "WAF0030" Error "the word is not possible for a ruleset":
        "A ruleset is `on`, `off`, or a mapping that tunes it.";
    ORDER = "WAF0031" Error "the rules cannot stand in this order":
        "Rules of one list stand in its order, and what `before` and `after` say must leave a place for each of them.";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_stand_in_order_and_once() {
        for pair in ALL.windows(2) {
            let rank = |code: &str| ["SPEC", "DNS", "WAF"].iter().position(|family| code.starts_with(family)).unwrap();
            let family = |f: &Finding| (rank(f.code), f.code);
            assert!(family(&pair[0]) < family(&pair[1]), "{} before {}", pair[0].code, pair[1].code);
        }
        for finding in ALL {
            assert!(finding.about.ends_with('.') && !finding.summary.ends_with('.'), "{}", finding.code);
        }
    }
}
