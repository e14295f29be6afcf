"""A host is allowed as it was written, and leads nowhere else."""

import ipaddress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tandem_desktop.domain.errors import BadInputError
from tandem_desktop.domain.network import AllowedHost, RefusedHost, allowed_hosts, plain_host

PUBLIC, PRIVATE, LOOPBACK, METADATA = "93.184.216.34", "10.1.2.3", "127.0.0.1", "169.254.169.254"


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("api.example.org", "api.example.org", None),
        ("API.Example.ORG.", "api.example.org", None),
        ("*.example.org", "*.example.org", None),
        ("example.org:8443", "example.org", 8443),
        ("https://example.org/v1", "example.org", 443),
        ("http://127.0.0.1:4010/v1", "127.0.0.1", 4010),
        ("http://localhost", "localhost", 80),
        ("[::1]:4010", "::1", 4010),
        ("[0:0::1]:4010", "::1", 4010),
        ("bücher.example", "xn--bcher-kva.example", None),
    ],
)
def test_a_host_is_understood(text: str, host: str, port: int | None) -> None:
    assert AllowedHost.parse(text) == AllowedHost(host, port)


@pytest.mark.parametrize("text", ["", "no host", "*", "*.", "a..b", "x:99999", "http://", "exa mple.org", "-x.org"])
def test_what_is_no_host_is_refused(text: str) -> None:
    with pytest.raises(BadInputError, match="names no host"):
        AllowedHost.parse(text)
    assert allowed_hosts([text, "good.example"]) == (AllowedHost("good.example"),)


@pytest.mark.parametrize(
    ("rule", "host", "port", "matches"),
    [
        ("example.org", "example.org", 443, True),
        ("example.org", "example.org", 80, True),
        ("example.org", "example.org", 22, False),
        ("example.org", "x.example.org", 443, False),
        ("example.org", "evilexample.org", 443, False),
        ("*.example.org", "x.example.org", 443, True),
        ("*.example.org", "example.org", 443, False),
        ("*.example.org", "evilexample.org", 443, False),
        ("example.org:8443", "example.org", 8443, True),
        ("example.org:8443", "example.org", 443, False),
        ("127.0.0.1:4010", "127.0.0.1", 4010, True),
        ("127.0.0.1:4010", "127.0.0.2", 4010, False),
    ],
)
def test_a_rule_matches_what_it_says(rule: str, host: str, port: int, matches: bool) -> None:
    assert AllowedHost.parse(rule).matches(host, port) is matches


@pytest.mark.parametrize(
    ("rule", "permitted"),
    [
        ("example.org", {PUBLIC}),
        ("example.org:8443", {PUBLIC, PRIVATE}),
        ("localhost:4010", {PUBLIC, PRIVATE, LOOPBACK}),
        ("127.0.0.1:4010", {PUBLIC, PRIVATE, LOOPBACK}),
        ("169.254.169.254:80", {PUBLIC, PRIVATE, METADATA}),
    ],
)
def test_a_name_leads_to_no_private_address_unless_it_has_a_port_of_its_own(rule: str, permitted: set[str]) -> None:
    found = {each for each in (PUBLIC, PRIVATE, LOOPBACK, METADATA) if AllowedHost.parse(rule).permits(_at(each))}
    assert found == permitted


@pytest.mark.parametrize("hidden", ["::ffff:127.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1", "2002:7f00:1::"])
def test_an_address_hidden_in_another_is_found(hidden: str) -> None:
    assert not AllowedHost.parse("example.org:8443").permits(_at(hidden))


@given(st.ip_addresses())
def test_no_name_without_a_port_leads_to_an_address_that_is_not_public(address: object) -> None:
    assert isinstance(address, ipaddress.IPv4Address | ipaddress.IPv6Address)
    if AllowedHost("example.org").permits(address):
        assert address.is_global
        assert not address.is_multicast


@given(st.text(max_size=40))
def test_any_text_is_a_host_or_refused_and_what_is_understood_is_understood_again(text: str) -> None:
    try:
        found = AllowedHost.parse(text)
    except BadInputError:
        return
    assert AllowedHost.parse(str(found)) == found
    assert plain_host(found.host) == found.host


def test_a_refusal_is_allowed_by_the_words_that_match_it() -> None:
    for host, port in (("a.example", 443), ("a.example", 8443), ("::1", 80), ("10.0.0.1", 443)):
        assert AllowedHost.parse(RefusedHost(host=host, port=port).address).matches(host, port)
    assert RefusedHost(host="asked.example", port=53).address == "asked.example"


def _at(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    return ipaddress.ip_address(address)
