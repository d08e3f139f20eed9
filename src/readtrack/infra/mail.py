"""SMTP client for the operator's mail relay. Credentials are sent over TLS only.

The only module that speaks SMTP. It raises SourceUnavailable for temporary errors and SourceRefused for permanent ones.
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
from readtrack.infra.http.types import OFFLINE, RETRYING_LATER, Http, unreachable

PORTS = {"smtp": 587, "smtps": 465}
HIDDEN = "(address)"
# RFC 5322 maximum; below it, the email package folds long addresses into encoded words, which servers do not decode.
WHOLE_LINES = default.clone(max_line_length=998)
UNSET = "Email isn't set up (READTRACK_SMTP_URL)."


class MailNotAccepted(SourceUnavailable):
    """The relay has certainly not accepted the message, so sending it again cannot duplicate it."""


@dataclass(frozen=True)
class MailRelay:
    """The mail relay. A blank `user` means that it requires no authentication."""

    host: str
    port: int
    encrypted: bool  # TLS from the first byte (smtps); otherwise STARTTLS if the relay offers it.
    user: str = ""
    password: str = field(default="", repr=False)

    @classmethod
    def from_url(cls, url: str) -> "MailRelay":
        parts = urlsplit(url)
        user, password = unquote(parts.username or ""), unquote(parts.password or "")
        return cls(parts.hostname or "", parts.port or PORTS[parts.scheme], parts.scheme == "smtps", user, password)


class Mail:
    """Sends mail from `sender`. `home` is the base URL for links in messages."""

    def __init__(
        self,
        url: str,
        sender: str,
        *,
        home: str = "",
        offline: bool = False,
        step: float = 10.0,  # Seconds for each response.
        total: float = 60.0,  # Seconds for a whole message, even if the relay keeps answering.
        certificates: Callable[[], ssl.SSLContext] = ssl.create_default_context,
    ) -> None:
        self._relay, self._sender, self._offline = MailRelay.from_url(url), sender, offline
        self._step, self._total, self._certificates = step, total, certificates
        self._home = home.rstrip("/")

    def link(self, path: str) -> str:
        """Return the absolute URL of a page, based on the settings and never on request headers."""
        return self._home + path

    @property
    def offline(self) -> bool:
        """Return True if the operator disabled all outgoing connections."""
        return self._offline

    def greet(self) -> None:
        """Check that the relay accepts the connection and login. Raises like `send`."""
        with self._let_in() as relay:
            code, reply = relay.ehlo()
            if code != 250:
                raise smtplib.SMTPHeloError(code, reply)
            with suppress(OSError):
                relay.quit()

    def send(self, message: EmailMessage) -> None:
        """Hand the message over to the relay, which is responsible for it from then on."""
        prepared = self._signed(message)
        with self._let_in() as relay:
            relay.send_message(prepared, from_addr=parseaddr(self._sender)[1])
            with suppress(OSError):  # The message is sent even if QUIT fails.
                relay.quit()

    @contextmanager
    def _let_in(self) -> Iterator[smtplib.SMTP]:
        if self._offline:
            raise SourceRefused(OFFLINE, code="offline")
        with _translate_errors(self._relay.host), ExitStack() as stack:
            # The relay has not received any message yet.
            with _translate_errors(self._relay.host, error_class=MailNotAccepted):
                relay = stack.enter_context(self._connected())
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
        """Switch to TLS if the relay offers it.

        Raise SourceRefused if a password would be sent unencrypted. A loopback relay without a login needs no TLS, and
        therefore no certificate.
        """
        if is_loopback(self._relay.host) and not self._relay.user:
            return
        if relay.has_extn("starttls"):
            relay.starttls(context=self._certificates())
            relay.ehlo()
        elif self._relay.user:
            message = (
                f"{self._relay.host} offers no encryption, so the password in READTRACK_SMTP_URL can't be sent safely. "
                "Use smtps:// or a mail server that needs no password."
            )
            raise SourceRefused(message)


@runtime_checkable
class MailHttp(Protocol):
    """An HTTP client that can also send mail if mail is configured."""

    @property
    def mail(self) -> Mail | None: ...


def get_mail(http: Http) -> Mail:
    """Return the mail client of a job. Raise SourceRefused if mail is not configured."""
    mail = http.mail if isinstance(http, MailHttp) else None
    if mail is None:
        raise SourceRefused(UNSET, code="no-mail")
    return mail


def build_message(recipient: str, subject: str, text: str) -> EmailMessage:
    """Build a plain text message. Raise SourceRefused if the address is invalid."""
    message = EmailMessage(policy=WHOLE_LINES)
    try:
        name, _, domain = recipient.rpartition("@")
        message["To"] = Address(addr_spec=f"{name}@{domain.encode('idna').decode()}")
    # The email parser raises all of these for malformed addresses.
    except (ValueError, IndexError, AttributeError, MessageError) as error:
        raise SourceRefused("Invalid email address.") from error
    message["Subject"] = " ".join(subject.split())
    message["Auto-Submitted"] = "auto-generated"  # Suppresses out-of-office replies.
    message.set_content(text)
    return message


class _Connection(smtplib.SMTP):
    """An SMTP connection that another thread can shut down at any time.

    This works even during the greeting and the TLS handshake.
    """

    def __init__(self, step: float, tls: ssl.SSLContext | None) -> None:
        super().__init__(timeout=step)
        self._tls = tls
        self._line: socket.socket | None = None

    def begin(self, host: str, port: int) -> None:
        """Connect and read the greeting. Raise SMTPConnectError if it is invalid."""
        self._host = host  # The name to verify in the certificate.
        code, reply = self.connect(host, port)
        if code != 220:
            raise smtplib.SMTPConnectError(code, reply)

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        tcp_socket = socket.create_connection((host, port), timeout)
        self._line = tcp_socket.dup()  # A duplicate of the socket, because TLS wraps and detaches the original.
        return self._tls.wrap_socket(tcp_socket, server_hostname=host) if self._tls else tcp_socket

    def hang_up(self) -> None:
        with suppress(OSError):  # It may have just been closed.
            if self._line is not None:
                self._line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        super().close()
        if self._line is not None:
            self._line.close()


@contextmanager
def _time_limit(seconds: float, relay: _Connection) -> Iterator[None]:
    """Shut down the connection after `seconds`.

    A relay that keeps sending single bytes would otherwise hold it.
    """
    timer = threading.Timer(seconds, relay.hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@contextmanager
def _translate_errors(host: str, *, error_class: type[SourceUnavailable] = SourceUnavailable) -> Iterator[None]:
    try:
        yield
    except ssl.SSLCertVerificationError as error:
        raise SourceRefused(f"The certificate of {host} isn't trusted ({error.verify_message}).") from error
    except smtplib.SMTPRecipientsRefused as error:
        (code, reply) = next(iter(error.recipients.values()))
        raise _refusal(host, code, reply, recipients=error.recipients) from error
    except smtplib.SMTPResponseException as error:
        raise _refusal(host, error.smtp_code, error.smtp_error) from error
    except smtplib.SMTPNotSupportedError as error:
        raise SourceRefused(f"{host} doesn't support this email ({error}).") from error
    except OSError as error:  # Includes SMTPException, timeouts and DNS errors.
        raise error_class(f"{unreachable(host, error)} {RETRYING_LATER}") from error


def _refusal(
    host: str, code: int, reply: bytes | str, *, recipients: Iterable[str] = ()
) -> SourceRefused | SourceUnavailable:
    words = reply.decode(errors="replace") if isinstance(reply, bytes) else reply
    reason = " ".join(_without_addresses(words, recipients).split())[:200]
    explanation = f"{host} rejected the email (status {code}: {reason})."
    return SourceRefused(explanation) if code >= 500 else MailNotAccepted(f"{explanation} {RETRYING_LATER}")


def _without_addresses(words: str, recipients: Iterable[str]) -> str:
    """Remove mail addresses, and the local parts of refused ones, from the relay's error message.

    The message is stored on the job and shown in notifications and logs, where others than the addressee read it.
    """
    for local in {address.rpartition("@")[0] for address in recipients} - {""}:
        words = re.sub(rf"(?<!\w){re.escape(local)}(?!\w)", HIDDEN, words, flags=re.IGNORECASE)
    return " ".join(HIDDEN if "@" in word else word for word in words.split())
