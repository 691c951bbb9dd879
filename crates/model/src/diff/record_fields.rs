//! Finds the fields in which two records differ.

use super::field::{Field, FieldChange};
use crate::{Facets, Fields, LiveRecord, Rdata, Ttl, Value, facts::Slot};

/// Returns the fields in which a live record differs from a value and facets. Unset facets do not
/// differ.
///
/// # Order
/// The fields of the value come first, in the order of their facts; then ttl, proxied, comment,
/// tags, settings.
#[must_use]
pub fn field_changes(before: &LiveRecord, after: &Rdata, facets: &Facets) -> Vec<FieldChange> {
    let mut changes = Vec::new();
    data_changes(&before.data, after, &mut changes);
    let Facets { ttl, proxied, comment, tags, settings } = facets;

    let will_be_proxied = proxied.unwrap_or(before.proxied);
    // A proxied record has no time to live of its own: Cloudflare always stores 1.
    let wanted_ttl = if !will_be_proxied {
        *ttl
    } else if before.proxied {
        None
    } else {
        Some(Ttl::AUTOMATIC)
    };
    if let Some(ttl) = wanted_ttl.filter(|t| *t != before.ttl) {
        changes.push(change(Field::Ttl, ttl_value(before.ttl), ttl_value(ttl)));
    }
    if *proxied == Some(!before.proxied) {
        changes.push(change(Field::Proxied, before.proxied.into(), will_be_proxied.into()));
    }
    if let Some(comment) = comment {
        let (live, wanted) = (before.comment.as_deref(), comment.text());
        if live != wanted {
            changes.push(change(Field::Comment, text_or_null(live), text_or_null(wanted)));
        }
    }
    if let Some(tags) = tags.as_ref().filter(|t| **t != before.tags) {
        let list = |tags: &std::collections::BTreeSet<crate::Tag>| {
            Value::List(tags.iter().map(|t| Value::from(t.as_str())).collect())
        };
        changes.push(change(Field::Tags, list(&before.tags), list(tags)));
    }
    for ((name, wanted), (_, live)) in settings.named().into_iter().zip(before.settings.named()) {
        // A flag that Cloudflare does not report is off.
        if let Some(wanted) = wanted.filter(|w| *w != live.unwrap_or(false)) {
            changes.push(change(
                Field::Flag(name),
                live.map_or(Value::Null, Value::from),
                wanted.into(),
            ));
        }
    }
    changes
}

fn data_changes(before: &Rdata, after: &Rdata, changes: &mut Vec<FieldChange>) {
    if before == after {
        return;
    }
    let (before_fields, after_fields) = (before.fields(), after.fields());
    let facts = after.record_type().map_or(&[][..], |t| t.facts().fields);
    let get = |fields: &Fields, name: &str| fields.get(name).cloned().unwrap_or(Value::Null);
    for field in facts {
        let (b, a) = (get(&before_fields, field.name), get(&after_fields, field.name));
        if b != a {
            let name = if field.slot == Slot::Data {
                Field::Data(field.name)
            } else {
                Field::Value(field.name)
            };
            changes.push(change(name, b, a));
        }
    }
}

fn change(field: Field, before: Value, after: Value) -> FieldChange {
    FieldChange { field, before, after }
}

fn ttl_value(ttl: Ttl) -> Value {
    Value::from(ttl.as_number())
}

fn text_or_null(text: Option<&str>) -> Value {
    text.map_or(Value::Null, Value::from)
}
