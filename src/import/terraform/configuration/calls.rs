//! Evaluates calls of modules: their instances, inputs and outputs.

use std::rc::Rc;

use hcl_edit::structure::Block;

use super::super::blocks::{head, is_single, key};
use super::super::modules::{DEEPEST, is_local, plain, source_of};
use super::super::value::{Missing, Term};
use super::module::{Call, Called, Module, Refused};
use crate::diagnostic::{Place, SourceId};
use crate::model::Gather;

/// Advice for a module that is not read.
const USE_STATE: &str = "import the state (`terraform show -json`) to include what it makes";

impl<'b> Module<'b> {
    /// Returns the instances of a call.
    pub(super) fn called(&self, name: &str) -> Called<'b> {
        let Some((source, block)) = self.calls.get(name) else {
            return Err(Refused::Missing(Missing::unknown(
                format!("there is no module `{name}`"),
                Place::NOWHERE,
            )));
        };
        let place = head(*source, block);
        if let Some(known) = self.children.borrow().get(name) {
            let circle =
                || format!("`module.{name}` and its inputs refer to each other; {USE_STATE}");
            return known
                .clone()
                .unwrap_or_else(|| Err(Refused::Missing(Missing::unknown(circle(), place))));
        }
        self.children.borrow_mut().insert(name.to_owned(), None);
        let module = self.call(name, *source, block, place);
        self.children.borrow_mut().insert(name.to_owned(), Some(module.clone()));
        module
    }

    /// Creates the instances of a call.
    fn call(&self, name: &str, source: SourceId, block: &'b Block, place: Place) -> Called<'b> {
        let Some(wanted) = source_of(block) else {
            return Err(Refused::Elsewhere(format!("its `source` is not a literal; {USE_STATE}")));
        };
        let target = self.chain.last().and_then(|from| self.all.target(from, wanted));
        let Some((directory, files)) = target else {
            return Err(Refused::Elsewhere(if is_local(wanted) {
                format!(
                    "`{wanted}` is not among the files that were read; import the directory that \
                    contains both, or {USE_STATE}"
                )
            } else {
                format!("modules of other places are not fetched; {USE_STATE}")
            }));
        };
        let missing = |why: String| Err(Refused::Missing(Missing::unknown(why, place)));
        if files.is_broken {
            return missing(format!("a file of `{wanted}` cannot be read"));
        }
        if self.chain.contains(&directory) {
            return missing(format!("`{wanted}` calls itself"));
        }
        if self.chain.len() > DEEPEST {
            return missing(format!("modules call each other more than {DEEPEST} deep"));
        }
        let mut instances = Vec::new();
        for (index, scope) in self.instances(source, block).map_err(Refused::Missing)? {
            // The values of `each` belong to the instance.
            let names_of_each =
                Term::List(scope.names.iter().map(|(_, value)| Term::clone(value)).collect());
            if matches!(self.all.effort.keep(names_of_each, place), Term::Missing(_))
                || !self.all.admits(files)
            {
                return Err(Refused::TooMany);
            }
            let prefix = format!("{}module.{name}{index}.", self.prefix);
            let chain = self.chain.iter().copied().chain([directory]).collect();
            let key = if block.body.has_attribute("count") {
                instances.len().to_string()
            } else {
                key(&scope)
            };
            let call = Call { from: self.own.clone(), source, block, names: scope.names };
            let module =
                Module::new(self.all, chain, prefix, plain(&self.path.join(wanted)), Some(call));
            instances.push((key, module));
        }
        Ok(instances.into())
    }

    /// Returns the value of `module.name.output`, `module.name["key"].output` or all of
    /// `module.name`, and the number of used path segments. Returns `None` if the files that were
    /// read do not contain the module.
    pub(super) fn outputs(&self, path: &[&str], place: Place) -> Option<(Term, usize)> {
        let (name, rest) = path.split_first()?;
        let (_, block) = self.calls.get(name)?;
        let instances = match self.called(name) {
            Ok(instances) => instances,
            Err(Refused::Missing(missing)) => return Some((Term::Missing(missing), 1)),
            Err(Refused::Elsewhere(_) | Refused::TooMany) => {
                return Some((
                    Term::Missing(Missing::unknown(format!("`module.{name}` is not read"), place)),
                    1,
                ));
            }
        };
        let value = |module: &Module<'_>, output: &str| {
            let (source, expression) = module.outputs.get(output)?;
            let address = format!("{}{output}", module.prefix);
            let value = self.cached(address, place, || module.scope(*source).evaluate(expression));
            if !module.sensitive_outputs.contains(output) || value.missing().is_some() {
                return Some(value);
            }
            let what = format!("the output `{output}` of `module.{name}`");
            Some(Term::Missing(Missing::sensitive(&what, value, place)))
        };
        // A single output is evaluated alone if the path names it.
        let named_output = match (is_single(block), rest) {
            (true, [output, ..]) => instances.first().map(|(_, module)| (module, output, 2)),
            (false, [key, output, ..]) => {
                instances.iter().find(|(own, _)| own == key).map(|(_, module)| (module, output, 3))
            }
            _ => None,
        };
        if let Some((module, output, used)) = named_output {
            return Some((value(module, output)?, used));
        }
        let outputs_of = |(_, module): &(String, Rc<Module<'_>>)| {
            let named_value = |output: &&str| Some(((*output).to_owned(), value(module, output)?));
            Term::Map(module.outputs.keys().filter_map(named_value).gather())
        };
        let module_value = self.cached(format!("module.{name}"), place, || {
            if block.body.has_attribute("count") {
                Term::List(instances.iter().map(outputs_of).collect())
            } else if block.body.has_attribute("for_each") {
                Term::Map(instances.iter().map(|one| (one.0.clone(), outputs_of(one))).gather())
            } else {
                instances.first().map_or(Term::Null, outputs_of)
            }
        });
        Some((module_value, 1))
    }
}
