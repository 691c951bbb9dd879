//! A record in the forms of the store and of the API.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Map, Value, json};

use super::profile::RecordMembers;
use super::unproxiable_addresses;
use super::zone::Zone;
use zonewright_model::facts;
use zonewright_model::facts::proxied_aliases::is_never_proxied;

/// One record.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Record {
    /// 32 hexadecimal digits.
    pub(super) id: String,
    /// Full name.
    pub(super) name: String,
    /// Type, upper case.
    pub(super) kind: String,
    /// Content in responses.
    pub(super) content: String,
    /// Priority in responses, beside the content.
    pub(super) priority: Option<u32>,
    /// The data object.
    pub(super) data: Option<Map<String, Value>>,
    /// Time to live in seconds, 1 for automatic.
    pub(super) ttl: u32,
    /// True if it is proxied.
    pub(super) proxied: bool,
    pub(super) comment: Option<String>,
    pub(super) tags: Vec<String>,
    pub(super) settings: Map<String, Value>,
    /// Members of `meta`, which only Cloudflare sets.
    pub(super) meta: Map<String, Value>,
    /// Old form of read-only.
    pub(super) locked: bool,
    /// Moment of creation.
    pub(super) created_on: String,
    /// Moment of the last write.
    pub(super) modified_on: String,
    /// Moment of the comment's last change, if there is one.
    pub(super) comment_modified_on: Option<String>,
    /// Moment of the tags' last change, if there are any.
    pub(super) tags_modified_on: Option<String>,
    /// Equal for equivalent values.
    pub(super) identity: String,
}

/// A member of the record that is stored among its settings.
pub(super) const PRIVATE_ROUTING: &str = "private_routing";

/// The columns in the order in which [`Record::from_row`] reads them.
pub(super) const COLUMNS: &str = "id, name, type, content, priority, data, ttl, proxied, comment, \
    tags, settings, meta, \
     locked, created_on, modified_on, comment_modified_on, tags_modified_on, identity";

/// Reads JSON text from a column that the sandbox wrote.
fn parsed<T: serde::de::DeserializeOwned + Default>(text: &str) -> T {
    serde_json::from_str(text).unwrap_or_default()
}

fn json_text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("maps and lists of JSON values can always be written")
}

impl Record {
    /// Reads a row of [`COLUMNS`].
    pub(super) fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        let json = |index| row.get_ref(index).and_then(|v| Ok(v.as_str()?.to_owned()));
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            kind: row.get(2)?,
            content: row.get(3)?,
            priority: row.get(4)?,
            data: row.get::<_, Option<String>>(5)?.map(|t| parsed(&t)),
            ttl: row.get(6)?,
            proxied: row.get(7)?,
            comment: row.get(8)?,
            tags: parsed(&json(9)?),
            settings: parsed(&json(10)?),
            meta: parsed(&json(11)?),
            locked: row.get(12)?,
            created_on: row.get(13)?,
            modified_on: row.get(14)?,
            comment_modified_on: row.get(15)?,
            tags_modified_on: row.get(16)?,
            identity: row.get(17)?,
        })
    }

    pub(super) fn find(
        connection: &Connection,
        zone: &Zone,
        id: &str,
    ) -> rusqlite::Result<Option<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM records WHERE id = ?1 AND zone_id = ?2");
        connection.prepare_cached(&sql)?.query_row([id, &zone.id], Self::from_row).optional()
    }

    pub(super) fn insert(&self, connection: &Connection, zone: &Zone) -> rusqlite::Result<()> {
        let sql = format!(
            "INSERT INTO records (zone_id, {COLUMNS}) VALUES \
             (?19, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18)"
        );
        self.write(connection, &sql, zone)
    }

    /// Stores the record, replacing the one with the same identifier.
    pub(super) fn update(&self, connection: &Connection, zone: &Zone) -> rusqlite::Result<()> {
        let sql = "UPDATE records SET name = ?2, type = ?3, content = ?4, priority = ?5, data = \
            ?6, ttl = ?7, \
             proxied = ?8, comment = ?9, tags = ?10, settings = ?11, meta = ?12, locked = ?13, \
             created_on = ?14, \
             modified_on = ?15, comment_modified_on = ?16, tags_modified_on = ?17, identity = ?18 \
             WHERE id = ?1 AND zone_id = ?19";
        self.write(connection, sql, zone)
    }

    /// Binds the columns in order, then the zone.
    fn write(&self, connection: &Connection, sql: &str, zone: &Zone) -> rusqlite::Result<()> {
        connection.prepare_cached(sql)?.execute(params![
            self.id,
            self.name,
            self.kind,
            self.content,
            self.priority,
            self.data.as_ref().map(json_text),
            self.ttl,
            self.proxied,
            self.comment,
            json_text(&self.tags),
            json_text(&self.settings),
            json_text(&self.meta),
            self.locked,
            self.created_on,
            self.modified_on,
            self.comment_modified_on,
            self.tags_modified_on,
            self.identity,
            zone.id,
        ])?;
        Ok(())
    }

    pub(super) fn remove(&self, connection: &Connection, zone: &Zone) -> rusqlite::Result<()> {
        let mut statement =
            connection.prepare_cached("DELETE FROM records WHERE id = ?1 AND zone_id = ?2")?;
        statement.execute([&self.id, &zone.id])?;
        Ok(())
    }

    /// Returns true if Cloudflare refuses to change the record.
    ///
    /// # Sources
    /// `meta.read_only` with error 1043: observed 2025 and 2026. ASSUMED: the old `locked` means
    /// the same.
    pub(super) fn is_read_only(&self) -> bool {
        self.locked || self.says("read_only")
    }

    /// Returns true if this member of `meta` is true.
    pub(super) fn says(&self, member: &str) -> bool {
        self.meta.get(member) == Some(&Value::Bool(true))
    }

    /// Returns true if type and target allow proxying.
    ///
    /// # Sources
    /// False for an A record to a private or resolver address: observed. ASSUMED: exactly if
    /// proxying is refused.
    fn is_proxiable(&self) -> bool {
        facts::type_facts(&self.kind).is_some_and(|f| f.proxiable)
            && self.content.parse().map_or(true, unproxiable_addresses::may_be_proxied)
            && !(self.kind == "CNAME" && is_never_proxied(&self.content))
    }

    /// Returns the form of the API.
    pub(super) fn to_json(&self, zone: &Zone, shape: RecordMembers) -> Value {
        match shape {
            RecordMembers::Modern => self.modern(),
            RecordMembers::Full => self.full(),
            RecordMembers::Seed => self.old(zone),
        }
    }

    /// Returns today's form and key order: observed 2025-08.
    fn modern(&self) -> Value {
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
        put("id", self.id.clone().into());
        put("name", self.name.clone().into());
        put("type", self.kind.clone().into());
        put("content", self.content.clone().into());
        if let Some(priority) = self.priority {
            put("priority", priority.into());
        }
        put("proxiable", self.is_proxiable().into());
        put("proxied", self.proxied.into());
        put("ttl", self.ttl.into());
        if let Some(data) = &self.data {
            put("data", data.clone().into());
        }
        let mut settings = self.settings.clone();
        if let Some(on) = settings.shift_remove(PRIVATE_ROUTING) {
            put(PRIVATE_ROUTING, on);
        }
        put("settings", settings.into());
        put("meta", self.meta.clone().into());
        put("comment", self.comment.clone().into());
        put("tags", self.tags.clone().into());
        put("created_on", self.created_on.clone().into());
        put("modified_on", self.modified_on.clone().into());
        if let Some(moment) = &self.comment_modified_on {
            put("comment_modified_on", moment.clone().into());
        }
        if let Some(moment) = &self.tags_modified_on {
            put("tags_modified_on", moment.clone().into());
        }
        Value::Object(out)
    }

    /// Returns today's form with every documented member. Unset members are false or empty, or have
    /// the age of the record.
    ///
    /// # Sources
    /// developers.cloudflare.com/api/resources/dns (Records), read 2026-11-22.
    fn full(&self) -> Value {
        let Value::Object(mut out) = self.modern() else { return Value::Null };
        if matches!(self.kind.as_str(), "A" | "AAAA") {
            out.entry(PRIVATE_ROUTING).or_insert(false.into());
        }
        let flags = |names: &[&str], own: &Map<String, Value>| {
            let mut switches: Map<String, Value> =
                names.iter().map(|name| ((*name).to_owned(), false.into())).collect();
            switches.extend(own.clone());
            switches
        };
        let mut settings = flags(&["flatten_cname", "ipv4_only", "ipv6_only"], &self.settings);
        settings.shift_remove(PRIVATE_ROUTING);
        out.insert("settings".to_owned(), settings.into());
        let names = [
            "auto_added",
            "managed_by_apps",
            "managed_by_argo_tunnel",
            "email_routing",
            "read_only",
        ];
        let mut meta = flags(&names, &self.meta);
        meta.entry("source").or_insert_with(|| "primary".into());
        out.insert("meta".to_owned(), meta.into());
        for member in ["comment_modified_on", "tags_modified_on"] {
            out.entry(member).or_insert_with(|| self.modified_on.clone().into());
        }
        Value::Object(out)
    }

    /// Returns the form of before 2024-07, with the fields that have since been removed:
    /// developers.cloudflare.com/fundamentals/api/reference/deprecations, read 2026-11-20.
    fn old(&self, zone: &Zone) -> Value {
        let mut meta = Map::from_iter([
            ("auto_added".to_owned(), json!(false)),
            ("managed_by_apps".to_owned(), json!(false)),
            ("managed_by_argo_tunnel".to_owned(), json!(false)),
            ("source".to_owned(), json!("primary")),
        ]);
        meta.extend(self.meta.clone());
        let mut out = Map::new();
        let mut put = |key: &str, value: Value| out.insert(key.to_owned(), value);
        put("id", self.id.clone().into());
        put("zone_id", zone.id.clone().into());
        put("zone_name", zone.name.clone().into());
        put("name", self.name.clone().into());
        put("type", self.kind.clone().into());
        put("content", self.content.clone().into());
        put("proxiable", self.is_proxiable().into());
        put("proxied", self.proxied.into());
        put("ttl", self.ttl.into());
        put("locked", self.locked.into());
        if let Some(priority) = self.priority {
            put("priority", priority.into());
        }
        if let Some(data) = &self.data {
            put("data", data.clone().into());
        }
        put("meta", meta.into());
        put("comment", self.comment.clone().into());
        put("tags", self.tags.clone().into());
        put("created_on", self.created_on.clone().into());
        put("modified_on", self.modified_on.clone().into());
        Value::Object(out)
    }
}
