"""The content of a message: an event as JSON, or a sentence for a chat.

Names and titles are written by people, so they are escaped: nothing in them is markup or notifies a channel.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from pydantic_core import to_json

from readtrack.infra.i18n import gettext as _
from readtrack.team.activity.feed_items import FeedFragment, build_feed_items
from readtrack.team.activity.queries import EventRow

MAX_TEXT_CHARS = 200  # Of one name or title; Discord takes 2,000 in all.
_SPACES = re.compile(r"\s+")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]()<>#+!|~:-])")
_NO_MENTION = "@\u200b"  # A zero-width space keeps @all from being a mention.


class ChatFormat(NamedTuple):
    """How a chat wants its messages: how text is escaped, how a link is written, and the JSON around it."""

    escape: Callable[[str], str]
    link: str
    build: Callable[[str], dict[str, Any]]


def build_content(form: str, events: Sequence[EventRow], home: str) -> bytes:
    """Return the body of the request. `events`: one, or those that are one item of the activity feed."""
    if form == "json":
        event = events[0]
        return to_json({"type": event.verb, "timestamp": event.created_at, "data": event.to_json()})
    chat = CHATS[form]
    sentences = (_build_sentence(chat, item.last, item.fragments, home) for item in build_feed_items(events))
    return to_json(chat.build("\n".join(sentences)))


def _build_sentence(chat: ChatFormat, event: EventRow, fragments: Sequence[FeedFragment], home: str) -> str:
    sentence = "".join(_write_fragment(chat, fragment, home) for fragment in fragments)
    if event.person:
        person = _write_fragment(chat, FeedFragment(event.person, f"/people/{event.person_id}"), home)
        sentence = _("%(person)s %(deed)s") % {"person": person, "deed": sentence}
    if any(fragment.href for fragment in fragments):
        return sentence
    return f"{sentence} ({_write_fragment(chat, FeedFragment(_('Activity'), '/activity'), home)})"


def _write_fragment(chat: ChatFormat, fragment: FeedFragment, home: str) -> str:
    text = _SPACES.sub(" ", fragment.text)
    if len(text) > MAX_TEXT_CHARS:
        text = f"{text[: MAX_TEXT_CHARS - 1]}…"
    escaped = chat.escape(text)
    return chat.link.format(url=home + fragment.href, text=escaped) if home and fragment.href else escaped


def _escape_slack(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _escape_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", text).replace("@", _NO_MENTION)


CHATS = {
    "slack": ChatFormat(_escape_slack, "<{url}|{text}>", lambda text: {"text": text}),
    "mattermost": ChatFormat(_escape_markdown, "[{text}]({url})", lambda text: {"text": text}),
    "discord": ChatFormat(
        _escape_markdown, "[{text}]({url})", lambda text: {"content": text, "allowed_mentions": {"parse": []}}
    ),
}
