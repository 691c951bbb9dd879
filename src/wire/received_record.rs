//! Decodes a received record without a tree of values.
//!
//! Responses are accepted in every observed form: with and without `data`, with `priority` at
//! either place or both, with the old and the new `meta`. Unused members are skipped.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::Value as Json;

use crate::model::{
    AsReported, Fields, Fqdn, LiveRecord, Rdata, ReadOnly, RecordId, Settings, Tag, Ttl, Value,
};

/// Maximum number of tags of a record. Cloudflare accepts 20.
const MOST_TAGS: usize = 100;
/// Maximum number of members of a value. The largest type has 12.
const MOST_MEMBERS: usize = 100;

/// A value in a response that is not a valid record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a record in the response has no usable `{0}`")]
pub struct InvalidRecord(&'static str);

impl InvalidRecord {
    /// Names the member that is missing or has the wrong type.
    #[cfg(test)]
    pub(super) fn of(member: &'static str) -> Self {
        Self(member)
    }
}

/// A record in a response, or the reason why it is invalid.
///
/// Without `id`, `name` or `type` it cannot be distinguished from others. Every other member may be
/// missing or null, because responses have many forms. But a member that is present and cannot be
/// understood is an error: a default would be a guess.
#[derive(Debug, Clone, PartialEq)]
pub struct Received(pub Result<LiveRecord, InvalidRecord>);

/// Reads a record from a tree of values.
///
/// # Errors
/// Fails if it is not a valid record: see [`Received`].
pub fn read_record(json: &Json) -> Result<LiveRecord, InvalidRecord> {
    match Received::deserialize(json) {
        Ok(received) => received.0,
        // Deserializing a tree of values never fails here.
        Err(_) => Err(InvalidRecord("id")),
    }
}

impl<'de> Deserialize<'de> for Received {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let members = ObjectVisitor::<Members<'de>>::deserialize(deserializer)?;
        Ok(Self(members.0.unwrap_or_default().record()))
    }
}

/// The members of a record in a response.
#[derive(Default)]
struct Members<'de> {
    id: Member<'de>,
    name: Member<'de>,
    type_name: Member<'de>,
    content: Member<'de>,
    data: Known<Data>,
    priority: Member<'de>,
    ttl: Member<'de>,
    proxied: Member<'de>,
    comment: Member<'de>,
    tags: Known<Tags>,
    settings: Settings,
    private_routing: Member<'de>,
    maintainer: Option<ReadOnly>,
    locked: bool,
    modified_on: Member<'de>,
}

impl<'de> ResponsePart<'de> for Members<'de> {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        match name {
            "id" => self.id = map.next_value()?,
            "name" => self.name = map.next_value()?,
            "type" => self.type_name = map.next_value()?,
            "content" => self.content = map.next_value()?,
            "data" => self.data = map.next_value()?,
            "priority" => self.priority = map.next_value()?,
            "ttl" => self.ttl = map.next_value()?,
            "proxied" => self.proxied = map.next_value()?,
            "comment" => self.comment = map.next_value()?,
            "tags" => self.tags = map.next_value()?,
            "settings" => {
                self.settings =
                    map.next_value::<ObjectVisitor<Flags>>()?.0.unwrap_or_default().settings()
            }
            "private_routing" => self.private_routing = map.next_value()?,
            "meta" => {
                self.maintainer =
                    map.next_value::<ObjectVisitor<Flags>>()?.0.unwrap_or_default().maintainer()
            }
            "locked" => self.locked = matches!(map.next_value()?, Member::Bool(true)),
            "modified_on" => self.modified_on = map.next_value()?,
            _ => drop(map.next_value::<IgnoredAny>()?),
        }
        Ok(())
    }
}

impl Members<'_> {
    fn record(self) -> Result<LiveRecord, InvalidRecord> {
        let id = self.id.filled().ok_or(InvalidRecord("id"))?;
        let name = self.name.filled().ok_or(InvalidRecord("name"))?;
        let type_name = self.type_name.filled().ok_or(InvalidRecord("type"))?;
        let data = self.data.or("data")?.map(|data| data.0).unwrap_or_default();
        let priority = Some(self.priority.scalar()).filter(|value| *value != Value::Null);
        let content = self.content.text("content")?;
        let written = name;
        let name = Fqdn::reported(&written);
        let value =
            Rdata::reported(&type_name, content.as_deref(), &data, priority.as_ref()).at(&name);
        let written_tags = self.tags.or("tags")?.unwrap_or_default().0;
        let tags: BTreeSet<Tag> = written_tags.iter().map(|tag| Tag::reported(tag)).collect();
        Ok(LiveRecord {
            id: RecordId(id.into_owned()),
            reported: AsReported::of(
                (&written, &name),
                (content.as_deref(), &data),
                &value,
                (&written_tags, tags.iter().map(Tag::as_str)),
            ),
            data: value,
            name,
            ttl: match self.ttl {
                Member::Null => Ttl::AUTOMATIC,
                ttl => ttl_seconds(&ttl.scalar()).map(Ttl::reported).ok_or(InvalidRecord("ttl"))?,
            },
            proxied: match self.proxied {
                Member::Null => false,
                Member::Bool(proxied) => proxied,
                _ => return Err(InvalidRecord("proxied")),
            },
            comment: self
                .comment
                .text("comment")?
                .filter(|text| !text.is_empty())
                .map(Cow::into_owned),
            tags,
            settings: Settings {
                private_routing: match self.private_routing {
                    Member::Bool(on) => Some(on),
                    _ => None,
                },
                ..self.settings
            },
            read_only: self.maintainer.or(self.locked.then_some(ReadOnly::Locked)),
            modified_on: self.modified_on.filled().map(Cow::into_owned),
        })
    }
}

/// Returns a time to live from a number in any spelling.
fn ttl_seconds(value: &Value) -> Option<u32> {
    match value {
        Value::Integer(seconds) => u32::try_from(*seconds).ok(),
        Value::Text(text) => text.parse().ok(),
        _ => None,
    }
}

/// A scalar. A list or an object is kept without its content.
#[derive(Default)]
enum Member<'de> {
    #[default]
    Null,
    Bool(bool),
    Integer(i64),
    Decimal(String),
    Text(Cow<'de, str>),
    Nested,
}

impl<'de> Member<'de> {
    /// Returns text that is not empty.
    fn filled(self) -> Option<Cow<'de, str>> {
        match self {
            Self::Text(text) if !text.is_empty() => Some(text),
            _ => None,
        }
    }

    /// Returns text, which may be missing but must not be something else.
    fn text(self, name: &'static str) -> Result<Option<Cow<'de, str>>, InvalidRecord> {
        match self {
            Self::Null => Ok(None),
            Self::Text(text) => Ok(Some(text)),
            _ => Err(InvalidRecord(name)),
        }
    }

    /// Converts to a value. A list or an object becomes an empty list, which no type accepts.
    fn scalar(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(b) => Value::Bool(b),
            Self::Integer(n) => Value::Integer(n),
            Self::Decimal(digits) => Value::Decimal(digits),
            Self::Text(text) => Value::Text(text.into_owned()),
            Self::Nested => Value::List(Vec::new()),
        }
    }

    /// Converts a number that is not an [`i64`]. A whole number becomes an integer in any spelling.
    fn number(number: &impl fmt::Display) -> Self {
        let digits = number.to_string();
        let whole_number = digits.strip_suffix(".0").and_then(|digits| digits.parse().ok());
        whole_number.map_or(Self::Decimal(digits), Self::Integer)
    }
}

impl<'de> Deserialize<'de> for Member<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Member<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Member::Null)
            }

            fn visit_bool<E>(self, b: bool) -> Result<Self::Value, E> {
                Ok(Member::Bool(b))
            }

            fn visit_i64<E>(self, n: i64) -> Result<Self::Value, E> {
                Ok(Member::Integer(n))
            }

            fn visit_u64<E>(self, n: u64) -> Result<Self::Value, E> {
                Ok(i64::try_from(n).map_or_else(|_| Member::number(&n), Member::Integer))
            }

            fn visit_f64<E>(self, n: f64) -> Result<Self::Value, E> {
                Ok(serde_json::Number::from_f64(n).map_or(Member::Null, |n| Member::number(&n)))
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Member::Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Member::Text(Cow::Owned(text.to_owned())))
            }

            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Member::Text(Cow::Owned(text)))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                Ok(Member::Nested)
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(Member::Nested)
            }
        }

        deserializer.deserialize_any(Any)
    }
}

/// An object that handles its members, or a list that handles its items.
trait ResponsePart<'de>: Default {
    /// True if it is a list.
    const IS_LIST: bool = false;

    /// Handles a member.
    fn member<A: MapAccess<'de>>(&mut self, _name: &str, map: &mut A) -> Result<(), A::Error> {
        map.next_value::<IgnoredAny>().map(drop)
    }

    /// Handles an item.
    fn item(&mut self, _item: Member<'de>) {}
}

/// An object; `None` if the value is something else.
struct ObjectVisitor<T>(Option<T>);

impl<'de, T: ResponsePart<'de>> Deserialize<'de> for ObjectVisitor<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Known::<T>::deserialize(deserializer)? {
            Known::Is(object) => Self(Some(object)),
            Known::Missing | Known::Other => Self(None),
        })
    }
}

/// A member that may be missing or null, but must otherwise have the right type.
#[derive(Default)]
enum Known<T> {
    #[default]
    Missing,
    Is(T),
    Other,
}

impl<T> Known<T> {
    /// Returns the member, if it is present.
    fn or(self, name: &'static str) -> Result<Option<T>, InvalidRecord> {
        match self {
            Self::Missing => Ok(None),
            Self::Is(member) => Ok(Some(member)),
            Self::Other => Err(InvalidRecord(name)),
        }
    }
}

impl<'de, T: ResponsePart<'de>> Deserialize<'de> for Known<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any<T>(T);

        impl<'de, T: ResponsePart<'de>> Visitor<'de> for Any<T> {
            type Value = Known<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a value")
            }

            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Known::Missing)
            }

            fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self::Value, A::Error> {
                while let Some(name) = map.next_key::<Name<'de>>()? {
                    self.0.member(&name.0, &mut map)?;
                }
                Ok(if T::IS_LIST { Known::Other } else { Known::Is(self.0) })
            }

            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(Known::Other)
            }

            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(Known::Other)
            }

            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(Known::Other)
            }

            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(Known::Other)
            }

            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(Known::Other)
            }

            fn visit_seq<A: SeqAccess<'de>>(
                mut self,
                mut list: A,
            ) -> Result<Self::Value, A::Error> {
                while let Some(item) = list.next_element()? {
                    self.0.item(item);
                }
                Ok(if T::IS_LIST { Known::Is(self.0) } else { Known::Other })
            }
        }

        deserializer.deserialize_any(Any(T::default()))
    }
}

/// The name of a member, borrowed if it has no escapes.
struct Name<'de>(Cow<'de, str>);

impl<'de> Deserialize<'de> for Name<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl<'de> Visitor<'de> for Text {
            type Value = Name<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a member")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Name(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(Text)
    }
}

/// The members of a `data` object.
#[derive(Default)]
struct Data(Fields);

impl<'de> ResponsePart<'de> for Data {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let value = map.next_value::<Member<'de>>()?;
        if self.0.len() < MOST_MEMBERS {
            self.0.insert(name.to_owned(), value.scalar());
        }
        Ok(())
    }
}

/// Flags of `settings` and `meta`.
#[derive(Default)]
struct Flags {
    settings: Settings,
    read_only: Option<bool>,
    email_routing: Option<bool>,
    managed_by_apps: Option<bool>,
    managed_by_argo_tunnel: Option<bool>,
    managed_by_edge_tunnel: Option<bool>,
    auto_added: Option<bool>,
}

impl<'de> ResponsePart<'de> for Flags {
    fn member<A: MapAccess<'de>>(&mut self, name: &str, map: &mut A) -> Result<(), A::Error> {
        let flag = match name {
            "read_only" => &mut self.read_only,
            "email_routing" => &mut self.email_routing,
            "managed_by_apps" => &mut self.managed_by_apps,
            "managed_by_argo_tunnel" => &mut self.managed_by_argo_tunnel,
            "managed_by_edge_tunnel" => &mut self.managed_by_edge_tunnel,
            "auto_added" => &mut self.auto_added,
            setting => match self.settings.by_name(setting) {
                Some(flag) => flag,
                None => return map.next_value::<IgnoredAny>().map(drop),
            },
        };
        *flag = match map.next_value()? {
            Member::Bool(flag) => Some(flag),
            _ => None,
        };
        Ok(())
    }
}

impl Flags {
    /// Settings of the record.
    fn settings(self) -> Settings {
        // This flag is outside `settings`.
        Settings { private_routing: None, ..self.settings }
    }

    /// Returns who maintains the record, if it is not the owner of the zone.
    fn maintainer(self) -> Option<ReadOnly> {
        [
            (self.read_only, ReadOnly::ReadOnly),
            (self.email_routing, ReadOnly::EmailRouting),
            (self.managed_by_apps, ReadOnly::Apps),
            (self.managed_by_argo_tunnel, ReadOnly::Tunnel),
            (self.managed_by_edge_tunnel, ReadOnly::Tunnel),
            (self.auto_added, ReadOnly::AutoAdded),
        ]
        .into_iter()
        .find_map(|(flag, reason)| (flag == Some(true)).then_some(reason))
    }
}

/// The tags in a response. Items that are not text are left out.
#[derive(Default)]
struct Tags(Vec<String>);

impl<'de> ResponsePart<'de> for Tags {
    const IS_LIST: bool = true;

    fn item(&mut self, item: Member<'de>) {
        if let Member::Text(text) = item
            && self.0.len() < MOST_TAGS
        {
            self.0.push(text.into_owned());
        }
    }
}
