"""Client for the language model the operator configured, with an OpenAI-compatible chat completions API."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic_core import from_json

from readtrack.infra.errors import SourceRefused, SourceUnavailable
from readtrack.infra.http.types import Http, HttpResponse
from readtrack.infra.i18n import gettext as _

Message = Mapping[str, str]  # Keys: role and content.
MAX_ANSWER_CHARS = 20_000  # Maximum characters of a completion, far more than a request allows.
_AT = "/chat/completions"
_THOUGHTS = re.compile(r"\A\s*<think(?:ing)?>.*?(?:</think(?:ing)?>|\Z)", re.DOTALL)
_FENCED = re.compile(r"\A```(?:markdown|md)?[ \t]*\n(?P<inside>(?:(?!```).*(?:\n|\Z))*)```\Z")


class Completion(NamedTuple):
    """A completion and the tokens used by prompt and completion together, as counted by the endpoint."""

    text: str
    tokens: int


@dataclass(frozen=True)
class LanguageModel:
    """A model behind an endpoint.

    `address` is the base URL the operator set, e.g. https://host/v1.
    """

    name: str
    address: str
    key: str = field(repr=False)
    http: Http = field(repr=False)

    def complete(self, messages: Sequence[Message], *, max_tokens: int) -> Completion:
        """Return a completion of at most `max_tokens` tokens.

        Raise SourceUnavailable or SourceRefused with a message for the user.
        """
        body = {"model": self.name, "messages": list(messages), "max_tokens": max_tokens, "temperature": 0.2}
        headers = {"authorization": f"Bearer {self.key}"} if self.key else {}
        try:
            response = self.http.post(self.address.rstrip("/") + _AT, body, headers)
        # Its message promises an automatic retry, which applies only to metadata sources.
        except SourceUnavailable as problem:
            raise SourceUnavailable(self._silence(), retry_after=problem.retry_after) from problem
        if response.status != 200:
            raise SourceRefused(self._refusal(response.status))
        return self._read(response)

    def _read(self, response: HttpResponse) -> Completion:
        try:
            completion = from_json(response.body)
            text, tokens = (
                completion["choices"][0]["message"]["content"],
                (completion.get("usage") or {}).get("total_tokens"),
            )
        except (ValueError, KeyError, IndexError, TypeError, AttributeError) as problem:
            raise SourceRefused(self._without_answer()) from problem
        draft = _strip_reasoning(text) if isinstance(text, str) else ""
        if not draft:
            raise SourceRefused(self._without_answer())
        return Completion(draft[:MAX_ANSWER_CHARS], tokens if isinstance(tokens, int) and tokens > 0 else 0)

    def _refusal(self, status: int) -> str:
        message = _("{host} refused the request (status {status}). If this persists, contact an admin.")
        return message.format(host=self._host, status=status)

    def _without_answer(self) -> str:
        message = _("{host} sent an unreadable response. Try again.")
        return message.format(host=self._host)

    def _silence(self) -> str:
        message = _("{host} isn't responding. Try again later.")
        return message.format(host=self._host)

    @property
    def _host(self) -> str:
        return urlsplit(self.address).hostname or self.address


def _strip_reasoning(text: str) -> str:
    """Remove a leading reasoning section and a code fence around the whole completion."""
    stripped = _THOUGHTS.sub("", text).strip()
    fence_match = _FENCED.match(stripped)
    return fence_match["inside"].strip() if fence_match else stripped
