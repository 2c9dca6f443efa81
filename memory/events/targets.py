"""Where a webhook may point: public addresses over http or https, checked at save and at send.

One parser reads an address for both. At save a name that resolves to somewhere forbidden is
refused; one that does not resolve yet is taken, its deliveries will say so. At send the name is
looked up once, every answer is checked, and the connection goes to what was checked.
"""

import ipaddress
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from urllib.parse import urlsplit

from django.conf import settings

LIMIT = 2_000  # characters
PORTS = {"http": 80, "https": 443}
LOWEST_FREE_PORT = 1_024  # below it only 80 and 443: the rest belongs to other protocols

# What the registries of special addresses hold, written down: the standard library's lists differ
# from one Python to the next.
_FORBIDDEN_V4 = [
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this network
        "10.0.0.0/8",
        "100.64.0.0/10",  # behind a carrier's translation; metadata of one cloud
        "127.0.0.0/8",
        "168.63.129.16/32",  # the host's agent of one cloud
        "169.254.0.0/16",  # link-local; metadata of most clouds
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",  # documentation
        "192.88.99.0/24",  # 6to4 relays
        "192.168.0.0/16",
        "198.18.0.0/15",  # benchmarks
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, broadcast
    )
]
_GLOBAL_V6 = IPv6Network("2000::/3")  # mapped, NAT64, link-local, unique local lie outside
_FORBIDDEN_V6 = [
    IPv6Network(network)
    for network in (
        "2001::/23",  # Teredo and other protocols' own
        "2001:db8::/32",  # documentation
        "2002::/16",  # 6to4: an IPv4 address inside
        "3fff::/20",  # documentation
    )
]
_PRIVATE_NAMES = ("localhost", "localdomain", "local", "internal", "home.arpa")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")  # how resolvers know other spellings of IPv4
_VISIBLE = re.compile(r"[!-~]+")


class BadTarget(ValueError):
    """The address may not be called. The reason says why and can be shown to whoever gave it."""


@dataclass(frozen=True)
class Target:
    """An address, taken apart once. `path` is everything after the authority, never empty."""

    scheme: str
    host: str  # lower case; an IPv6 address without its brackets
    port: int
    path: str

    @property
    def authority(self) -> str:
        """What the Host header says."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def parse(url: str) -> Target:
    """The parts of `url`, or BadTarget. Says nothing yet about where a name leads."""
    if len(url) > LIMIT:
        raise BadTarget(f"{len(url)} characters, at most {LIMIT} are taken")
    if not _VISIBLE.fullmatch(url) or "\\" in url:
        raise BadTarget("expected ASCII without spaces: names in punycode, the rest in %-escapes")
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").removesuffix("."), parts.port
    except ValueError:
        raise BadTarget("is no address") from None
    if parts.scheme not in PORTS:
        raise BadTarget("expected an address that begins with https:// or http://")
    if "@" in parts.netloc:
        raise BadTarget("holds a user name or a password")
    if "#" in url:
        raise BadTarget("has a fragment, which is never sent")
    if not host:
        raise BadTarget("names no host")
    _check_host(host, in_brackets=parts.netloc.startswith("["))
    port = PORTS[parts.scheme] if port is None else port
    _check_port(port)
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, host, port, path)


def check(url: str) -> None:
    """At save: the address is well formed and leads to no forbidden place as far as is known now.

    Looks the name up, so call it outside any transaction.
    """
    target = parse(url)
    try:
        addresses(target)
    except OSError:
        return


def addresses(target: Target) -> Sequence[str]:
    """At send: the addresses to connect to, all of them checked. The name is looked up once.

    Raises BadTarget when any of them is forbidden, OSError when the name is not found.
    """
    found = [target.host] if _is_address(target.host) else look_up(target.host, target.port)
    if not found:
        raise OSError("the name has no address")
    if not settings.WEBHOOK_ALLOW_PRIVATE and not all(is_public(each) for each in found):
        raise BadTarget("leads to a private or reserved address")
    return found


def look_up(host: str, port: int) -> Sequence[str]:
    """Every address of a name, in the system's order of preference."""
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def is_public(address: str) -> bool:
    """Is it a host of the public Internet, and not a spelling of something else?"""
    try:
        parsed: IPv4Address | IPv6Address = ipaddress.ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv4Address):
        return not any(parsed in network for network in _FORBIDDEN_V4)
    if parsed.scope_id is not None or parsed not in _GLOBAL_V6:
        return False
    return not any(parsed in network for network in _FORBIDDEN_V6)


def _check_host(host: str, *, in_brackets: bool) -> None:
    if in_brackets:
        if not _is_address(host) or "%" in host:
            raise BadTarget("the host is no IPv6 address")
    elif not _is_address(host):
        labels = host.split(".")
        if _NUMBER.fullmatch(labels[-1]):
            raise BadTarget("the host is a number: an address is four decimal numbers")
        if len(host) > 253 or not all(_LABEL.fullmatch(label) for label in labels):
            raise BadTarget("the host is no name of the domain name system")
    if settings.WEBHOOK_ALLOW_PRIVATE:
        return
    if _is_address(host):
        if not is_public(host):
            raise BadTarget("leads to a private or reserved address")
    elif "." not in host or any(f".{host}".endswith(f".{name}") for name in _PRIVATE_NAMES):
        raise BadTarget("the host is a name of one network only")


def _check_port(port: int) -> None:
    if port == 0:
        raise BadTarget("port 0 is none")
    if settings.WEBHOOK_ALLOW_PRIVATE or port in PORTS.values() or port >= LOWEST_FREE_PORT:
        return
    raise BadTarget(f"port {port} belongs to another protocol: 80, 443, or from 1024")


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
