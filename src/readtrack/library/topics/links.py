"""Web links of a topic that are not papers: articles, repositories, tools."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal, NamedTuple

import sqlalchemy as sa
from pydantic import Field
from sqlmodel import col

from readtrack.infra import events, permissions, undo_log
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotFound, invalid_field
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Person, Topic, TopicLink
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.schemas import TrimmedModel
from readtrack.infra.text import urls
from readtrack.infra.text.input_types import OneLine
from readtrack.library.papers import lookup
from readtrack.library.topics.commands import get_topic_for_update

Kind = Literal["article", "repository", "tool", "video", "documentation", "other"]
WORDS = {  # kind: as people call it
    "article": N_("article"),
    "repository": N_("repository"),
    "tool": N_("tool"),
    "video": N_("video"),
    "documentation": N_("documentation"),
    "other": N_("something else"),
}
KINDS_AT: Mapping[str, Sequence[str]] = {  # hosts, and all below them
    "repository": ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com"),
    "video": ("youtube.com", "youtu.be", "vimeo.com", "bilibili.com"),
    "documentation": ("readthedocs.io", "docs.rs", "docs.python.org", "pytorch.org"),
}
MOST = 100  # links per topic


class TopicLinkFields(TrimmedModel):
    """A link. The kind is guessed from the URL if it is not given."""

    url: Annotated[str, Field(min_length=1, max_length=urls.MAX_LENGTH), OneLine]
    kind: Kind | None = None
    title: Annotated[str, Field(max_length=300), OneLine] = ""
    note: Annotated[str, Field(max_length=300), OneLine] = ""


class LinkRow(NamedTuple):
    """A link as shown on its topic's page. `by`: the person who added it."""

    id: int
    kind: str
    url: str
    title: str
    note: str
    by: str | None
    added_at: datetime

    @property
    def host(self) -> str:
        """The host, without "www."."""
        where = urls.split_url(self.url)
        return where.host.removeprefix("www.") if where else ""

    @property
    def called(self) -> str:
        """The title, or the URL without its scheme."""
        return self.title or self.url.partition("://")[2].removeprefix("www.").rstrip("/")


_COLUMNS = ("id", "kind", "url", "title", "note")
_LINKS = (
    sa.select(*(getattr(TopicLink, name) for name in _COLUMNS), col(Person.name).label("by"), col(TopicLink.added_at))
    .join(Person, col(Person.id) == col(TopicLink.added_by), isouter=True)
    .where(col(TopicLink.topic_id) == sa.bindparam("topic_id"))
    .order_by(col(TopicLink.id))
)


def list_links(tx: Read, topic_id: int) -> list[LinkRow]:
    """Return the links of a topic, by kind and age."""
    rows = [LinkRow._make(row) for row in tx.rows(_LINKS, {"topic_id": topic_id})]
    return sorted(rows, key=lambda row: list(WORDS).index(row.kind))


def get_link(tx: Read, slug: str, link_id: int) -> LinkRow:
    """Return a link. Raise NotFound."""
    topic_id = tx.scalar(sa.select(col(Topic.id)).where(col(Topic.slug) == slug))
    found = [row for row in list_links(tx, topic_id or 0) if row.id == link_id]
    if not found:
        raise _not_found(link_id)
    return found[0]


def find_paper(tx: Read, url: str) -> int | None:
    """Return the paper with this URL; such a paper is assigned to the topic instead of linked."""
    return lookup.find_by_text(tx, url)[1]


def add_link(tx: Write, me: CurrentUser, slug: str, wanted: TopicLinkFields) -> TopicLink:
    """Add a link to a topic.

    Raise Invalid if it is not a web address, or Conflict if it exists or is a paper of the library (code "is-paper").
    """
    permissions.require(me, "edit")
    topic = get_topic_for_update(tx, slug)
    url = _validate_url(tx, topic, wanted.url, besides=None)
    if len(list_links(tx, topic.id or 0)) >= MOST:
        raise Conflict(_("A topic has at most {most} links. Nothing was changed: remove one first.").format(most=MOST))
    said = {**wanted.model_dump(), "url": url, "kind": wanted.kind or guess_kind(url)}
    link = TopicLink(**said, topic_id=topic.id or 0, added_by=me.id)
    tx.add(link)
    tx.flush()
    events.record_event(tx, me, "topic.link-added", data=_event_data(topic, link))
    return link


def edit_link(tx: Write, me: CurrentUser, slug: str, link_id: int, *, wanted: TopicLinkFields) -> TopicLink:
    """Replace a link. Raise the same errors as adding it."""
    permissions.require(me, "edit")
    topic, link = _get_link_for_update(tx, slug, link_id)
    url = _validate_url(tx, topic, wanted.url, besides=link_id)
    link.sqlmodel_update({**wanted.model_dump(), "url": url, "kind": wanted.kind or guess_kind(url)})
    events.record_event(tx, me, "topic.link-edited", data=_event_data(topic, link))
    return link


def remove_link(tx: Write, me: CurrentUser, slug: str, link_id: int) -> int:
    """Remove a link and return the id of the undo entry."""
    permissions.require(me, "edit")
    topic, link = _get_link_for_update(tx, slug, link_id)
    tx.delete(link)
    events.record_event(tx, me, "topic.link-removed", data=_event_data(topic, link))
    return undo_log.record_undo_entry(
        tx, me, "topic.link-removed", {"title": link.title or link.url, "row": _row(link)}
    )


def restore_link(tx: Write, me: CurrentUser, kept: Mapping[str, Any]) -> str:
    """Restore a removed link and return its topic's URL.

    Raise Conflict if the topic is gone or the link exists.
    """
    permissions.require(me, "edit")
    topic = tx.get(Topic, kept["topic_id"], with_for_update=True, populate_existing=True)
    if topic is None:
        raise Conflict(_("This topic is gone by now. Nothing was changed; bring it back first."))
    _require_unlinked(tx, topic, kept["url"], besides=None)
    link = TopicLink.model_validate({**kept, "id": None})
    tx.add(link)
    tx.flush()
    events.record_event(tx, me, "topic.link-added", data=_event_data(topic, link))
    return f"/topics/{topic.slug}"


def dump_links(tx: Write, topic_id: int) -> list[dict[str, Any]]:
    """Return the links of a topic as rows for restore_links."""
    mine = sa.select(TopicLink).where(col(TopicLink.topic_id) == topic_id).order_by(col(TopicLink.id))
    return [_row(link) for link in tx.scalars(mine)]


def restore_links(tx: Write, topic_id: int, kept: Sequence[Mapping[str, Any]]) -> None:
    """Recreate links under the topic's new id."""
    tx.add_all(TopicLink.model_validate({**row, "id": None, "topic_id": topic_id}) for row in kept)
    tx.flush()


def guess_kind(url: str) -> str:
    """Guess the kind of a URL by its host."""
    where = urls.split_url(url)
    return next((kind for kind, hosts in KINDS_AT.items() if where and where.is_under(*hosts)), "article")


def _validate_url(tx: Write, topic: Topic, url: str, *, besides: int | None) -> str:
    safe = urls.safe_url(url)
    if safe is None:
        detail = _("This is no web address: it begins with https:// or http://, and names no user.")
        raise invalid_field("/url", "no-address", detail)
    if find_paper(tx, safe) is not None:
        message = _("This is a paper of the library. Nothing was changed: file that under the topic.")
        raise Conflict(message, code="is-paper")
    _require_unlinked(tx, topic, safe, besides=besides)
    return safe


def _require_unlinked(tx: Write, topic: Topic, url: str, *, besides: int | None) -> None:
    others = (row for row in list_links(tx, topic.id or 0) if row.id != besides)
    if urls.canonicalize_url(url) in {urls.canonicalize_url(row.url) for row in others}:
        raise Conflict(_("This link is here already. Nothing was changed."), code="there-already")


def _get_link_for_update(tx: Write, slug: str, link_id: int) -> tuple[Topic, TopicLink]:
    topic = get_topic_for_update(tx, slug)
    link = tx.get(TopicLink, link_id, with_for_update=True, populate_existing=True)
    if link is None or link.topic_id != topic.id:
        raise _not_found(link_id)
    return topic, link


def _row(link: TopicLink) -> dict[str, Any]:
    return link.model_dump(mode="json", exclude={"id"})


def _event_data(topic: Topic, link: TopicLink) -> dict[str, Any]:
    return {"slug": topic.slug, "name": topic.name, "link": link.title or link.url}


def _not_found(link_id: int) -> NotFound:
    return NotFound(_("There is no link {number} under this topic. Nothing was changed.").format(number=link_id))
