//! Detects mistyped addresses: a new address with one typing error, outside every network in use.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

use super::other_zones::OtherZones;
use super::zone_view::View;
use crate::model::Fqdn;

/// Returns the network that was probably meant by a new address, and the typing error; `None` if
/// another part of the zone uses a network near the new address.
pub(super) fn slip_of(
    name: &Fqdn,
    gone: &[IpNet],
    came: IpNet,
    known: &[IpNet],
    after: View<'_, '_>,
    others: OtherZones<'_>,
) -> Option<(IpNet, &'static str)> {
    let is_near = |other: &IpNet| *other != came && site(other.addr()) == site(came.addr());
    let alike = gone.iter().filter(|gone| gone.prefix_len() == came.prefix_len());
    let mut slips = alike.filter_map(|gone| Some((*gone, slip(gone.addr(), came.addr())?)));
    slips
        .find(|(gone, _)| leaves(name, gone.addr(), came.addr(), after, others))
        .filter(|_| !known.iter().any(is_near))
}

/// Returns the digits of an address as people type them; IPv6 addresses without `::`.
fn typed_digits(address: IpAddr) -> String {
    match address {
        IpAddr::V4(a) => a.to_string(),
        IpAddr::V6(a) => a.segments().map(|s| format!("{s:x}")).join(":"),
    }
}

/// Returns the typing error by which two addresses differ, if there is exactly one: a digit
/// missing, doubled or changed, or two digits swapped.
pub(super) fn slip(old: IpAddr, new: IpAddr) -> Option<&'static str> {
    let (old, new) = (typed_digits(old).into_bytes(), typed_digits(new).into_bytes());
    let start = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let same_end =
        |a: &[u8], b: &[u8]| a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let end = same_end(&old[start..], &new[start..]);
    let (old_middle, new_middle) = (&old[start..old.len() - end], &new[start..new.len() - end]);
    let is_digit = u8::is_ascii_hexdigit;
    let is_one = match (old_middle, new_middle) {
        ([old], [new]) => is_digit(old) && is_digit(new),
        ([missing], []) => is_digit(missing),
        // The common beginning is as long as possible, so a doubled digit is found as an addition
        // after its twin.
        ([], [added]) => is_digit(added) && start > 0 && old[start - 1] == *added,
        ([a, b], [c, d]) if a == d && b == c && is_digit(a) && is_digit(b) => {
            return Some("two swapped digits");
        }
        _ => false,
    };
    is_one.then_some("one digit")
}

/// Returns true if a new IPv6 address is the old one without one of its groups, as it is written.
pub(super) fn loses_group(old: IpAddr, new: IpAddr) -> bool {
    let (IpAddr::V6(old), IpAddr::V6(new)) = (old, new) else { return false };
    let text = old.to_string();
    let groups: Vec<&str> = text.split(':').collect();
    (0..groups.len()).filter(|n| !groups[*n].is_empty()).any(|n| {
        let kept = groups.iter().enumerate().filter(|(other, _)| *other != n);
        let kept: Vec<&str> = kept.map(|(_, group)| *group).collect();
        kept.join(":").parse() == Ok(new)
    })
}

/// Returns true if a new address is in no network of the old one, of other names of the zone, or of
/// the other zones.
pub(super) fn leaves(
    name: &Fqdn,
    old: IpAddr,
    new: IpAddr,
    after: View<'_, '_>,
    others: OtherZones<'_>,
) -> bool {
    if site(old) == site(new) || others.use_some(site(new), end_of_site(new), after.0.name()) {
        return false;
    }
    let is_other = |(_, owner): &(IpAddr, &Fqdn)| *owner != name;
    if after.0.addresses_between(site(new), end_of_site(new)).any(|held| is_other(&held)) {
        return false;
    }
    // Networks of the zone in the region of the new address: two of them show that networks around
    // them are in use.
    let in_region = after.0.addresses_between(region(new), end_of_region(new));
    let mut near = in_region.filter(is_other).map(|(address, _)| site_index(address));
    let Some(first) = near.next() else { return true };
    let last = near.next_back().unwrap_or(first);
    let reach = (last - first).max(NEIGHBOURS);
    let new_index = site_index(new);
    first == last || new_index + reach < first || last + reach < new_index
}

/// Maximum distance of two networks that are assumed to belong to one location.
///
/// # Units
/// Networks of the size of a [`site`].
const NEIGHBOURS: u32 = 8;

/// Returns the index of a site in its region.
fn site_index(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(a) => u32::from(a.octets()[2]),
        IpAddr::V6(a) => u32::from(a.segments()[2]),
    }
}

/// Returns the network that one site usually has: /24, or /48.
pub(super) fn site(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(a) => Ipv4Addr::from_bits(a.to_bits() & 0xffff_ff00).into(),
        IpAddr::V6(a) => Ipv6Addr::from_bits(a.to_bits() & !(u128::MAX >> 48)).into(),
    }
}

/// Returns an address without the network of its site. A typing error changes one of the groups
/// between the separators, so an address that [`leaves`] its network by a typing error keeps this
/// part.
pub(super) fn host_part(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(a) => Ipv4Addr::from_bits(a.to_bits() & 0xff).into(),
        IpAddr::V6(a) => Ipv6Addr::from_bits(a.to_bits() & (u128::MAX >> 48)).into(),
    }
}

/// Returns the last address of the network of a site.
fn end_of_site(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(a) => Ipv4Addr::from_bits(a.to_bits() | 0xff).into(),
        IpAddr::V6(a) => Ipv6Addr::from_bits(a.to_bits() | (u128::MAX >> 48)).into(),
    }
}

/// Returns the network that one provider usually has: /16, or /32.
fn region(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(a) => Ipv4Addr::from_bits(a.to_bits() & 0xffff_0000).into(),
        IpAddr::V6(a) => Ipv6Addr::from_bits(a.to_bits() & !(u128::MAX >> 32)).into(),
    }
}

/// Returns the last address of the network of a provider.
fn end_of_region(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(a) => Ipv4Addr::from_bits(a.to_bits() | 0xffff).into(),
        IpAddr::V6(a) => Ipv6Addr::from_bits(a.to_bits() | (u128::MAX >> 32)).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_of_the_finger() {
        let slip =
            |old: &str, new: &str| slip(old.parse().unwrap(), new.parse().unwrap()).is_some();
        for (old, new) in [
            ("203.0.113.10", "203.0.13.10"),
            ("203.0.113.10", "203.0.113.110"),
            ("203.0.113.10", "203.0.114.10"),
            ("203.0.113.10", "230.0.113.10"),
            ("198.51.100.7", "198.15.100.7"),
            ("2001:db8::1", "2001:d8::1"),
            ("2001:db8:1::1", "2001:db8:2::1"),
        ] {
            assert!(slip(old, new), "{old} {new}");
        }
        for (old, new) in [
            ("203.0.113.10", "198.51.100.10"),
            ("203.0.113.10", "203.0.113.10"),
            ("192.0.2.81", "192.0.2.222"),
            ("10.1.1.1", "10.12.1.1"),
        ] {
            assert!(!slip(old, new), "{old} {new}");
        }
    }

    #[test]
    fn a_slip_to_another_network_keeps_the_host() {
        let mut outside = 0;
        for old in [
            "203.0.113.10",
            "198.51.100.7",
            "11.11.11.11",
            "1.1.1.1",
            "2001:db8:11::1",
            "2a00:1450:4001:81a:1:11:1:11",
        ] {
            let text = old.as_bytes();
            let spelled = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap().parse::<IpAddr>().ok();
            let one = |at: usize| {
                let others =
                    b"0123456789abcdef.:".map(|c| [&text[..at], &[c], &text[at + 1..]].concat());
                let added =
                    b"0123456789abcdef.:".map(|c| [&text[..at], &[c], &text[at..]].concat());
                let missing = [&text[..at], &text[at + 1..]].concat();
                let mut swapped = text.to_vec();
                swapped.swap(at, (at + 1) % text.len());
                others.into_iter().chain(added).chain([missing, swapped]).filter_map(spelled)
            };
            let old: IpAddr = old.parse().unwrap();
            for new in (0..text.len())
                .flat_map(one)
                .filter(|new| slip(old, *new).is_some() && site(*new) != site(old))
            {
                assert_eq!(host_part(new), host_part(old), "{old} {new}");
                outside += 1;
            }
        }
        assert!(outside > 300, "{outside}");
    }
}
