"""Where a webhook may point (field fault 23): every spelling of a private place is refused."""

import ipaddress
import socket
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.events import targets
from memory.events.targets import BadTarget, Target, check, is_public, parse

PUBLIC = ["93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946"]
PRIVATE = [
    "http://169.254.169.254/",
    "http://169.254.169.254/latest/meta-data/",
    "http://127.0.0.1/",
    "http://127.8.9.1/",
    "http://10.0.0.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.1.1/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://0.0.0.0/",
    "http://0.1.2.3/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://203.0.113.5/",
    "http://[::]/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]:6379/",
    "http://[::ffff:93.184.216.34]/",
    "http://[::127.0.0.1]/",
    "http://[64:ff9b::7f00:1]/",
    "http://[64:ff9b:1::a00:1]/",
    "http://[2002:7f00:1::]/",
    "http://[2001:0:53aa:64c::]/",
    "http://[2001:db8::1]/",
    "http://[fe80::1]/",
    "http://[fec0::1]/",
    "http://[fc00::1]/",
    "http://[fd00:ec2::254]/",
    "http://[ff02::1]/",
    "http://[100::1]/",
    "http://localhost/",
    "http://LOCALHOST./",
    "http://api.localhost/",
    "http://metadata.google.internal/",
    "http://printer.local/",
    "http://nas.home.arpa/",
    "http://redis/",
]
NUMBERS = [
    "http://2130706433/",
    "http://0x7f000001/",
    "http://017700000001/",
    "http://127.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://127.0.0.01/",
    "http://1.2.3.4.5/",
    "http://example.0x1/",
    "http://256.256.256.256/",
]
MALFORMED = [
    "",
    "hook",
    "//example.com/hook",
    "ftp://example.com/",
    "file:///etc/passwd",
    "gopher://example.com/",
    "unix:///var/run/docker.sock",
    "http+unix://%2Fvar%2Frun%2Fdocker.sock/",
    "javascript:alert(1)",
    "https:///hook",
    "https://user:password@example.com/",
    "https://user@example.com/",
    "https://93.184.216.34@127.0.0.1/",
    "https://example.com\\@127.0.0.1/",
    "https://example.com#@127.0.0.1/",
    "https://example.com/\r\nHost: other",
    "https://exa mple.com/",
    "https://exämple.com/",
    "https://①②⑦.⓪.⓪.①/",
    "https://１２７.0.0.1/",
    "https://example.com/\u202e",
    "https://[fe80::1%25eth0]/",
    "https://[::1/",
    "https://[example.com]/",
    "https://example..com/",
    "https://-example.com/",
    "https://%31%32%37.0.0.1/",
    "https://" + "a" * 64 + ".com/",
    "https://example.com:99999/",
    "https://example.com:0/",
    "https://example.com:ssh/",
    "https://example.com/" + "x" * 2_000,
]
PORTS = [22, 25, 110, 111, 445, 1023]


@pytest.mark.parametrize("url", [*PRIVATE, *NUMBERS, *MALFORMED])
def test_a_forbidden_address_is_refused_at_save_and_at_send(url: str) -> None:
    with pytest.raises(BadTarget):
        check(url)
    with pytest.raises(BadTarget):
        targets.addresses(parse(url))


@pytest.mark.parametrize("port", PORTS)
def test_a_port_of_another_protocol_is_refused(port: int) -> None:
    with pytest.raises(BadTarget, match=f"port {port}"):
        parse(f"https://example.com:{port}/")


@pytest.mark.parametrize(
    ("url", "target", "authority"),
    [
        ("https://example.com", Target("https", "example.com", 443, "/"), "example.com"),
        ("HTTP://Example.COM./a?b=c", Target("http", "example.com", 80, "/a?b=c"), "example.com"),
        ("https://a_b.xn--exmple-cua.com:8443/x", None, "a_b.xn--exmple-cua.com:8443"),
        ("http://93.184.216.34/?q", Target("http", "93.184.216.34", 80, "/?q"), "93.184.216.34"),
        (f"https://[{PUBLIC[1]}]:443/", Target("https", PUBLIC[1], 443, "/"), f"[{PUBLIC[1]}]"),
    ],
)
def test_a_public_one_is_taken_apart(url: str, target: Target | None, authority: str) -> None:
    found = parse(url)
    assert target in (None, found)
    assert found.authority == authority


@given(st.ip_addresses(v=4))
def test_no_public_ipv4_is_one_that_the_standard_library_calls_private(
    address: ipaddress.IPv4Address,
) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
        assert not address.is_reserved


@given(st.ip_addresses(v=6))
def test_no_public_ipv6_is_private_or_holds_an_ipv4(address: ipaddress.IPv6Address) -> None:
    if is_public(str(address)):
        assert address.is_global
        assert not address.is_multicast
        assert (address.ipv4_mapped, address.sixtofour, address.teredo) == (None, None, None)


@given(st.ip_addresses(v=4, network="10.0.0.0/8"), st.sampled_from("::ffff:{} ::{}".split()))
def test_a_private_ipv4_inside_an_ipv6_is_as_private(
    address: ipaddress.IPv4Address, form: str
) -> None:
    assert not is_public(form.format(address))


def resolving(*answers: Sequence[str] | OSError) -> Callable[..., Any]:
    left = list(answers)

    def look_up(host: str, port: int) -> Sequence[str]:
        answer = left.pop(0)
        if isinstance(answer, OSError):
            raise answer
        return answer

    return look_up


@pytest.mark.parametrize("also", [[], [PUBLIC[0]], [PUBLIC[1]]])
def test_a_name_that_leads_to_a_private_address_among_others_is_refused(
    monkeypatch: pytest.MonkeyPatch, also: list[str]
) -> None:
    monkeypatch.setattr(targets, "look_up", resolving([*also, "10.0.0.7"]))
    with pytest.raises(BadTarget, match="private or reserved"):
        check("https://hooks.example.com/")


def test_a_name_that_is_not_found_yet_is_taken_at_save_and_fails_at_send(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    missing = socket.gaierror("not found")
    monkeypatch.setattr(targets, "look_up", resolving(missing, missing, []))
    check("https://hooks.example.com/")
    for _ in range(2):
        with pytest.raises(OSError, match=r"not found|no address"):
            targets.addresses(parse("https://hooks.example.com/"))


def test_development_may_allow_private_places_but_nothing_malformed(settings: Any) -> None:
    settings.WEBHOOK_ALLOW_PRIVATE = True
    for url in ("http://127.0.0.1:6379/", "http://[::1]:8000/", "http://localhost:81/"):
        check(url)
    for url in [*MALFORMED, *NUMBERS]:
        with pytest.raises(BadTarget):
            check(url)
