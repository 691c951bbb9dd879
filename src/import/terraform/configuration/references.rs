//! Evaluates what expressions refer to: variables, locals, resources, outputs of modules.

use std::collections::BTreeMap;
use std::path::Path;

use hcl_edit::structure::Block;

use super::super::blocks::{META, head, is_single, key};
use super::super::evaluate::{Effort, Globals, Scope};
use super::super::modules::{is_json, plain};
use super::super::value::{Missing, Term};
use super::super::variable_types::conform;
use super::super::variable_values::{Assigned, from_text, readable};
use super::super::{ASSIGNED, ZONE_REFERENCE};
use super::module::{Module, Written};
use crate::diagnostic::{Place, Source, SourceId};
use crate::import::source_files::read_below;
use crate::model::Gather;

impl Module<'_> {
    /// Returns the value of a variable.
    fn variable(&self, name: &str, place: Place) -> Term {
        let declared = self.variables.get(name).copied().unwrap_or_default();
        let assigned = self.assigned.get(name).copied();
        let is_given = self.call.as_ref().is_some_and(|call| call.has(name));
        if !is_given && assigned.is_none() && declared.default.is_none() {
            let where_to = match self.call {
                None => format!(
                    "give it with `--var {name}=VALUE`, `--var-file` or in `terraform.tfvars`"
                ),
                Some(_) => "set it in the `module` block".to_owned(),
            };
            let why = format!("the variable `{name}` has no value; {where_to}");
            return Term::Missing(Missing::unknown(why, place));
        }
        let evaluate = |(source, expression): Written<'_>| self.scope(source).evaluate(expression);
        let assigned_value = |assigned: Assigned<'_>| match assigned {
            Assigned::Expression(source, expression) => evaluate((source, expression)),
            Assigned::Value(value) => value.clone(),
            Assigned::Text(text) => {
                from_text(text, declared.kind.map(|(_, kind)| kind), name, place)
            }
        };
        let value = self.cached(format!("var.{name}"), place, || {
            let input = self.call.as_ref().and_then(|call| call.input(name));
            if input.as_ref().is_some_and(|value| !self.all.admits_input(value.size())) {
                return Term::Missing(Missing::unknown(
                    "the modules are called with too many values",
                    place,
                ));
            }
            let given_value = input
                .or_else(|| assigned.map(assigned_value).map(|value| readable(value, name, place)));
            let usable_value =
                given_value.filter(|value| !(declared.is_never_null && *value == Term::Null));
            let value =
                usable_value.or_else(|| declared.default.map(evaluate)).unwrap_or(Term::Null);
            let value = match declared.kind {
                Some((of, kind)) => conform(value, kind, &self.scope(of)),
                None => value,
            };
            match value {
                value @ (Term::Null | Term::Missing(_)) => value,
                value if declared.is_sensitive => Term::Missing(Missing::sensitive(
                    &format!("the variable `{name}`"),
                    value,
                    place,
                )),
                value => value,
            }
        });
        match value {
            // An entry that refers to the variable is reported at its own place.
            Term::Missing(missing) if declared.is_sensitive => {
                Term::Missing(Missing { place, ..missing })
            }
            value => value,
        }
    }

    /// Evaluates a value once. The value is missing if it depends on itself.
    pub(super) fn cached(
        &self,
        key: String,
        place: Place,
        evaluate: impl FnOnce() -> Term,
    ) -> Term {
        if let Some(known) = self.cache.borrow().get(&key) {
            return known.clone().unwrap_or_else(|| {
                Term::Missing(Missing::unknown(format!("`{key}` refers to itself"), place))
            });
        }
        self.cache.borrow_mut().insert(key.clone(), None);
        let value = self.all.effort.keep(evaluate(), place);
        self.cache.borrow_mut().insert(key, Some(value.clone()));
        value
    }

    /// Returns the attributes of an instance that expressions can refer to: its id, and the
    /// attributes that its block sets.
    fn seen(&self, kind: &str, address: &str, block: &Block, scope: &Scope<'_>) -> Term {
        let place = head(scope.source, block);
        let plain = kind.trim_start_matches("data.");
        let attribute =
            |name: &str| block.body.get_attribute(name).map(|a| scope.evaluate(&a.value));
        let zone_name = || {
            let filter = block.body.get_blocks("filter").next();
            let filtered = || {
                filter.and_then(|f| f.body.get_attribute("name")).map(|a| scope.evaluate(&a.value))
            };
            let in_object = || match attribute("filter") {
                Some(Term::Map(mut filter)) => filter.remove("name"),
                _ => None,
            };
            attribute("zone").or_else(|| attribute("name")).or_else(filtered).or_else(in_object)
        };
        let mut map = BTreeMap::new();
        for member in block.body.attributes().filter(|a| !META.contains(&a.key.as_str())) {
            map.insert(member.key.to_string(), scope.evaluate(&member.value));
        }
        match (plain, zone_name()) {
            ("cloudflare_zone", Some(Term::Text(name))) => {
                let id = Term::Text(format!("{ZONE_REFERENCE}{name}"));
                map.extend([("id".to_owned(), id.clone()), ("zone_id".to_owned(), id)]);
                map.extend([
                    ("name".to_owned(), Term::from(&*name)),
                    ("zone".to_owned(), Term::Text(name)),
                ]);
            }
            ("cloudflare_zones", Some(Term::Text(name))) => {
                let id = Term::Text(format!("{ZONE_REFERENCE}{name}"));
                let zone = Term::Map(
                    [("id".to_owned(), id), ("name".to_owned(), Term::Text(name))]
                        .into_iter()
                        .gather(),
                );
                let zones = Term::List(vec![zone]);
                map.extend([("zones".to_owned(), zones.clone()), ("result".to_owned(), zones)]);
            }
            ("cloudflare_zone" | "cloudflare_zones", name) => {
                let unknown = match name {
                    Some(Term::Missing(missing)) => missing,
                    _ => Missing::unknown(
                        format!("`{address}` does not say the name of its zone"),
                        place,
                    ),
                };
                let members = if plain == "cloudflare_zone" {
                    ["id", "zone_id"]
                } else {
                    ["zones", "result"]
                };
                let unknown = |member: &str| (member.to_owned(), Term::Missing(unknown.clone()));
                map.extend(members.map(unknown));
            }
            _ => drop(map.insert("id".to_owned(), Term::Text(format!("{ASSIGNED}{address}")))),
        }
        Term::Map(map)
    }

    /// Returns the value of `kind.name`: an object, or a map or list of objects.
    fn resource(&self, kind: &str, name: &str, place: Place) -> Option<Term> {
        let (source, block) = self.blocks.get(&(kind.to_owned(), name))?;
        let address = format!("{}{kind}.{name}", self.prefix);
        Some(self.cached(address.clone(), place, || {
            let instances = match self.instances(*source, block) {
                Ok(instances) => instances,
                Err(missing) => return Term::Missing(missing),
            };
            let object = |(index, scope): &(String, Scope<'_>)| {
                self.seen(kind, &format!("{address}{index}"), block, scope)
            };
            if block.body.has_attribute("count") {
                return Term::List(instances.iter().map(object).collect());
            }
            if block.body.has_attribute("for_each") {
                return Term::Map(instances.iter().map(|one| (key(&one.1), object(one))).gather());
            }
            instances.first().map_or(Term::Null, object)
        }))
    }
}

impl Globals for Module<'_> {
    fn lookup(&self, first: &str, rest: &[&str], place: Place) -> Option<(Term, usize)> {
        match (first, rest) {
            ("var", [name, ..]) => Some((self.variable(name, place), 1)),
            ("local", [name, ..]) => {
                let (source, expression) = self.locals.get(name)?;
                let value = self.cached(format!("local.{name}"), place, || {
                    self.scope(*source).evaluate(expression)
                });
                Some((value, 1))
            }
            ("path", ["module", ..]) => match self.path.to_str() {
                Some("") => Some((Term::from("."), 1)),
                path => Some((Term::from(path?), 1)),
            },
            // Terraform runs in the directory of the root.
            ("path", ["root" | "cwd", ..]) => Some((Term::from("."), 1)),
            ("module", path) => self.outputs(path, place),
            ("data", [kind, name, ..]) => {
                Some((self.resource(&format!("data.{kind}"), name, place)?, 2))
            }
            (kind, [name, rest @ ..]) if kind.starts_with("cloudflare_") => {
                let value = self.resource(kind, name, place)?;
                // Attributes that only Cloudflare knows, such as an assigned name server.
                if let (Term::Map(map), [attribute, ..]) = (&value, rest) {
                    let block = self.blocks.get(&(kind.to_owned(), name));
                    if block.is_some_and(|(_, block)| is_single(block))
                        && !map.contains_key(*attribute)
                    {
                        return None;
                    }
                }
                Some((value, 1))
            }
            _ => None,
        }
    }

    fn read(&self, name: &str) -> Result<String, String> {
        let (Some(root), Some(own)) = (self.chain.first(), self.chain.last()) else {
            return Err(String::new());
        };
        // Terraform runs in the directory of the root. A name that begins with `path.module` leads
        // to the directory of the module.
        let path = plain(&root.join(name));
        let below = |directory: &Path| {
            path.strip_prefix(directory).ok().and_then(Path::to_str).map(str::to_owned)
        };
        match (below(own), below(root)) {
            (Some(name), _) => read_below(own, &name),
            (None, Some(name)) => read_below(root, &name),
            (None, None) => read_below(own, name),
        }
    }

    fn text(&self, source: SourceId) -> &str {
        self.all.sources.get(source).map_or("", Source::text)
    }

    fn has_places(&self, source: SourceId) -> bool {
        !is_json(self.all.sources.name(source))
    }

    fn effort(&self) -> &Effort {
        &self.all.effort
    }
}
