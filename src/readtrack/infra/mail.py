"""Mail: one letter at a time to the relay that the operator set. Credentials travel encrypted, or not at all.

The only module that speaks SMTP. Raises SourceUnavailable for what may pass, SourceRefused for what will not.
"""

import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from email.errors import MessageError
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from email.utils import localtime, make_msgid, parseaddr
from typing import Protocol, runtime_checkable
from urllib.parse import unquote, urlsplit

from readtrack.infra.config import is_loopback
from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http

PORTS = {"smtp": 587, "smtps": 465}
NOT_SENT = "Nothing was sent"
HIDDEN = "(address)"
WHOLE_LINES = default.clone(max_line_length=998)  # shorter ones turn a long address into words that nobody decodes
LATER = f"{NOT_SENT}; it is tried again later."
OFFLINE = f"readtrack is set to speak to nobody (READTRACK_OFFLINE=1). {NOT_SENT}."
UNSET = f"No mail is set up (READTRACK_SMTP_URL). {NOT_SENT}."


class MailNotAccepted(SourceUnavailable):
    """The letter is nowhere on its way, for certain: to send it again doubles nothing."""


@dataclass(frozen=True)
class MailRelay:
    """Who takes our letters. Blank `user`: whoever can reach it may send."""

    host: str
    port: int
    encrypted: bool  # from the first byte (smtps); else as soon as the relay offers it
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def from_url(cls, url: str) -> "MailRelay":
        parts = urlsplit(url)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(parts.hostname or "", parts.port or PORTS[parts.scheme], parts.scheme == "smtps", user, password)


class Mail:
    """Sends in the name of `sender`. `home` is the address of this readtrack: what links in letters begin with."""

    def __init__(
        self,
        url: str,
        sender: str,
        *,
        home: str = "",
        offline: bool = False,
        step: float = 10.0,  # seconds for each answer
        total: float = 60.0,  # seconds for all of a letter, whatever the relay does
        certificates: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self._relay, self._sender, self._offline = MailRelay.from_url(url), sender, offline
        self._step, self._total, self._certificates = step, total, certificates
        self._home = home.rstrip("/")

    def link(self, path: str) -> str:
        """The address of a page of ours, from the settings: never from what a request said."""
        return self._home + path

    @property
    def offline(self) -> bool:
        """Whether the operator wants nothing sent at all."""
        return self._offline

    def greet(self) -> None:
        """Whether the relay lets us in, before anything is counted as sent; raises as `send` does."""
        with self._let_in() as relay:
            code, said = relay.ehlo()
            if code != 250:
                raise smtplib.SMTPHeloError(code, said)
            with suppress(OSError):
                relay.quit()

    def send(self, message: EmailMessage) -> None:
        """Hands the letter over; it is the relay's from then on."""
        signed = self._signed(message)
        with self._let_in() as relay:
            relay.send_message(signed, from_addr=parseaddr(self._sender)[1])
            with suppress(OSError):  # it is sent, however the goodbye goes
                relay.quit()

    @contextmanager
    def _let_in(self) -> Iterator[smtplib.SMTP]:
        if self._offline:
            raise SourceRefused(OFFLINE, code="offline")
        with _translate_errors(self._relay.host), ExitStack() as opened:
            with _translate_errors(self._relay.host, broken=MailNotAccepted):  # it has seen no letter yet
                relay = opened.enter_context(self._connected())
                if self._relay.user:
                    relay.login(self._relay.user, self._relay.password)
            yield relay

    def _signed(self, message: EmailMessage) -> EmailMessage:
        domain = parseaddr(self._sender)[1].rpartition("@")[2]
        for name, value in (("From", self._sender), ("Date", localtime()), ("Message-ID", make_msgid(domain=domain))):
            if name not in message:
                message[name] = value
        return message

    @contextmanager
    def _connected(self) -> Iterator[smtplib.SMTP]:
        relay = _Connection(self._step, self._certificates() if self._relay.encrypted else None)
        with closing(relay), _time_limit(self._total, relay):
            relay.begin(self._relay.host, self._relay.port)
            relay.ehlo()
            if not self._relay.encrypted:
                self._encrypt(relay)
            yield relay

    def _encrypt(self, relay: smtplib.SMTP) -> None:
        """Nothing that must stay secret goes out in the open. What needs no wire needs no certificate either."""
        if is_loopback(self._relay.host) and not self._relay.user:
            return
        if relay.has_extn("starttls"):
            relay.starttls(context=self._certificates())
            relay.ehlo()
        elif self._relay.user:
            message = (
                f"{self._relay.host} offers no encryption, so that the password of READTRACK_SMTP_URL was not told. "
                f"{NOT_SENT}; use smtps://, or a relay that needs no password."
            )
            raise SourceRefused(message)


@runtime_checkable
class MailHttp(Protocol):
    """A way out that can send mail, when it is set up."""

    @property
    def mail(self) -> Mail | None: ...


def get_mail(http: Http) -> Mail:
    """What a job sends letters with; raises SourceRefused when none is set up."""
    mail = http.mail if isinstance(http, MailHttp) else None
    if mail is None:
        raise SourceRefused(UNSET, code="no-mail")
    return mail


def build_message(to: str, subject: str, text: str) -> EmailMessage:
    """A letter in plain text. Raises SourceRefused for an address that none can be sent to."""
    message = EmailMessage(policy=WHOLE_LINES)
    try:
        name, _, domain = to.rpartition("@")
        message["To"] = Address(addr_spec=f"{name}@{domain.encode('idna').decode()}")
    # The parser itself stumbles over some addresses.
    except (ValueError, IndexError, AttributeError, MessageError) as error:
        raise SourceRefused(f"This is no mail address that a letter can go to. {NOT_SENT}.") from error
    message["Subject"] = " ".join(subject.split())
    message["Auto-Submitted"] = "auto-generated"  # so that nobody's absence answers
    message.set_content(text)
    return message


class _Connection(smtplib.SMTP):
    """A connection that can be ended from another thread at any moment, in the middle of a greeting or of TLS too."""

    def __init__(self, step: float, tls: ssl.SSLContext | None) -> None:
        super().__init__(timeout=step)
        self._tls = tls
        self._line: socket.socket | None = None

    def begin(self, host: str, port: int) -> None:
        """Connect, and read the greeting. Raises SMTPConnectError for one that is none."""
        self._host = host  # which the certificate has to name
        code, said = self.connect(host, port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, said)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        plain = socket.create_connection((host, port), timeout)
        self._line = plain.dup()  # the same connection, whatever TLS makes of the first
        return self._tls.wrap_socket(plain, server_hostname=host) if self._tls else plain

    def hang_up(self) -> None:
        with suppress(OSError):  # it may be closed at this moment
            if self._line is not None:
                self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        super().close()
        if self._line is not None:
            self._line.close()


@contextmanager
def _time_limit(seconds: float, relay: _Connection) -> Iterator[None]:
    """A relay that answers a byte now and then is left when the time is over."""
    timer = threading.Timer(seconds, relay.hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _translate_errors(host: str, *, broken: type[SourceUnavailable] = SourceUnavailable) -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        message = f"The certificate of {host} is not to be trusted ({error.verify_message}). {NOT_SENT}."
        raise SourceRefused(message) from error
    except smtplib.SMTPRecipientsRefused as error:
        (code, said) = next(iter(error.recipients.values()))
        raise _refusal(host, code, said, recipients=error.recipients) from error
    except smtplib.SMTPResponseException as error:
        raise _refusal(host, error.smtp_code, error.smtp_error) from error
    except smtplib.SMTPNotSupportedError as error:
        raise SourceRefused(f"{host} cannot do what this letter needs ({error}). {NOT_SENT}.") from error
    except OSError as error:  # SMTPException is one, as are timeouts and names that nobody knows
        raise broken(f"{host} could not be reached, or broke off ({error}). {LATER}") from error


def _refusal(
    host: str, code: int, said: bytes | str, *, recipients: Iterable[str] = ()
) -> SourceRefused | SourceUnavailable:
    words = said.decode(errors="replace") if isinstance(said, bytes) else said
    reason = " ".join(_without_addresses(words, recipients).split())[:200]
    told = f"{host} did not take the mail (status {code}: {reason})."
    return SourceRefused(f"{told} {NOT_SENT}.") if code >= 500 else MailNotAccepted(f"{told} {LATER}")


def _without_addresses(words: str, recipients: Iterable[str]) -> str:
    """Return the words of a relay without mail addresses, and without the local part of those that it refused.

    They stand on the job, in notices and in the log, where others than the addressee read them.
    """
    for local in {address.rpartition("@")[0] for address in recipients} - {""}:
        words = re.sub(rf"(?<!\w){re.escape(local)}(?!\w)", HIDDEN, words, flags=re.IGNORECASE)
    return " ".join(HIDDEN if "@" in word else word for word in words.split())
