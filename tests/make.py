"""The object mother: the least that a test needs, every field open to be said.

Rows are given as Any: they are flushed, so their ids are there, which their types cannot say.
"""

import itertools
from datetime import datetime
from io import BytesIO
from typing import Any

from PIL import Image

from readtrack.infra.db import Write
from readtrack.infra.models import (
    AgendaItem,
    Assignment,
    Candidate,
    Comment,
    Entry,
    Identifier,
    Meeting,
    Note,
    NoteRevision,
    Notification,
    Paper,
    PaperTopic,
    Person,
    Question,
    Reading,
    Series,
    Summary,
    SummaryVersion,
    Topic,
    TopicAlias,
    TopicVersion,
    Webhook,
    WebhookDelivery,
)
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.library.enrichment.choose import user_supplied_fields

_numbers = itertools.count(1)


def person(tx: Write, name: str = "", **fields: Any) -> Any:
    name = name or f"Person {next(_numbers)}"
    return _add(tx, Person(name=name, name_key=normalize.key(name), **fields))


def visitor(tx: Write, name: str = "", role: str = "member", **fields: Any) -> CurrentUser:
    """A person already at the door, who has confirmed who they are: what a session alone does is tried by HTTP."""
    someone = person(tx, name, role=role, **fields)
    assert someone.id is not None
    return CurrentUser(someone.id, someone.name, someone.role, confirmed=True)


def paper(tx: Write, title: str = "", *, identifier: str = "", **fields: Any) -> Any:
    number = next(_numbers)
    title = title or f"On the Training of Model {number}"
    named = user_supplied_fields({"title": title, **fields})
    made = _add(tx, Paper(title=title, title_key=normalize.key(title), user_supplied=named, **fields))
    scheme, _, value = (identifier or f"arxiv:9901.{number:05d}").partition(":")
    _add(tx, Identifier(paper_id=made.id, scheme=scheme, value=value))
    return made


def topic(tx: Write, name: str = "", *, aliases: tuple[str, ...] = (), **fields: Any) -> Any:
    name = name or f"Topic {next(_numbers)}"
    made = _add(tx, Topic(name=name, slug=normalize.slug(name), **fields))
    for alias in (name, *aliases):
        _add(tx, TopicAlias(topic_id=made.id, alias=alias, alias_key=normalize.key(alias), is_canonical=alias == name))
    said = {"number": made.version, "name": name, "aliases": [*aliases], "markdown": made.markdown}
    _add(tx, TopicVersion(topic_id=made.id, parent_id=made.parent_id, **said))
    return made


def filed(tx: Write, paper: Any, topic: Any) -> Any:
    return _add(tx, PaperTopic(paper_id=paper.id, topic_id=topic.id))


def reading(tx: Write, person_id: int, paper_id: int, status: str = "to_read", **fields: Any) -> Any:
    return _add(tx, Reading(person_id=person_id, paper_id=paper_id, status=status, **fields))


def summary(tx: Write, person_id: int, paper_id: int, markdown: str = "Three lines.", **fields: Any) -> Any:
    made = _add(tx, Summary(person_id=person_id, paper_id=paper_id, markdown=markdown, **fields))
    _add(tx, SummaryVersion(summary_id=made.id, number=1, markdown=markdown))
    return made


def entry(tx: Write, raw: str = "# A heading", **fields: Any) -> Any:
    """A line of a note of its own, and what it became."""
    number = next(_numbers)
    note = _add(tx, Note(title=f"Notes {number}", title_key=f"notes {number}"))
    revision = _add(tx, NoteRevision(note_id=note.id, text=raw, sha256=f"{number:064}", line_count=1))
    place = {"revision_id": revision.id, "position": 1, "first_line": 1, "last_line": 1, "raw": raw}
    said = {"kind": "topic", "decision": "add", "fingerprint": str(number)}
    return _add(tx, Entry(**{**place, **said, **fields}))


def assignment(tx: Write, person_id: int, paper_id: int, state: str = "proposed", **fields: Any) -> Any:
    key = f"{person_id}:{paper_id}" if state in {"proposed", "accepted"} else None
    return _add(tx, Assignment(person_id=person_id, paper_id=paper_id, state=state, open_key=key, **fields))


def notice(tx: Write, person_id: int, kind: str = "assignment", **fields: Any) -> Any:
    number = next(_numbers)
    return _add(tx, Notification(**{"person_id": person_id, "kind": kind, "group_key": f"{kind}:{number}", **fields}))


def comment(tx: Write, person_id: int, text: str = "What of Figure 6?", **fields: Any) -> Any:
    """On what `paper_id`, `topic_id` or `question_id` says."""
    return _add(tx, Comment(person_id=person_id, markdown=text, **fields))


def question(tx: Write, text: str = "", **fields: Any) -> Any:
    return _add(tx, Question(text=text or f"Why does run {next(_numbers)} diverge?", **fields))


def series(tx: Write, name: str = "Reading group", **fields: Any) -> Any:
    return _add(tx, Series(name=name, **fields))


def meeting(tx: Write, starts_at: datetime, title: str = "Reading group", **fields: Any) -> Any:
    return _add(tx, Meeting(title=title, starts_at=starts_at, **fields))


def item(tx: Write, meeting_id: int, **fields: Any) -> Any:
    """On an agenda: what `paper_id` or `question_id` says."""
    return _add(tx, AgendaItem(meeting_id=meeting_id, **fields))


def candidate(tx: Write, series_id: int, paper_id: int, **fields: Any) -> Any:
    return _add(tx, Candidate(series_id=series_id, paper_id=paper_id, **fields))


def png(width: int = 2, height: int = 2, *, colour: str = "teal") -> bytes:
    """The bytes of a small picture."""
    kept = BytesIO()
    Image.new("RGB", (width, height), colour).save(kept, "PNG")
    return kept.getvalue()


def webhook(tx: Write, person_id: int, url: str = "https://chat.example.org/hook", **fields: Any) -> Any:
    return _add(tx, Webhook(**{"person_id": person_id, "url": url, "salt": "0", "last_event_id": 0, **fields}))


def delivery(tx: Write, webhook_id: int, **fields: Any) -> Any:
    return _add(tx, WebhookDelivery(**{"webhook_id": webhook_id, "verb": "paper.added", **fields}))


def added(tx: Write, row: Any) -> Any:
    """Any row, flushed."""
    return _add(tx, row)


def _add(tx: Write, row: Any) -> Any:
    tx.add(row)
    tx.flush()
    return row
