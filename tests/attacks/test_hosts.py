"""A23 as bytes on the wire: whatever a request says of hosts, the letter leads to the address of the settings."""

import socket
from urllib.parse import urlsplit

import pytest

from tests import make
from tests.browser.serving import serving
from tests.processes import until
from tests.relay import Relay

pytestmark = pytest.mark.slow  # a server of its own; `make test` has it

HOME = "https://reading.example.org"
EVIL = "evil.example"
HEADS = {  # how a request begins, and what follows it before the form
    "absolute": (f"POST http://{EVIL}/password-reset HTTP/1.1", "Host: {here}"),
    "absolute-and-host": (f"POST http://{EVIL}/password-reset HTTP/1.1", f"Host: {EVIL}"),
    "two-hosts": ("POST /password-reset HTTP/1.1", f"Host: {{here}}\r\nHost: {EVIL}"),
    "two-hosts-the-other-first": ("POST /password-reset HTTP/1.1", f"Host: {EVIL}\r\nHost: {{here}}"),
    "no-host": ("POST /password-reset HTTP/1.0", "Accept: */*"),
    "blank-host": ("POST /password-reset HTTP/1.1", "Host:"),
    "a-list": ("POST /password-reset HTTP/1.1", f"Host: {{here}}, {EVIL}"),
    "a-user": ("POST /password-reset HTTP/1.1", f"Host: {{here}}@{EVIL}"),
    "a-space": ("POST /password-reset HTTP/1.1", f"Host : {EVIL}\r\nHost: {{here}}"),
    "a-fold": ("POST /password-reset HTTP/1.1", f"Host: {{here}}\r\n {EVIL}"),
    "forwarded": (
        "POST /password-reset HTTP/1.1",
        f"Host: {{here}}\r\nX-Forwarded-Host: {EVIL}\r\nForwarded: host={EVIL}",
    ),
    "double-slash": (f"POST //{EVIL}/../forgotten HTTP/1.1", "Host: {here}"),
}


def team(database):
    with database.write() as tx:
        for number, name in enumerate(HEADS):
            address = f"p{number}@example.org"
            make.person(tx, name, email=address, email_key=address, password_hash="x")


def said(url, name):
    """The answer to one request for a letter to that person, whole."""
    here, form = urlsplit(url), f"name={name}"
    line, hosts = HEADS[name]
    head = [line, hosts.format(here=here.netloc), "Sec-Fetch-Site: same-origin", "Connection: close"]
    head += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(form)}", "", form]
    with socket.create_connection((here.hostname, here.port), timeout=30) as wire:
        wire.sendall("\r\n".join(head).encode())
        return b"".join(iter(lambda: wire.recv(65536), b"")).decode("latin-1")


def test_a23_request_headers_cannot_change_the_links_in_a_mail(tmp_path):
    mailing = {"mail_from": "reading@example.org", "base_url": HOME, "allowed_hosts": "127.0.0.1"}
    with Relay() as relay, serving(tmp_path, "http://127.0.0.1:9", team, smtp_url=relay.url, **mailing) as live:
        answers = {name: said(live.url, name) for name in HEADS}
        taken = {name for name, answer in answers.items() if answer.startswith("HTTP/1.1 303")}
        until(lambda: len(relay.letters) == len(taken), "the letters arrived")
    assert "forwarded" in taken
    assert [name for name, answer in answers.items() if name not in taken and not answer.startswith("HTTP/1.1 4")] == []
    assert [name for name, answer in answers.items() if EVIL in answer] == []
    for letter in relay.letters:
        assert f"{HOME}/invitations/accept/" in letter.message.get_content()
        assert EVIL not in str(letter.message)
