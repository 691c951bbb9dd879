//! Writes the steps for the tool that a zone leaves: the tool stops managing what the spec manages
//! now, and deletes nothing.
//!
//! The result is text for a person or a script for a shell; nothing is run. Names come from files
//! that others wrote, so they are quoted. An entry is left out and counted if its name cannot be
//! shown verbatim.
//!
//! # Sources
//! developer.hashicorp.com/terraform/language/resources/syntax (`removed` blocks) and
//! …/cli/commands/state/rm, read 2026-11-22.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use crate::diagnostic::{count, is_hidden};
use crate::model::ZoneName;

/// Imported entries, by the tool that managed them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Leaving {
    /// Addresses of Terraform's resources: `true` for imported resources, `false` for resources
    /// that stay.
    pub(super) terraform: BTreeMap<String, bool>,
    /// Modules and resources, without keys, of which some instances are unknown.
    partly_unknown: BTreeSet<String>,
    pub(super) octodns: BTreeSet<ZoneName>,
    /// Domains of DNSControl; several if they are equal views of one zone.
    pub(super) dnscontrol: BTreeMap<ZoneName, Vec<DnscontrolDomain>>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct DnscontrolDomain {
    /// Name in `dnsconfig.js`, with the tag.
    pub(super) name: String,
    /// Providers whose records are imported.
    pub(super) providers: BTreeSet<String>,
    /// Other providers of the domain.
    pub(super) stays_at: BTreeSet<String>,
    /// Number of entries that the spec has in part or not at all.
    pub(super) left_out: usize,
}

impl Leaving {
    /// Returns true if there is no tool to leave: a zone file or a table does nothing by itself.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.terraform.values().any(|imported| *imported)
            && self.octodns.is_empty()
            && !self.dnscontrol.values().flatten().any(|domain| domain.left_out == 0)
    }

    /// Notes whether a resource of Terraform leaves. Several states may have resources with one
    /// address: all of them must leave.
    pub(super) fn resource(&mut self, address: &str, leaves: bool) {
        *self.terraform.entry(address.to_owned()).or_insert(true) &= leaves;
    }

    /// Returns true for the address of a noted resource or its instances, and of a module that
    /// stays.
    pub(super) fn knows(&self, address: &str) -> bool {
        let is_instance =
            |known: &String| known.strip_prefix(address).is_some_and(|rest| rest.starts_with('['));
        let addresses = self.terraform.keys().chain(&self.partly_unknown);
        addresses.into_iter().any(|known| known == address || is_instance(known))
    }

    /// Notes that a module or a resource stays, because some of its instances are unknown.
    pub(super) fn keep(&mut self, address: &str) {
        self.partly_unknown.extend(Address::parse(address).map(|address| address.base));
    }

    /// Returns the steps as text: the changes that a person makes in the files of the tool.
    #[must_use]
    pub fn text(&self) -> String {
        let mut out = String::new();
        let (whole, parts, odd) = self.resources();
        if !whole.is_empty() {
            out.push_str(
                "# Terraform 1.7 or OpenTofu 1.7: replace the blocks of these resources by the \
                blocks below, and run `terraform apply`.\n\
                 # It forgets the resources and deletes nothing. Remove the blocks afterwards.\n",
            );
        }
        for address in whole.keys() {
            let _ = write!(
                out,
                "\nremoved {{\n  from = {address}\n\n  lifecycle {{\n    destroy = false\n  }}\n}}\n"
            );
        }
        if !parts.is_empty() {
            out.push_str(
                "\n# Only some instances of these resources are imported. Make Terraform forget \
                them one by one:\n",
            );
            for address in &parts {
                let _ = writeln!(out, "#   terraform state rm {}", quoted(address));
            }
        }
        self.rest(odd, &mut out);
        out
    }

    /// Returns a script that makes Terraform forget the resources. Comments of the script list the
    /// other steps.
    #[must_use]
    pub fn script(&self) -> String {
        let mut out = String::from("#!/bin/sh\n");
        let (whole, parts, odd) = self.resources();
        if !whole.is_empty() || !parts.is_empty() {
            out.push_str(
                "# Read it before you run it. It changes the state of Terraform; nothing \
                at Cloudflare.\n",
            );
            out.push_str(
                "# Run it where `terraform` runs, and remove the blocks of these resources from \
                the configuration before the next plan.\n\
                 # For OpenTofu, set TERRAFORM=tofu.\nset -eu\n",
            );
        }
        for address in whole.values().flatten().chain(&parts) {
            let _ = writeln!(out, "\"${{TERRAFORM:-terraform}}\" state rm {}", quoted(address));
        }
        self.rest(odd, &mut out);
        out
    }

    /// Returns the resources of which every instance leaves, with their addresses in each module;
    /// then the instances that leave alone, and the number of names that cannot be shown.
    fn resources(&self) -> (BTreeMap<String, BTreeSet<String>>, BTreeSet<String>, usize) {
        let mut odd = 0;
        let mut by_base: BTreeMap<String, Vec<(&String, String, bool)>> = BTreeMap::new();
        for (address, imported) in &self.terraform {
            match Address::parse(address) {
                Some(Address { base, resource }) => {
                    by_base.entry(base).or_default().push((address, resource, *imported))
                }
                None => odd += usize::from(*imported),
            }
        }
        let (mut whole, mut parts) = (BTreeMap::new(), BTreeSet::new());
        for (base, instances) in by_base {
            // The address may end with the resource or with a module that contains it.
            let is_partly_unknown = |end: usize| self.partly_unknown.contains(&base[..end]);
            let is_known = !base
                .match_indices('.')
                .map(|(at, _)| at)
                .chain([base.len()])
                .any(is_partly_unknown);
            if is_known && instances.iter().all(|(_, _, imported)| *imported) {
                whole
                    .insert(base, instances.into_iter().map(|(_, resource, _)| resource).collect());
            } else {
                let imported = instances.into_iter().filter(|(_, _, imported)| *imported);
                parts.extend(imported.map(|(address, _, _)| address.clone()));
            }
        }
        (whole, parts, odd)
    }

    /// Appends the steps that text and script share, as comments.
    fn rest(&self, odd: usize, out: &mut String) {
        let staying = self.terraform.values().filter(|imported| !**imported).count();
        if odd > 0 {
            let _ = writeln!(
                out,
                "\n# {} not listed: the address is not one of Terraform's.",
                count(odd, "resource")
            );
        }
        if staying > 0 && self.terraform.values().any(|imported| *imported) {
            let _ = writeln!(
                out,
                "\n# {} at Cloudflare not imported: keep in Terraform.",
                count(staying, "resource")
            );
        }
        for zone in &self.octodns {
            let _ = writeln!(
                out,
                "\n# octoDNS: remove the zone `{zone}.` from `zones:` in its configuration, or the \
                provider `cloudflare` from its targets."
            );
        }
        for DnscontrolDomain { name, providers, stays_at, left_out } in
            self.dnscontrol.values().flatten()
        {
            // A name cannot end a comment of the script.
            let safe = |name: &str| -> String {
                name.chars().filter(|c| !is_hidden(*c) && !c.is_control()).collect()
            };
            let domain = format!("D(\"{}\", …)", safe(name));
            let providers: Vec<String> =
                providers.iter().map(|name| format!("DnsProvider(\"{}\")", safe(name))).collect();
            let providers = providers.join(" and ");
            let words = match (left_out, stays_at.is_empty()) {
                (0, true) => format!(
                    "remove {domain} from dnsconfig.js, or only {providers} from it. DNSControl \
                    then deletes nothing."
                ),
                (0, false) => format!(
                    "remove {providers} from {domain} in dnsconfig.js, and keep the rest, which \
                    goes elsewhere. \
                     DNSControl then deletes nothing."
                ),
                (n, _) => format!(
                    "keep {domain}: {} of it not imported or imported in part.",
                    count(*n, "entry")
                ),
            };
            let _ = writeln!(out, "\n# DNSControl: {words}");
        }
    }
}

/// An address of a Terraform resource.
struct Address {
    /// Address without keys, as a `removed` block names it: `module.a.cloudflare_record.www` for
    /// `module.a[0].cloudflare_record.www["x"]`.
    base: String,
    /// Address with the keys of its modules, as `state rm` names it:
    /// `module.a[0].cloudflare_record.www`.
    resource: String,
}

impl Address {
    /// Parses an address. Returns `None` if Terraform has no such address or it cannot be shown
    /// verbatim.
    fn parse(address: &str) -> Option<Self> {
        if address.chars().any(is_hidden) {
            return None;
        }
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let mut base = String::new();
        let mut unread = address;
        loop {
            let end = unread.find(|c| !is_name(c)).unwrap_or(unread.len());
            let (name, after) = unread.split_at(end);
            if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit() || c == '-') {
                return None;
            }
            base.push_str(name);
            unread = match after.strip_prefix('[') {
                None => after,
                Some(key) => after_key(key)?,
            };
            match unread.strip_prefix('.') {
                Some(next) => {
                    base.push('.');
                    unread = next;
                }
                None if unread.is_empty() => {
                    let resource = address[..address.len() - after.len()].to_owned();
                    return Some(Self { base, resource });
                }
                None => return None,
            }
        }
    }
}

/// Returns the text after a key and its closing bracket.
fn after_key(key: &str) -> Option<&str> {
    let Some(text) = key.strip_prefix('"') else {
        let (digits, rest) = key.split_once(']')?;
        return digits
            .chars()
            .all(|c| c.is_ascii_digit())
            .then_some(rest)
            .filter(|_| !digits.is_empty());
    };
    let mut letters = text.char_indices();
    while let Some((at, c)) = letters.next() {
        match c {
            '\\' => drop(letters.next()),
            '"' => return text[at + 1..].strip_prefix(']'),
            _ => {}
        }
    }
    None
}

/// Quotes a word for a shell.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lose_their_keys() {
        for (address, expected) in [
            ("cloudflare_record.www", Some("cloudflare_record.www")),
            ("cloudflare_record.www[0]", Some("cloudflare_record.www")),
            (
                r#"module.a["x.y"].cloudflare_record.w["a\"]b"]"#,
                Some("module.a.cloudflare_record.w"),
            ),
            ("cloudflare_record.a; rm -rf /", None),
            ("cloudflare_record.$(x)", None),
            ("cloudflare_record.www[\"a\n\"]", None),
            ("cloudflare_record.www[a]", None),
            ("cloudflare_record.www[", None),
            ("cloudflare_record..www", None),
            ("", None),
        ] {
            assert_eq!(
                Address::parse(address).map(|address| address.base).as_deref(),
                expected,
                "{address}"
            );
        }
    }

    #[test]
    fn instances_in_modules_leave_by_the_keys_of_their_modules() {
        let mut leaving = Leaving::default();
        for address in [
            r#"module.a["x"].cloudflare_record.www[0]"#,
            r#"module.a["x"].cloudflare_record.www[1]"#,
            r#"module.a["y"].cloudflare_record.www[0]"#,
            r#"module.a["x"].module.b.cloudflare_record.api["k"]"#,
            "module.a2.cloudflare_record.other",
        ] {
            leaving.terraform.insert(address.to_owned(), true);
        }
        // What the other instance of `module.a` makes in its `module.b` is not known.
        leaving.keep(r#"module.a["y"].module.b"#);
        let (text, script) = (leaving.text(), leaving.script());
        let names = |out: &str, before: &str| -> Vec<String> {
            out.lines().filter_map(|line| Some(line.split_once(before)?.1.to_owned())).collect()
        };
        assert_eq!(
            names(&text, "from = "),
            ["module.a.cloudflare_record.www", "module.a2.cloudflare_record.other"]
        );
        assert_eq!(
            names(&text, "state rm "),
            [r#"'module.a["x"].module.b.cloudflare_record.api["k"]'"#]
        );
        assert_eq!(
            names(&script, "state rm "),
            [
                r#"'module.a["x"].cloudflare_record.www'"#,
                r#"'module.a["y"].cloudflare_record.www'"#,
                "'module.a2.cloudflare_record.other'",
                r#"'module.a["x"].module.b.cloudflare_record.api["k"]'"#,
            ]
        );
    }

    #[test]
    fn a_resource_of_which_an_instance_stays_leaves_instance_by_instance() {
        let address = |text: &str, imported| (text.to_owned(), imported);
        let leaving = Leaving {
            terraform: [
                address("cloudflare_record.a[\"it's\"]", true),
                address("cloudflare_record.a[\"b\"]", false),
                address("cloudflare_record.c[0]", true),
                address("cloudflare_record.c[1]", true),
                address("x y", true),
            ]
            .into(),
            ..Leaving::default()
        };
        let (text, script) = (leaving.text(), leaving.script());
        assert!(
            text.contains("from = cloudflare_record.c\n")
                && !text.contains("from = cloudflare_record.a"),
            "{text}"
        );
        assert!(script.contains(r#"state rm 'cloudflare_record.a["it'\''s"]'"#), "{script}");
        assert!(script.contains("state rm 'cloudflare_record.c'\n"), "{script}");
        assert!(
            script.contains("1 resource not listed")
                && script.contains("1 resource at Cloudflare not imported"),
            "{script}"
        );
    }
}
