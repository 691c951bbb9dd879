//! Expands blocks with `for_each` and `count` into instances.

use std::rc::Rc;
use std::sync::Arc;

use hcl_edit::structure::Block;

use super::super::blocks::{IgnoredChanges, head, members};
use super::super::evaluate::{Globals, Scope};
use super::super::value::{Missing, Term};
use super::super::{ASSIGNED, Resource, block_comments};
use super::module::Module;
use crate::diagnostic::{Place, SourceId, findings};
use crate::import::import_result::ImportResult;
use crate::model::Gather;

/// Maximum number of instances of one resource.
const MOST_INSTANCES: usize = 50_000;

impl Module<'_> {
    /// Returns the scopes of the instances of a block, each with the text of its index.
    pub(super) fn instances(
        &self,
        source: SourceId,
        block: &Block,
    ) -> Result<Vec<(String, Scope<'_>)>, Missing> {
        let scope = self.scope(source);
        let with = |name: &str, members: Vec<(&str, Term)>| {
            let mut inner = self.scope(source);
            let members =
                members.into_iter().map(|(member, value)| (member.to_owned(), value)).gather();
            inner.names.push((name.to_owned(), Rc::new(Term::Map(members))));
            inner
        };
        let place = head(source, block);
        let labels: Vec<&str> =
            block.labels.iter().map(hcl_edit::structure::BlockLabel::as_str).collect();
        let head = if block.ident.as_str() == "resource" {
            String::new()
        } else {
            format!("{}.", block.ident.as_str())
        };
        if let Some(why) = self.redeclared.get(&format!("{head}{}", labels.join("."))) {
            return Err(Missing::unknown(*why, place));
        }
        let bounded = |n: usize| {
            if n > MOST_INSTANCES {
                Err(Missing::unknown(format!("it has {n} instances"), place))
            } else {
                Ok(())
            }
        };
        if let Some(attribute) = block.body.get_attribute("for_each") {
            let pairs: Vec<(String, Term)> = match scope.evaluate(&attribute.value) {
                Term::Missing(missing) => return Err(missing),
                Term::Map(map) => map.into_iter().collect(),
                Term::List(list) | Term::Set(list) => {
                    let pair = |item: Term| match (item.text(), item) {
                        (Some(key), item) => Ok((key, item)),
                        (None, Term::Missing(missing)) => Err(missing),
                        (None, _) => {
                            Err(Missing::error("`for_each` needs a map, or a set of text", place))
                        }
                    };
                    list.into_iter().map(pair).collect::<Result<_, _>>()?
                }
                _ => return Err(Missing::error("`for_each` needs a map or a set", place)),
            };
            bounded(pairs.len())?;
            let instance = |(key, value): (String, Term)| {
                let index = format!("[{key:?}]");
                (index, with("each", vec![("key", Term::Text(key)), ("value", value)]))
            };
            return Ok(pairs.into_iter().map(instance).collect());
        }
        if let Some(attribute) = block.body.get_attribute("count") {
            let count = match scope.evaluate(&attribute.value) {
                Term::Missing(missing) => return Err(missing),
                value => value
                    .whole()
                    .ok_or_else(|| Missing::error("`count` needs a whole number", place))?,
            };
            bounded(count as usize)?;
            let instance = |n: u32| {
                (format!("[{n}]"), with("count", vec![("index", Term::Number(f64::from(n)))]))
            };
            return Ok((0..count).map(instance).collect());
        }
        Ok(vec![(String::new(), scope)])
    }

    /// Adds the instances of a resource.
    pub(super) fn expand(
        &self,
        kind: &str,
        name: &str,
        source: SourceId,
        block: &Block,
        out: &mut Vec<Resource>,
        found: &mut ImportResult,
    ) {
        let address = format!("{}{kind}.{name}", self.prefix);
        let place = head(source, block);
        let instances = match self.instances(source, block) {
            Ok(instances) => instances,
            Err(missing) => {
                let at = if missing.place == Place::NOWHERE { place } else { missing.place };
                found.leaving.resource(&address, false);
                found.refuse(findings::UNKNOWN_VALUE, kind, &address, at, &missing.why);
                return;
            }
        };
        if !self.all.admits_resources(instances.len()) {
            return self.too_many(kind, &address, place, found);
        }
        let ignored = IgnoredChanges::of(block);
        let origin: Arc<str> =
            self.chain.first().map(|root| self.all.shown(root)).unwrap_or_default().into();
        let text = self.text(source);
        let comments: Arc<[_]> =
            block_comments::of(text, place.span.start as usize, place.span.end as usize, block)
                .into();
        for (index, scope) in instances {
            let address = format!("{address}{index}");
            match self.all.effort.released(|| members(&block.body, &scope)) {
                Ok(mut values) => {
                    ignored.leave(kind, &mut values, place);
                    values.insert("id".to_owned(), Term::Text(format!("{ASSIGNED}{address}")));
                    let values = match self.all.effort.keep(Term::Map(values), place) {
                        Term::Missing(_) => {
                            self.too_many(kind, &address, place, found);
                            continue;
                        }
                        values => values,
                    };
                    let (kind, comments) = (kind.to_owned(), Arc::clone(&comments));
                    let origin = Arc::clone(&origin);
                    out.push(Resource {
                        address,
                        kind,
                        values,
                        place,
                        comments,
                        origin,
                        is_complete: false,
                    });
                }
                Err(at) => {
                    let why = "`dynamic` blocks are not read; import the state (`terraform show \
                        -json`) instead";
                    found.leaving.resource(&address, false);
                    found.refuse(findings::NOT_TRANSLATED, kind, &address, at, why);
                }
            }
        }
    }
}
