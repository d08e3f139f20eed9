"""Check for public IP addresses.

ipaddress.is_global is not used, because it accepts some addresses that lead to internal hosts.
"""

import ipaddress

_V4_REFUSED = tuple(
    ipaddress.IPv4Network(network)
    for network in (
        "0.0.0.0/8",
        "10.0.0.0/8",
        "100.64.0.0/10",  # Carrier-grade NAT.
        "127.0.0.0/8",
        "169.254.0.0/16",  # Link-local, including cloud metadata services.
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # 6to4 relays.
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # Multicast.
        "240.0.0.0/4",
    )
)
_V6_UNICAST = ipaddress.IPv6Network("2000::/3")
_V6_REFUSED = tuple(
    ipaddress.IPv6Network(network)
    for network in (
        "2001::/23",  # Protocol assignments; Teredo contains an IPv4 address.
        "2001:db8::/32",
        "2002::/16",  # 6to4 contains an IPv4 address.
        "3fff::/20",
    )
)


def is_public(address: str) -> bool:
    """Return True for global unicast addresses.

    An IPv4-mapped IPv6 address is checked as IPv4; other embedded IPv4 addresses are refused.
    """
    try:
        number = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(number, ipaddress.IPv6Address) and number.ipv4_mapped:
        number = number.ipv4_mapped
    if isinstance(number, ipaddress.IPv4Address):
        return not any(number in network for network in _V4_REFUSED)
    return number in _V6_UNICAST and not any(number in network for network in _V6_REFUSED)
