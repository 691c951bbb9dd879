//! Builds rules from the directives of a rule set.

use std::collections::HashMap;

use super::decode::UnicodeMap;
use super::directives::{self, Action, Directive};
use super::error::Error;
use super::operators::Operator;
use super::pattern::Pattern;
use super::rules::{Control, Rule, RuleSet, Which};
use super::variables::{Collection, RuleTarget, Selector, Targets};

/// Directives that change other rules; applied when all rules are known.
enum Update {
    Targets(Which, Targets),
    Remove(Which),
    Actions(Which, Vec<Action>),
}

/// Collects rules from the files of a set, in order.
pub(super) struct Builder<'a> {
    file: &'a dyn Fn(&str) -> Option<Vec<u8>>,
    set: RuleSet,
    markers: [Vec<(String, usize)>; 2],
    updates: Vec<Update>,
    pending: Option<Rule>,
}

impl<'a> Builder<'a> {
    /// Creates a builder. `file` returns the content of a data file by the name that a rule uses.
    pub(super) fn new(file: &'a dyn Fn(&str) -> Option<Vec<u8>>) -> Self {
        Self {
            file,
            set: RuleSet::default(),
            markers: Default::default(),
            updates: Vec::new(),
            pending: None,
        }
    }

    /// Adds the rules of one file.
    pub(super) fn add(&mut self, name: &str, text: &str) -> Result<(), Error> {
        for directive in directives::directives(name, text)? {
            self.directive(&directive)
                .map_err(|message| Error::new(name, directive.line, &message))?;
        }
        if let Some(rule) = self.pending.take() {
            return Err(Error::new(
                name,
                text.lines().count(),
                &format!("rule {} is chained to nothing", rule.id),
            ));
        }
        Ok(())
    }

    fn directive(&mut self, directive: &Directive) -> Result<(), String> {
        let word =
            |index: usize| directive.words.get(index).map(String::as_str).unwrap_or_default();
        let parameter = || directive.words[1..].join(" ");
        match word(0).to_ascii_lowercase().as_str() {
            "secrule" => {
                let rule = self.rule(word(1), word(2), word(3))?;
                self.push(rule)
            }
            "secaction" => {
                let mut rule = Rule { phase: 2, ..Rule::default() };
                rule.apply(&directives::actions(word(1)))?;
                self.push(rule)
            }
            "secmarker" => {
                for (phase, markers) in self.set.phases.iter().zip(&mut self.markers) {
                    markers.push((word(1).trim_matches('\'').to_owned(), phase.len()));
                }
                Ok(())
            }
            "secruleremovebyid" => self.update(Update::Remove(Which::ids(&parameter())?)),
            "secruleremovebytag" => self.update(Update::Remove(Which::Tag(word(1).to_owned()))),
            "secruleremovebymsg" => self.update(Update::Remove(Which::Message(word(1).to_owned()))),
            name @ ("secruleupdatetargetbyid"
            | "secruleupdatetargetbytag"
            | "secruleupdatetargetbymsg") => {
                let which = Which::named(&name["secruleupdatetargetby".len()..], word(1))?;
                let targets = Targets::parse(&word(2).replace(',', "|"))?;
                self.update(Update::Targets(which, targets))
            }
            "secruleupdateactionbyid" => {
                self.update(Update::Actions(Which::ids(word(1))?, directives::actions(word(2))))
            }
            "secrequestbodylimit" => size(word(1)).map(|size| self.set.limits.body = size),
            "secrequestbodynofileslimit" => {
                size(word(1)).map(|size| self.set.limits.body_without_files = size)
            }
            "secrequestbodyjsondepthlimit" => {
                size(word(1)).map(|size| self.set.limits.json_depth = size)
            }
            "secargumentslimit" => size(word(1)).map(|size| self.set.limits.arguments = size),
            "secunicodemapfile" => {
                let content = (self.file)(word(1))
                    .ok_or_else(|| format!("the file `{}` is missing", word(1)))?;
                self.set.unicode_map = unicode_map(&String::from_utf8_lossy(&content), word(2));
                Ok(())
            }
            // All other directives concern logs, responses, connections or the server.
            name if name.starts_with("sec") || name == "include" => Ok(()),
            name => Err(format!("the directive `{name}` is unknown")),
        }
    }

    #[allow(clippy::unnecessary_wraps, reason = "an arm of the directives above")]
    fn update(&mut self, update: Update) -> Result<(), String> {
        self.updates.push(update);
        Ok(())
    }

    fn rule(&self, targets: &str, operator: &str, actions: &str) -> Result<Rule, String> {
        let mut rule = Rule { phase: 2, targets: Targets::parse(targets)?, ..Rule::default() };
        let operator = operator.trim_start();
        let (negated, operator) =
            operator.strip_prefix('!').map_or((false, operator), |rest| (true, rest.trim_start()));
        let (name, parameter) = match operator.strip_prefix('@') {
            Some(rest) => rest.split_once(|c: char| c.is_whitespace()).unwrap_or((rest, "")),
            None => ("rx", operator),
        };
        let parameter = if name.eq_ignore_ascii_case("rx") || name.eq_ignore_ascii_case("pm") {
            parameter
        } else {
            parameter.trim()
        };
        rule.negated = negated;
        rule.operator = Some(Operator::parse(name, parameter, self.file)?);
        rule.apply(&directives::actions(actions))?;
        Ok(rule)
    }

    /// Appends a rule, to its phase or to the chain that waits for it.
    fn push(&mut self, rule: Rule) -> Result<(), String> {
        let open = rule.chained;
        let starter = match self.pending.take() {
            None => rule,
            Some(mut starter) => {
                let mut last = &mut starter;
                while last.next.is_some() {
                    last = match &mut last.next {
                        Some(next) => next,
                        None => return Ok(()),
                    };
                }
                last.next = Some(Box::new(rule));
                starter
            }
        };
        if open {
            self.pending = Some(starter);
            return Ok(());
        }
        // Rules about responses are parsed, so that errors in them are found, but not run.
        if let Some(phase) = self.set.phases.get_mut(usize::from(starter.phase).wrapping_sub(1)) {
            phase.push(starter);
        }
        Ok(())
    }

    /// Finishes the set: applies the updates, resolves names and numbers, and builds the prefilter.
    pub(super) fn finish(mut self) -> Result<RuleSet, Error> {
        let error = |rule: &Rule, message: String| {
            Error::new("", 0, &format!("rule {}: {message}", rule.id))
        };
        let mut set = self.set;
        for update in &mut self.updates {
            for (phase, markers) in set.phases.iter_mut().zip(&mut self.markers) {
                match update {
                    Update::Remove(which) => {
                        let kept: Vec<bool> =
                            phase.iter().map(|rule| !which.covers(rule)).collect();
                        for (_, at) in markers {
                            *at = kept[..*at].iter().filter(|kept| **kept).count();
                        }
                        let mut kept = kept.into_iter();
                        phase.retain(|_| kept.next().unwrap_or(true));
                    }
                    Update::Targets(which, targets) => {
                        for rule in phase.iter_mut().filter(|rule| which.covers(rule)) {
                            rule.targets.extend(targets);
                        }
                    }
                    Update::Actions(which, actions) => {
                        for rule in phase.iter_mut().filter(|rule| which.covers(rule)) {
                            rule.apply(actions).map_err(|message| error(rule, message))?;
                        }
                    }
                }
            }
        }
        for number in 0..10 {
            // The groups of a regular expression have the first slots.
            set.slots.place(Collection::Tx, number.to_string().as_bytes());
        }
        let mut index = 0;
        let mut prefilter = super::prefilter::Builder::default();
        for (phase, markers) in set.phases.iter_mut().zip(&self.markers) {
            let length = phase.len();
            for (place, rule) in phase.iter_mut().enumerate() {
                let jump = match (&rule.skip_after, rule.skip) {
                    (Some(name), _) => markers
                        .iter()
                        .find(|(marker, at)| marker == name && *at > place)
                        .map(|(_, at)| *at)
                        .or(Some(length)),
                    (None, 0) => None,
                    (None, skip) => Some((place + 1 + skip).min(length)),
                };
                rule.jump = jump;
                rule.resolve(index, &mut set.slots, &mut set.chains, &mut prefilter)
                    .map_err(|message| error(rule, message))?;
                index += 1;
            }
        }
        #[expect(
            clippy::mutable_key_type,
            reason = "the compiled form of a pattern takes no part in its hash"
        )]
        let mut groups = HashMap::new();
        let mut numbers = Vec::new();
        for rule in set.rules() {
            let group_number = groups.len();
            numbers.push(rule.texts().map(|texts| *groups.entry(texts).or_insert(group_number)));
        }
        set.groups = groups.len();
        for (rule, number) in set.phases.iter_mut().flatten().zip(numbers) {
            rule.group = number;
        }
        let reads_files = set.rules().flat_map(Rule::members).any(|rule| {
            rule.targets
                .included
                .iter()
                .any(|target| target.collection == Collection::FilesTmpContent)
        });
        set.reads_files = reads_files;
        set.prefilter = prefilter.build().map_err(|message| Error::new("", 0, &message))?;
        // The rules that a control selects are stored as bits, now that all rules have a number.
        let mut controls = Vec::new();
        for rule in set.rules() {
            for which in
                rule.members().flat_map(|member| &member.controls).filter_map(Control::which)
            {
                let mut bits = vec![0; index.div_ceil(64)];
                set.rules()
                    .filter(|rule| which.covers(rule))
                    .for_each(|rule| bits[rule.index / 64] |= 1 << (rule.index % 64));
                controls.push(bits);
            }
        }
        let mut controls = controls.into_iter();
        for rule in set.phases.iter_mut().flatten() {
            let mut member = Some(rule);
            while let Some(rule) = member {
                for control in &mut rule.controls {
                    if let Control::RemoveRules(_, bits) | Control::RemoveTarget(_, bits, _) =
                        control
                    {
                        *bits = controls.next().unwrap_or_default();
                    }
                }
                member = rule.next.as_deref_mut();
            }
        }
        Ok(set)
    }
}

impl Rule {
    /// Returns the texts that its operator reads, if the texts are constant during a phase and the
    /// operator can be excluded for some of them.
    fn texts(&self) -> Option<(&[RuleTarget], usize)> {
        let is_fixed = |target: &RuleTarget| {
            !target.count && !target.collection.is_stored() && !target.collection.is_about_matches()
        };
        let is_plain = self.bit.is_some() && !self.negated && !self.multi_match;
        let is_plain = is_plain && self.targets.included.iter().all(is_fixed);
        is_plain.then_some((self.targets.included.as_slice(), self.chain))
    }
}

impl Targets {
    fn extend(&mut self, more: &mut Self) {
        // A directive can select several rules, so its targets are copied.
        self.included.extend(more.included.iter().filter_map(RuleTarget::copy));
        self.excluded.extend(more.excluded.iter().filter_map(RuleTarget::copy));
    }
}

impl RuleTarget {
    fn copy(&self) -> Option<Self> {
        let selector = match &self.selector {
            Selector::All => Selector::All,
            Selector::Key(key) | Selector::Slot(_, key) => Selector::Key(key.clone()),
            Selector::Matching(pattern) => {
                Selector::Matching(Pattern::new(pattern.source(), true).ok()?)
            }
        };
        Some(Self { collection: self.collection, selector, count: self.count })
    }
}

fn size(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| format!("`{text}` is not a size in bytes"))
}

/// Reads the table of one code page in a Unicode map: pairs such as `2019:27` after a line with its
/// number.
fn unicode_map(text: &str, page: &str) -> UnicodeMap {
    let mut map = UnicodeMap::new();
    let mut inside = false;
    for line in text.lines() {
        let mut words = line.split_whitespace().peekable();
        match words.peek() {
            Some(word) if !word.contains(':') => inside = *word == page,
            _ if inside => map.extend(words.filter_map(|pair| {
                let (code, byte) = pair.split_once(':')?;
                Some((u16::from_str_radix(code, 16).ok()?, u8::from_str_radix(byte, 16).ok()?))
            })),
            _ => {}
        }
    }
    map
}
