"""Letters to a relay on loopback: what arrives, what is told only when nobody listens, what each refusal becomes."""

import shutil
import socket
import ssl
import subprocess
import threading
import time
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.mail import Mail, MailHttp, build_message, get_mail
from tests.relay import Relay
from tests.tables import cases

SENDER = "Reading <reading@example.org>"
HOME = "https://reading.example.org/"
MAKE = (
    "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
    "-subj", "/CN=relay", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "key.pem", "-out", "cert.pem",
)  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not shutil.which("openssl"):
        pytest.skip("openssl is not there to make a certificate")
    made = tmp_path_factory.mktemp("certificate")
    subprocess.run(MAKE, cwd=made, check=True, capture_output=True)
    return made


@pytest.fixture
def tls(folder):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context


@pytest.fixture
def relay():
    """Speaks in the open only."""
    with Relay() as relay:
        yield relay


def mail(relay, *, scheme="smtp", who="", **given):
    return Mail(f"{scheme}://{who}127.0.0.1:{relay.port}", SENDER, **{"home": HOME, "step": 2.0, **given})


def believing(folder):
    return lambda: ssl.create_default_context(cafile=str(folder / "cert.pem"))


def a_letter(to="ken@example.org"):
    return build_message(to, "Ein Gruß\r\nBcc: eve@example.org", "Zwei Zeilen,\n.eine mit Punkt – 読む\n")


@contextmanager
def dripping(*, tls):
    """Sends the beginning of a greeting, or of a TLS handshake, a byte each 50 ms, for as long as somebody reads."""
    beginning = b"\x16\x03\x03\x3f\xff\x02\x00\x3f\xf0" if tls else b"220-"

    def drip():
        with suppress(OSError), server.accept()[0] as one:
            for number in range(200):
                one.sendall(beginning[number : number + 1] or b"x")
                time.sleep(0.05)

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=drip, daemon=True).start()
        yield server.getsockname()[1]


def test_a_mail_arrives_as_written(relay):
    mail(relay).send(a_letter())
    (arrived,) = relay.letters
    assert (arrived.sender, arrived.to) == ("reading@example.org", ("ken@example.org",))
    assert arrived.message["From"] == SENDER
    assert arrived.message["Auto-Submitted"] == "auto-generated"
    assert arrived.message["Date"]
    assert arrived.message["Message-ID"].endswith("@example.org>")
    assert arrived.message.get_content().replace("\r\n", "\n") == "Zwei Zeilen,\n.eine mit Punkt – 読む\n"


def test_a_subject_with_line_breaks_adds_no_header(relay):
    mail(relay).send(a_letter())
    (arrived,) = relay.letters
    assert arrived.message["Subject"] == "Ein Gruß Bcc: eve@example.org"
    assert arrived.message["Bcc"] is None


@cases(
    "address",
    [
        "ken@example.org\nBcc: eve@example.org",
        "ken@example.org, eve@example.org",
        "ken",
        "",
        "a b@c",
        "a@",
        "a@[b",
        "a@[)/",
        "読@example.org",
    ],
)
def test_only_a_single_valid_address_gets_mail(address):
    with pytest.raises(SourceRefused, match="Invalid email address"):
        build_message(address, "Hello", "Text")


def test_a_mail_to_an_internationalised_domain_arrives(relay):
    mail(relay).send(a_letter("ken@例え.jp"))
    assert relay.letters[0].to == ("ken@xn--r8jz45g.jp",)


def test_links_start_with_the_configured_base_url(relay):
    assert mail(relay).link("/reset/abc") == "https://reading.example.org/reset/abc"


def test_the_password_is_sent_after_starttls(tls, folder):
    with Relay(tls=tls) as relay:
        mail(relay, who="ada%40example.org:secret@", certificates=believing(folder)).send(a_letter())
        assert [(it.user, it.encrypted) for it in relay.letters] == [("ada@example.org", True)]


def test_implicit_tls_is_used(tls, folder):
    with Relay(tls=tls, at_once=True) as relay:
        mail(relay, scheme="smtps", who="ada:secret@", certificates=believing(folder)).send(a_letter())
        assert [(it.user, it.encrypted) for it in relay.letters] == [("ada", True)]


def test_the_password_is_not_sent_to_a_relay_without_encryption(relay):
    with pytest.raises(SourceRefused, match="offers no encryption"):
        mail(relay, who="ada:secret@").send(a_letter())
    assert (relay.letters, relay.passwords) == ([], [])


def test_the_password_is_not_sent_to_a_relay_with_an_untrusted_certificate(tls):
    for scheme, at_once in (("smtp", False), ("smtps", True)):
        with Relay(tls=tls, at_once=at_once) as relay:
            with pytest.raises(SourceRefused, match="isn't trusted"):
                mail(relay, scheme=scheme, who="ada:secret@").send(a_letter())
            assert relay.passwords == []


def test_without_a_password_localhost_needs_no_certificate(tls):
    with Relay(tls=tls) as relay:
        mail(relay).send(a_letter())
        assert [it.encrypted for it in relay.letters] == [False]


@pytest.mark.parametrize(
    ("word", "answer", "error", "said"),
    [
        ("HELLO", "554 go away", SourceRefused, "status 554: go away"),
        ("HELLO", "421 busy", SourceUnavailable, "Retrying later"),
        ("MAIL", "553 not from you", SourceRefused, "status 553: not from you"),
        ("RCPT", "550 nobody here", SourceRefused, "status 550: nobody here"),
        ("RCPT", "451 greylisted", SourceUnavailable, "status 451: greylisted"),
        ("DATA", "452 full", SourceUnavailable, "status 452: full"),
    ],
)
def test_permanent_and_temporary_refusals_are_distinguished(relay, word, answer, error, said):
    relay.answers[word] = answer
    with pytest.raises(error, match=said):
        mail(relay).send(a_letter())
    assert relay.letters == []


def test_an_accepted_mail_counts_as_sent_even_if_quit_fails(relay):
    relay.answers["QUIT"] = "421 too slow"
    mail(relay).send(a_letter())
    assert len(relay.letters) == 1


def test_a_wrong_password_is_refused_and_not_retried(tls, folder):
    with Relay(tls=tls) as relay:
        with pytest.raises(SourceRefused, match="status 535"):
            mail(relay, who="ada:wrong@", certificates=believing(folder)).send(a_letter())
        assert relay.passwords == ["wrong"]


@pytest.mark.parametrize("scheme", ["smtp", "smtps"])
def test_a_relay_sending_its_greeting_byte_by_byte_times_out(folder, scheme):
    began = time.monotonic()
    with dripping(tls=scheme == "smtps") as port:
        url = f"{scheme}://127.0.0.1:{port}"
        with pytest.raises(SourceUnavailable, match="closed the connection"):
            Mail(url, SENDER, step=2, total=0.3, certificates=believing(folder)).send(a_letter())
    assert time.monotonic() - began < 3


def test_an_unreachable_relay_is_retried_later():
    with socket.create_server(("127.0.0.1", 0)) as nobody:
        port = nobody.getsockname()[1]
    with pytest.raises(SourceUnavailable, match=r"can't be reached .*\(Connection refused\)"):
        Mail(f"smtp://127.0.0.1:{port}", SENDER, step=1).send(a_letter())


@pytest.mark.parametrize("times", [{"step": 0.2}, {"step": 30.0, "total": 0.2}], ids=["one answer", "all of it"])
def test_a_silent_relay_times_out(relay, times):
    relay.silent = True
    with pytest.raises(SourceUnavailable, match="closed the connection"):
        mail(relay, **times).send(a_letter())


def test_nothing_is_sent_in_offline_mode(relay):
    with pytest.raises(SourceRefused, match="READTRACK_OFFLINE"):
        mail(relay, offline=True).send(a_letter())
    assert relay.letters == []


def test_a_job_gets_the_configured_mail_or_an_error_that_there_is_none(relay):
    given: dict[str, Any] = {"agent": "test", "gate": UnlimitedRateLimiter(), "intervals": {}, "bases": {}}
    with_mail, without = HttpClient(mail=mail(relay), **given), HttpClient(**given)
    assert isinstance(without, MailHttp)
    get_mail(with_mail).send(a_letter())
    assert len(relay.letters) == 1
    with pytest.raises(SourceRefused, match="READTRACK_SMTP_URL"):
        get_mail(without)
