//! Addresses that tools may not reach unless it is declared: those of the link alone, and
//! those at which clouds hand out credentials.
//!
//! Names are checked before they are looked up, and what they stand for before it is
//! connected to: the addresses that were checked are the ones that are used.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

/// The names under which clouds serve metadata.
const METADATA_NAMES: [&str; 6] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
];

/// Metadata services outside the link-local ranges.
const METADATA_V4: [Ipv4Addr; 2] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(168, 63, 129, 16),
];
const METADATA_V6: [Ipv6Addr; 2] = [
    Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254),
    Ipv6Addr::new(0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254),
];

/// An address that was refused.
#[derive(Debug, thiserror::Error)]
#[error("{0} may not be reached")]
pub(super) struct Refused(pub(super) String);

fn is_refused(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => v4.is_link_local() || METADATA_V4.contains(&v4),
        IpAddr::V6(v6) => {
            v6.is_unicast_link_local()
                || METADATA_V6.contains(&v6)
                || embedded(v6).is_some_and(|v4| is_refused(v4.into()))
        }
    }
}

/// The IPv4 address that an IPv6 address stands for: mapped, compatible, NAT64, 6to4.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let parts = address.segments();
    let of = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match parts {
        [0, 0, 0, 0, 0, 0 | 0xffff, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(of(high, low))
        }
        [0x2002, high, low, ..] => Some(of(high, low)),
        _ => None,
    }
}

/// Checks what an address says by itself: its name, or the number it is.
pub(super) fn check(url: &Url) -> Result<(), Refused> {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_matches(['[', ']']).trim_end_matches('.');
    let is_metadata = METADATA_NAMES.contains(&bare.to_ascii_lowercase().as_str());
    let is_number = bare.parse().is_ok_and(is_refused);
    if is_metadata || is_number {
        return Err(Refused(bare.to_owned()));
    }
    Ok(())
}

/// Looks names up as the system does, and refuses those that lead where none may go.
#[derive(Debug)]
pub(super) struct CarefulResolver;

impl Resolve for CarefulResolver {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            // One refused address taints the name: it would be tried sooner or later.
            match found.iter().find(|address| is_refused(address.ip())) {
                Some(address) => Err(Refused(address.ip().to_string()).into()),
                None => Ok(Box::new(found.into_iter()) as Addrs),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_local_and_metadata_addresses_are_refused_in_every_spelling() {
        let refused = [
            "http://169.254.169.254/latest",
            "http://2852039166/",
            "http://0xa9.0xfe.0xa9.0xfe/",
            "http://0251.0376.0251.0376/",
            "http://169.254.1/",
            "http://[fe80::1]/",
            "http://[fd00:ec2::254]/",
            "http://[::ffff:169.254.169.254]/",
            "http://[64:ff9b::169.254.169.254]/",
            "http://[2002:a9fe:a9fe::1]/",
            "http://100.100.100.200/",
            "http://metadata.google.internal/",
            "http://METADATA.google.internal./",
            "http://instance-data/",
        ];
        for text in refused {
            assert!(check(&Url::parse(text).unwrap()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_a_name_stands_for_is_checked_before_it_is_used() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        let lookup = |name: &str| {
            let name = name.parse().unwrap();
            runtime
                .block_on(CarefulResolver.resolve(name))
                .map(Iterator::count)
        };
        let error = lookup("169.254.169.254").unwrap_err();
        assert_eq!(error.to_string(), "169.254.169.254 may not be reached");
        assert_eq!(lookup("127.0.0.1").unwrap(), 1);
    }

    #[test]
    fn other_addresses_are_not() {
        let fine = [
            "http://127.0.0.1/",
            "http://[::1]/",
            "http://10.0.0.1/",
            "http://localhost/",
            "http://example.org/169.254.169.254",
            "http://metadata.example.org/",
        ];
        for text in fine {
            assert!(check(&Url::parse(text).unwrap()).is_ok(), "{text}");
        }
    }
}
