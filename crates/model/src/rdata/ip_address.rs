//! Reads the IP addresses in record values, and suggests a fix for invalid ones.

use std::net::{Ipv4Addr, Ipv6Addr};

use super::DataError;
use super::host_name::{Root, parse_host};

pub(super) fn ipv4(name: &'static str, text: &str) -> Result<Ipv4Addr, DataError> {
    text.parse().map_err(|_| {
        let has_letters = text.contains(|c: char| c.is_ascii_alphabetic());
        let help = match text.parse::<Ipv6Addr>() {
            Ok(_) => "this is an IPv6 address: use type AAAA",
            Err(_) if has_letters && parse_host(name, text, Root::Refused).is_ok() => {
                "this is a host name: use type CNAME"
            }
            Err(_) => "write four numbers from 0 to 255, without leading zeros, such as 192.0.2.10",
        };
        DataError::field(name, format!("`{text}` is not an IPv4 address")).help(help)
    })
}

/// Parses an IPv6 address in any spelling (RFC 4291 section 2.2). It is printed in the form of RFC
/// 5952.
pub(super) fn ipv6(name: &'static str, text: &str) -> Result<Ipv6Addr, DataError> {
    text.parse().map_err(|_| {
        let help = match text.parse::<Ipv4Addr>() {
            Ok(_) => "this is an IPv4 address: use type A",
            Err(_) => "write groups of hexadecimal digits such as 2001:db8::10",
        };
        DataError::field(name, format!("`{text}` is not an IPv6 address")).help(help)
    })
}
