//! Converts DNS records to Cloudflare's JSON and back, and builds the requests for records.
//!
//! The facts of a type define where each part of its value goes (`content`, `data`, or a member
//! beside them). [`Received`] reads responses.

use serde_json::{Map, Value as Json, json};

use super::pages::page_of;
use super::request::{Method, Request, segment};
use crate::model::facts::{FieldFacts, Slot};
use crate::model::{
    AsReported, Attribute, Comment, Facets, Fields, Rdata, RecordForm, RecordId, Settings, Tag,
    Ttl, Value, ZoneId,
};

pub use super::received_record::{InvalidRecord, Received, read_record};

/// Converts a value to JSON.
#[must_use]
pub fn value_to_json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(b) => Json::Bool(*b),
        Value::Integer(n) => json!(n),
        // Numbers of up to 15 digits are exact in binary floating point.
        Value::Decimal(text) => text.parse::<f64>().map_or_else(|_| json!(text), |n| json!(n)),
        Value::Text(text) => json!(text),
        Value::List(list) => list.iter().map(value_to_json).collect(),
        Value::Map(map) => map
            .iter()
            .map(|(name, value)| (name.clone(), value_to_json(value)))
            .collect::<Map<_, _>>()
            .into(),
    }
}

/// Returns the body that creates a record: type, name, value, and the other attributes that are
/// set. A record that came from Cloudflare is written as Cloudflare had it.
#[must_use]
pub fn create_body(form: &RecordForm) -> Json {
    let RecordForm { name, data, facets, reported } = form;
    let mut body = Map::new();
    body.insert("type".to_owned(), json!(data.type_name()));
    body.insert("name".to_owned(), json!(reported.name().unwrap_or(name.as_str())));
    insert_value(&mut body, data, &data.fields(), reported);
    if data.record_type().is_none() {
        // Only for output, never sent: opaque values are not written.
        body.insert("content".to_owned(), json!(data.presentation()));
    }
    let mut facets = facets.clone();
    if facets.proxied == Some(true) && facets.ttl.is_some() {
        // Cloudflare stores 1 for proxied records in any case, and may start to refuse other
        // values.
        facets.ttl = Some(Ttl::AUTOMATIC);
    }
    insert_facets(&mut body, &facets, reported, When::Creating);
    Json::Object(body)
}

/// Returns the body that changes a record, with the differences only.
///
/// Cloudflare may replace an object as a whole. So if one member of `data` differs, all members are
/// sent, and a change of `settings` also contains the other settings that are on.
///
/// # Sources
/// PATCH of a DNS record merges the fields sent and keeps the others:
/// developers.cloudflare.com/api/resources/dns (Update DNS Record), read 2026-11-20.
#[must_use]
pub fn patch_body(before: &RecordForm, after: &RecordForm) -> Map<String, Json> {
    let mut body = Map::new();
    insert_value(&mut body, &after.data, &changed_members(before, after), &after.reported);
    let facets = changed_facets(&before.facets, &after.facets);
    insert_facets(&mut body, &facets, &after.reported, When::Changing);
    body
}

/// Returns the members of a value that a change sends.
fn changed_members(before: &RecordForm, after: &RecordForm) -> Fields {
    let facts = after.data.record_type().map_or(&[][..], |record_type| record_type.facts().fields);
    let (old, mut members) = (before.data.fields(), after.data.fields());
    let differs = |field: &FieldFacts| old.get(field.name) != members.get(field.name);
    let sends_data = facts.iter().any(|field| field.slot == Slot::Data && differs(field));
    let unsent: Vec<&str> = facts
        .iter()
        .filter(|field| if field.slot == Slot::Data { !sends_data } else { !differs(field) })
        .map(|field| field.name)
        .collect();
    members.retain(|name, _| !unsent.contains(&name.as_str()));
    members
}

/// Returns the attributes that a change sends.
fn changed_facets(before: &Facets, after: &Facets) -> Facets {
    let Facets { ttl, proxied, comment, tags, settings } = after;
    // A proxied record has no time to live of its own.
    let stays_proxied = before.proxied == Some(true) && *proxied == Some(true);
    let old_comment = before.comment.as_ref().and_then(Comment::text);
    let is_on = |setting: Option<bool>| setting.filter(|on| *on);
    let differs = |old: Option<bool>, new: Option<bool>| is_on(old) != is_on(new);
    let mut old_settings = before.settings.named().into_iter().zip(settings.named());
    let sends_settings = old_settings.any(|((_, old), (_, new))| differs(old, new));
    let sent = |_, new, old| if differs(old, new) { new } else { is_on(new) };
    Facets {
        ttl: ttl.filter(|_| *ttl != before.ttl && !stays_proxied),
        proxied: proxied.filter(|_| *proxied != before.proxied),
        comment: comment.clone().filter(|comment| comment.text() != old_comment),
        tags: tags.clone().filter(|_| *tags != before.tags),
        settings: if sends_settings {
            settings.with(before.settings, sent)
        } else {
            Settings::default()
        },
    }
}

/// Writes fields into JSON by their slot.
fn insert_value(
    body: &mut Map<String, Json>,
    data: &Rdata,
    fields: &Fields,
    reported: &AsReported,
) {
    let Some(record_type) = data.record_type() else { return };
    let mut object = Map::new();
    for field in record_type.facts().fields {
        let Some(value) = fields.get(field.name) else { continue };
        let value = reported.field(field.name).map_or_else(|| value_to_json(value), Json::from);
        match field.slot {
            Slot::Content | Slot::Top => body.insert(field.name.to_owned(), value),
            Slot::Data => object.insert(field.name.to_owned(), value),
        };
    }
    if !object.is_empty() {
        body.insert("data".to_owned(), Json::Object(object));
    }
}

/// The kind of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
enum When {
    /// Creates a record: a cleared comment can be omitted.
    Creating,
    /// Changes a record: a cleared comment is sent as null.
    Changing,
}

/// Adds the attributes that are set.
fn insert_facets(body: &mut Map<String, Json>, facets: &Facets, reported: &AsReported, when: When) {
    let mut settings = Map::new();
    for attribute in facets.attributes() {
        let value = match attribute {
            Attribute::Comment(None) if when == When::Creating => continue,
            Attribute::Tags(tags) if when == When::Creating && tags.is_empty() => continue,
            Attribute::Ttl(ttl) => json!(ttl.as_number()),
            Attribute::Tags(tags) => match reported.tags() {
                Some(tags) => tags.iter().map(|tag| json!(tag)).collect(),
                None => tags.iter().map(Tag::as_str).collect(),
            },
            Attribute::Proxied(_) | Attribute::Comment(_) | Attribute::Setting(..) => {
                value_to_json(&attribute.value())
            }
        };
        // Cloudflare has `private_routing` in the record itself.
        let members = match attribute {
            Attribute::Setting(name, _) if name != "private_routing" => &mut settings,
            _ => &mut *body,
        };
        members.insert(attribute.name().to_owned(), value);
    }
    if !settings.is_empty() {
        body.insert("settings".to_owned(), Json::Object(settings));
    }
}

/// Reads one page of a zone's records.
#[must_use]
pub fn list_records(zone: &ZoneId, per_page: u64, page: u64) -> Request {
    page_of(Request::new(Method::Get, records_path(zone)), per_page, page)
}

/// Reads the record quota of a zone and its use.
#[must_use]
pub fn record_usage(zone: &ZoneId) -> Request {
    Request::new(Method::Get, format!("{}/usage", records_path(zone)))
}

/// Creates one record.
#[must_use]
pub fn create_record(zone: &ZoneId, form: &RecordForm) -> Request {
    Request::new(Method::Post, records_path(zone)).body(create_body(form))
}

/// Changes one record.
#[must_use]
pub fn patch_record(
    zone: &ZoneId,
    id: &RecordId,
    before: &RecordForm,
    after: &RecordForm,
) -> Request {
    Request::new(Method::Patch, record_path(zone, id)).body(Json::Object(patch_body(before, after)))
}

/// Deletes one record.
#[must_use]
pub fn delete_record(zone: &ZoneId, id: &RecordId) -> Request {
    Request::new(Method::Delete, record_path(zone, id))
}

/// Several changes in one transaction, executed as deletes, patches, puts, posts.
///
/// # Sources
/// developers.cloudflare.com/dns/manage-dns-records/how-to/batch-record-changes, read 2026-11-20.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Batch {
    deletes: Vec<Json>,
    patches: Vec<Json>,
    posts: Vec<Json>,
}

impl Batch {
    /// Adds a delete.
    pub fn delete(&mut self, id: &RecordId) {
        self.deletes.push(json!({ "id": id.0 }));
    }

    /// Adds a change.
    pub fn patch(&mut self, id: &RecordId, before: &RecordForm, after: &RecordForm) {
        let mut body = Map::from_iter([("id".to_owned(), json!(id.0))]);
        body.extend(patch_body(before, after));
        self.patches.push(Json::Object(body));
    }

    /// Adds a create.
    pub fn post(&mut self, form: &RecordForm) {
        self.posts.push(create_body(form));
    }

    /// Returns the request, without empty lists.
    #[must_use]
    pub fn into_request(self, zone: &ZoneId) -> Request {
        let Self { deletes, patches, posts } = self;
        let lists = [("deletes", deletes), ("patches", patches), ("posts", posts)];
        let body = lists
            .into_iter()
            .filter(|(_, l)| !l.is_empty())
            .map(|(n, l)| (n.to_owned(), Json::Array(l)));
        Request::new(Method::Post, format!("{}/batch", records_path(zone)))
            .body(Json::Object(body.collect()))
    }
}

/// Returns the path of a zone's records.
fn records_path(zone: &ZoneId) -> String {
    format!("/zones/{}/dns_records", segment(&zone.0))
}

/// Returns the path of one record.
fn record_path(zone: &ZoneId, id: &RecordId) -> String {
    format!("{}/{}", records_path(zone), segment(&id.0))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::model::{Fqdn, RecordType};

    fn form(record_type: RecordType, text: &str, facets: Facets) -> RecordForm {
        let data = Rdata::from_text(record_type, text).unwrap();
        RecordForm {
            name: Fqdn::parse("www.example.com").unwrap(),
            data,
            facets,
            reported: AsReported::default(),
        }
    }

    #[test]
    fn creating_says_exactly_what_the_spec_says() {
        let silent = form(RecordType::A, "192.0.2.10", Facets::default());
        assert_eq!(
            create_body(&silent).to_string(),
            r#"{"type":"A","name":"www.example.com","content":"192.0.2.10"}"#
        );
        let facets = Facets {
            ttl: Some(Ttl::seconds(3600).unwrap()),
            proxied: Some(true),
            comment: Some(Comment::Clear),
            tags: Some(BTreeSet::new()),
            settings: Settings {
                ipv4_only: Some(false),
                private_routing: Some(true),
                ..Settings::default()
            },
        };
        assert_eq!(
            create_body(&form(RecordType::A, "192.0.2.10", facets)).to_string(),
            r#"{"type":"A","name":"www.example.com","content":"192.0.2.10","ttl":1,"proxied":true,"private_routing":true,"settings":{"ipv4_only":false}}"#
        );
    }

    #[test]
    fn data_types_send_data_and_no_content() {
        let srv = form(RecordType::Srv, "10 5 5060 sip.example.com", Facets::default());
        assert_eq!(
            create_body(&srv).to_string(),
            r#"{"type":"SRV","name":"www.example.com","data":{"priority":10,"weight":5,"port":5060,"target":"sip.example.com"}}"#
        );
        let mx = form(RecordType::Mx, "10 mx.example.net", Facets::default());
        assert_eq!(
            create_body(&mx).to_string(),
            r#"{"type":"MX","name":"www.example.com","priority":10,"content":"mx.example.net"}"#
        );
    }

    #[test]
    fn every_shape_of_an_answer_reads_the_same() {
        let shapes = [
            json!({"id":"1","name":"A.example.com","type":"SRV","content":"5 5060 sip.example.com","priority":10,
                   "data":{"priority":10,"weight":5,"port":5060,"target":"sip.example.com"}}),
            json!({"id":"1","name":"a.example.com","type":"SRV","data":{"weight":"5","port":"5060","target":"SIP.example.com."},"priority":10}),
            json!({"id":"1","name":"a.example.com","type":"SRV","content":"5 5060 sip.example.com","priority":10,"data":null}),
            json!({"id":"1","name":"a.example.com","type":"SRV","content":"10 5 5060 sip.example.com"}),
            json!({"id":"1","name":"a.example.com","type":"SRV","content":"5\t5060\tsip.example.com",
                   "data":{"priority":10},"ttl":1,"proxied":false,"settings":{},"meta":{},"tags":[],"comment":null}),
        ];
        let read: Vec<_> = shapes.iter().map(|s| read_record(s).unwrap()).collect();
        for other in &read[1..] {
            assert_eq!(other.data, read[0].data);
            assert_eq!(other.name, read[0].name);
        }
        let mx = |json: Json| super::read_record(&json).unwrap().data;
        assert_eq!(
            mx(json!({"id":"1","name":"a","type":"MX","content":"mx.example.net","priority":10})),
            mx(
                json!({"id":"1","name":"a","type":"MX","content":"mx.example.net","data":{"priority":10}})
            ),
        );
    }

    #[test]
    fn a_record_without_identity_is_an_error() {
        for json in [
            json!({}),
            json!({"id":"1","name":"a"}),
            json!({"name":"a","type":"A"}),
            json!(7),
            json!({"id":1,"name":"a","type":"A"}),
        ] {
            assert!(read_record(&json).is_err(), "{json}");
        }
    }

    #[test]
    fn a_member_of_another_kind_is_no_default() {
        let with = |member: &str, value: Json| {
            let mut json =
                json!({"id":"1","name":"a.example.com","type":"A","content":"192.0.2.1"});
            json[member] = value;
            read_record(&json)
        };
        let odd = [
            ("ttl", json!("soon")),
            ("ttl", json!(-1)),
            ("ttl", json!([300])),
            ("proxied", json!("yes")),
            ("content", json!(5)),
            ("data", json!("none")),
            ("comment", json!(["one"])),
            ("tags", json!("one")),
        ];
        for (member, value) in odd {
            assert_eq!(
                with(member, value.clone()),
                Err(InvalidRecord::of(member)),
                "{member}: {value}"
            );
            assert!(with(member, Json::Null).is_ok(), "{member}");
        }
        assert_eq!(with("ttl", json!("300")).unwrap().ttl, with("ttl", json!(300.0)).unwrap().ttl);
    }

    #[test]
    fn lists_without_entries_are_left_out() {
        let mut batch = Batch::default();
        batch.delete(&RecordId("a1".into()));
        let request = batch.into_request(&ZoneId("z1".into()));
        assert_eq!(request.path, "/zones/z1/dns_records/batch");
        assert_eq!(request.body.unwrap().to_string(), r#"{"deletes":[{"id":"a1"}]}"#);
    }
}
