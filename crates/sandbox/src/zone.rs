//! A zone in the forms of the store and of the API.

use rusqlite::{Connection, OptionalExtension, Row, params};
use serde_json::{Value, json};

use super::envelope::{HandlerResult, Refusal};
use super::profile::{self, Profile};
use zonewright_model::facts::{self, TierFacts};

/// The account of zones without an explicit account.
pub const ACCOUNT_ID: &str = "5a0db0cc0ffee5a0db0cc0ffee5a0db0";

/// The name of that account.
pub(super) const ACCOUNT_NAME: &str = "Sandbox";

/// The name servers of every zone. ASSUMED: the names, which Cloudflare chooses.
pub const NAME_SERVERS: [&str; 2] = ["ada.ns.example.net", "bob.ns.example.net"];

/// One zone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Zone {
    /// 32 hexadecimal digits.
    pub(super) id: String,
    /// Lower case, Punycode, no final dot.
    pub(super) name: String,
    /// `legacy_id` of the plan.
    pub(super) plan: String,
    /// `initializing`, `pending`, `active` or `moved`.
    pub(super) status: String,
    /// True if the whole zone is DNS-only.
    pub(super) paused: bool,
    /// `full`, `partial`, `secondary` or `internal`.
    pub(super) kind: String,
    /// The account's identifier.
    pub(super) account_id: String,
    /// The account's name.
    pub(super) account_name: String,
    /// Time of creation.
    pub(super) created_on: String,
    /// Time of the last change.
    pub(super) modified_on: String,
    /// Time of activation.
    pub(super) activated_on: Option<String>,
    /// Number of records.
    pub(super) record_count: u32,
}

/// The columns in the order in which [`Zone::from_row`] reads them.
const COLUMNS: &str = "id, name, plan, status, paused, type, account_id, account_name, created_on, \
    modified_on, \
     activated_on, record_count";

impl Zone {
    /// Creates an active zone in the default account.
    pub(super) fn active(id: String, name: String, plan: &str, now: &str) -> Self {
        Self {
            id,
            name,
            plan: plan.to_owned(),
            status: "active".to_owned(),
            paused: false,
            kind: "full".to_owned(),
            account_id: ACCOUNT_ID.to_owned(),
            account_name: ACCOUNT_NAME.to_owned(),
            created_on: now.to_owned(),
            modified_on: now.to_owned(),
            activated_on: Some(now.to_owned()),
            record_count: 0,
        }
    }

    /// Reads a row of [`COLUMNS`].
    fn from_row(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            id: row.get(0)?,
            name: row.get(1)?,
            plan: row.get(2)?,
            status: row.get(3)?,
            paused: row.get(4)?,
            kind: row.get(5)?,
            account_id: row.get(6)?,
            account_name: row.get(7)?,
            created_on: row.get(8)?,
            modified_on: row.get(9)?,
            activated_on: row.get(10)?,
            record_count: row.get(11)?,
        })
    }

    /// Finds the zone with this identifier.
    ///
    /// # Errors
    /// 403 with code 9109 if there is none: observed 2026-09.
    pub(super) fn get(connection: &Connection, id: &str) -> HandlerResult<Self> {
        let sql = format!("SELECT {COLUMNS} FROM zones WHERE id = ?1");
        let zone = connection.prepare_cached(&sql)?.query_row([id], Self::from_row).optional()?;
        zone.ok_or_else(|| Refusal::new(403, 9109, "Invalid zone identifier"))
    }

    pub(super) fn named(connection: &Connection, name: &str) -> rusqlite::Result<Option<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM zones WHERE name = ?1");
        connection.prepare_cached(&sql)?.query_row([name], Self::from_row).optional()
    }

    /// Returns all zones, in the order of creation.
    pub(super) fn all(connection: &Connection) -> rusqlite::Result<Vec<Self>> {
        let sql = format!("SELECT {COLUMNS} FROM zones ORDER BY seq");
        connection.prepare_cached(&sql)?.query_map([], Self::from_row)?.collect()
    }

    /// Stores the zone, replacing the one with the same identifier.
    pub(super) fn save(&self, connection: &Connection) -> rusqlite::Result<()> {
        let sql = "INSERT INTO zones (id, name, plan, status, paused, type, account_id, \
            account_name, created_on, \
             modified_on, activated_on) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ON \
             CONFLICT (id) DO UPDATE \
             SET plan = ?3, status = ?4, paused = ?5, type = ?6, modified_on = ?10, activated_on = \
             ?11";
        connection.prepare_cached(sql)?.execute(params![
            self.id,
            self.name,
            self.plan,
            self.status,
            self.paused,
            self.kind,
            self.account_id,
            self.account_name,
            self.created_on,
            self.modified_on,
            self.activated_on,
        ])?;
        Ok(())
    }

    /// Deletes the zone with its records and settings.
    pub(super) fn remove(&self, connection: &Connection) -> rusqlite::Result<()> {
        connection.prepare_cached("DELETE FROM records WHERE zone_id = ?1")?.execute([&self.id])?;
        connection.prepare_cached("DELETE FROM zones WHERE id = ?1")?.execute([&self.id])?;
        Ok(())
    }

    /// Returns the limits of its plan.
    pub(super) fn tier(&self) -> &'static TierFacts {
        profile::tier(&self.plan).unwrap_or(&facts::TIERS[0])
    }

    /// Returns the maximum number of records.
    ///
    /// # Sources
    /// The facts of the plans; free zones created before 2024-09-01 keep the larger number.
    pub(super) fn quota(&self, profile: &Profile) -> usize {
        let is_old_free =
            self.plan == "free" && self.created_on.as_str() < facts::FREE_QUOTA_CHANGED_ON;
        let of_plan =
            if is_old_free { facts::FREE_RECORDS_OF_OLD_ZONES } else { self.tier().records };
        profile.record_quota.unwrap_or(of_plan)
    }

    /// Returns the name in the form of responses and filters.
    pub(super) fn answered_name(&self, profile: &Profile) -> String {
        if profile.unicode_zone_names {
            idna::domain_to_unicode(&self.name).0
        } else {
            self.name.clone()
        }
    }

    /// Returns the form of the API: fields and order observed 2025-08.
    ///
    /// ASSUMED: identifiers of the paid plans, which Cloudflare assigns by account.
    ///
    /// # Units
    /// `development_mode` in seconds.
    pub(super) fn to_json(&self, profile: &Profile, development_mode: i64) -> Value {
        let (plan_id, plan_name) = match self.plan.as_str() {
            "pro" => ("1feeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "Pro Website"),
            "business" => ("2feeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "Business Website"),
            "enterprise" => ("3feeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "Enterprise Website"),
            _ => ("0feeeeeeeeeeeeeeeeeeeeeeeeeeeeee", "Free Website"),
        };
        let is_paid = self.plan != "free";
        json!({
            "id": self.id,
            "name": self.answered_name(profile),
            "status": self.status,
            "paused": self.paused,
            "type": self.kind,
            "development_mode": development_mode,
            "name_servers": NAME_SERVERS,
            "original_name_servers": null,
            "original_registrar": null,
            "original_dnshost": null,
            "modified_on": self.modified_on,
            "created_on": self.created_on,
            "activated_on": self.activated_on,
            "vanity_name_servers": [],
            "vanity_name_servers_ips": null,
            "meta": {
                "step": 4, "custom_certificate_quota": 0, "page_rule_quota": 3, "phishing_detected": false
            },
            "owner": { "id": null, "type": "user", "email": null },
            "account": { "id": self.account_id, "name": self.account_name },
            "tenant": { "id": null, "name": null },
            "tenant_unit": { "id": null },
            "permissions": ["#dns_records:edit", "#dns_records:read", "#zone:read"],
            "plan": {
                "id": plan_id,
                "name": plan_name,
                "price": 0,
                "currency": "USD",
                "frequency": "",
                "is_subscribed": is_paid,
                "can_subscribe": false,
                "legacy_id": self.plan,
                "legacy_discount": false,
                "externally_managed": false
            }
        })
    }
}
