//! The network: shells for somebody else, tunnels, firewalls, interfaces, listening in.

mod attack;
mod firewall;
mod interface;
mod shells;
mod tunnel;

use crate::rule::Pack;

pub(super) static PACK: Pack = Pack {
    name: "network",
    about: "reverse shells, tunnels, firewalls, interfaces and routes, proxies, captures",
    rules: &[
        shells::DEVICE,
        shells::PROGRAM,
        shells::PIPED,
        shells::CODE,
        tunnel::REVERSE,
        tunnel::PUBLIC,
        tunnel::PROXY,
        tunnel::PROXY_ARGUMENT,
        tunnel::CAPTURE,
        firewall::TABLES,
        firewall::FRONT_ENDS,
        attack::SCAN,
        attack::TOOL,
        attack::FLOOD,
        attack::RELAY,
        interface::DOWN,
        interface::ROUTE,
    ],
};

/// True for a host that is this machine.
pub(super) fn is_local(host: &str) -> bool {
    let host = host.trim_start_matches('[');
    host == "localhost"
        || host.starts_with("localhost:")
        || host.ends_with(".localhost")
        || host.starts_with("127.")
        || host.starts_with("::1")
        || host == "0"
        || host.starts_with("0.0.0.0")
}
