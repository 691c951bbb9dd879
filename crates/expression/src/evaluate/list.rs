//! The items of lists, which expressions name with a dollar sign.
//!
//! # Sources
//! developers.cloudflare.com/waf/tools/lists/custom-lists, read 2026-11-23: a list has addresses
//! and networks, or host names, where `*.example.com` means all names below, or AS numbers; its
//! file has one item per line, with a description after a comma.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;

use super::value::Value;

/// Lists whose items are known, by their names without the dollar sign.
pub type Lists = BTreeMap<String, ListItems>;

/// The items of a list of the account.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListItems {
    /// Addresses and networks.
    pub networks: Vec<IpNet>,
    /// Numbers.
    pub integers: BTreeSet<i64>,
    /// Texts, such as host names.
    pub texts: BTreeSet<Vec<u8>>,
    /// Ends of host names that mean all names below, such as `.example.com`.
    pub suffixes: Vec<Vec<u8>>,
}

impl ListItems {
    /// Parses a file of a list in the format that Cloudflare imports: one item per line, with a
    /// description after a comma or `#`.
    ///
    /// # Errors
    /// Fails with the number of a line whose item is of no known kind.
    pub fn parse(text: &str) -> Result<Self, usize> {
        let mut items = Self::default();
        for (number, line) in text.lines().enumerate() {
            let item = line
                .split([',', '#'])
                .next()
                .unwrap_or_default()
                .trim()
                .trim_matches('"')
                .to_ascii_lowercase();
            let as_number = item.strip_prefix("as").unwrap_or(&item).parse::<i64>();
            if let Ok(network) = item.parse::<IpNet>() {
                items.networks.push(network.trunc());
            } else if let Ok(address) = item.parse::<IpAddr>() {
                items.networks.push(address.into());
            } else if let Ok(number) = as_number {
                items.integers.insert(number);
            } else if let Some(suffix) =
                item.strip_prefix('*').filter(|rest| rest.starts_with('.') && is_host(&rest[1..]))
            {
                items.suffixes.push(suffix.as_bytes().to_vec());
            } else if is_host(&item) {
                items.texts.insert(item.into_bytes());
            } else if !item.is_empty() {
                return Err(number + 1);
            }
        }
        Ok(items)
    }

    /// Returns true if a value is one of the items.
    pub(super) fn contains(&self, value: Value<'_>) -> bool {
        match value {
            Value::Address(address) => {
                self.networks.iter().any(|network| network.contains(&address))
            }
            Value::Integer(number) => self.integers.contains(&number),
            Value::Bytes(bytes) => {
                self.texts.contains(bytes)
                    || self.suffixes.iter().any(|suffix| bytes.ends_with(suffix))
            }
            Value::Unknown(_)
            | Value::Missing
            | Value::Truth(_)
            | Value::Array(_)
            | Value::Map(_) => false,
        }
    }
}

/// Returns true if a text is the name of a host.
fn is_host(text: &str) -> bool {
    text.contains('.')
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte) || byte >= 0x80)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_lists_are_read() {
        let text = "192.0.2.7,the office\r\n198.51.100.9/24\n2001:DB8::/32 # lab\n\nAS64496\n64497,peer\n\"Api.Example.com\"\n*.shop.example\n";
        let items = ListItems::parse(text).expect("it is one");
        let address = |text: &str| Value::Address(text.parse().expect("it is one"));
        for value in [
            address("192.0.2.7"),
            address("198.51.100.1"),
            address("2001:db8::1"),
            Value::Integer(64_496),
            Value::Integer(64_497),
            Value::Bytes(b"api.example.com"),
            Value::Bytes(b"a.b.shop.example"),
        ] {
            assert!(items.contains(value), "{value:?}");
        }
        for value in
            [address("192.0.2.8"), Value::Integer(1), Value::Bytes(b"shop.example"), Value::Missing]
        {
            assert!(!items.contains(value), "{value:?}");
        }
        assert_eq!(ListItems::parse("192.0.2.1\n192.0.2.1/99\n"), Err(2));
        assert_eq!(ListItems::parse("{\"result\": []}"), Err(1));
        assert_eq!(ListItems::parse(""), Ok(ListItems::default()));
    }
}
