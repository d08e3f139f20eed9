"""A mail relay on loopback: it keeps what it is given, and can be told to misbehave."""

import base64
import contextlib
import email
import email.policy
import socketserver
import ssl
import threading
from dataclasses import dataclass
from email.message import EmailMessage
from typing import Self

HELLO = "220 stand-in"
GREETING = ["250-stand-in", "250-SMTPUTF8", "250-8BITMIME"]


@dataclass(frozen=True)
class Letter:
    """One letter as it arrived: the envelope, who had signed in, and over what."""

    sender: str
    to: tuple[str, ...]
    message: EmailMessage
    user: str
    encrypted: bool
    written: bytes = b""  # the message as it came


class Relay:
    """A server in a thread of its own. `answers`: instead of the usual one, by a command or its first word."""

    def __init__(self, *, tls: ssl.SSLContext | None = None, at_once: bool = False) -> None:
        self.letters: list[Letter] = []
        self.passwords: list[str] = []  # as they were told
        self.answers: dict[str, str] = {}
        self.silent = False
        self.hangs_up = False  # when it has all of a letter, without a word
        self.tls, self.at_once = tls, at_once
        self.over = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Talk)
        self._server.relay = self

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"


class _Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    relay: Relay


class _Talk(socketserver.StreamRequestHandler):
    """One connection."""

    def setup(self) -> None:
        self.relay: Relay = self.server.relay  # type: ignore[attr-defined]
        self.sender, self.user, self.encrypted = "", "", False
        self.to: list[str] = []
        if self.relay.at_once:
            self._encrypt()
        super().setup()

    def finish(self) -> None:
        with contextlib.suppress(OSError):
            super().finish()
        self.request.close()  # the server closes only what it was before encryption

    def handle(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            self._say(self.relay.answers.get("HELLO", HELLO))
            while line := self.rfile.readline():
                word, _, rest = line.decode().strip().partition(" ")
                if self.relay.silent:
                    self.relay.over.wait()
                    return
                self._answer(word.upper(), rest)

    def _answer(self, word: str, rest: str) -> None:
        answers = self.relay.answers
        if said := answers.get(f"{word} {rest}") or answers.get(word):
            self._say(said)
        elif word == "EHLO":
            self._say(*GREETING, *self._offers(), "250 AUTH PLAIN")
        elif word == "STARTTLS":
            self._say("220 go on")
            self._encrypt()
            super().setup()
        elif word == "AUTH":
            self._sign_in(rest)
        elif word == "QUIT":
            self._say("221 bye")
        elif word == "DATA":
            self._take()
        else:
            self._note(word, rest)
            self._say("250 ok")

    def _offers(self) -> list[str]:
        return ["250-STARTTLS"] if self.relay.tls and not self.encrypted else []

    def _sign_in(self, rest: str) -> None:
        _, self.user, password = base64.b64decode(rest.partition(" ")[2]).decode().split("\0")
        self.relay.passwords.append(password)
        self._say("235 welcome" if password == "secret" else "535 no")

    def _note(self, word: str, rest: str) -> None:
        address = rest.partition("<")[2].partition(">")[0]
        if word == "MAIL":
            self.sender = address
        elif word == "RCPT":
            self.to.append(address)

    def _take(self) -> None:
        self._say("354 go on")
        lines = iter(self.rfile.readline, b".\r\n")
        text = b"".join(line[1:] if line.startswith(b"..") else line for line in lines)
        if self.relay.hangs_up:
            raise ConnectionAbortedError
        message = email.message_from_bytes(text, policy=email.policy.default)
        self.relay.letters.append(Letter(self.sender, tuple(self.to), message, self.user, self.encrypted, text))
        self._say("250 taken")

    def _encrypt(self) -> None:
        assert self.relay.tls is not None
        self.request = self.relay.tls.wrap_socket(self.request, server_side=True)
        self.encrypted = True

    def _say(self, *lines: str) -> None:
        self.wfile.write("".join(f"{line}\r\n" for line in lines).encode())
