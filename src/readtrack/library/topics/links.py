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
from readtrack.infra.text import urls
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.library.papers import lookup
from readtrack.library.topics.commands import get_topic_for_update

Kind = Literal["article", "repository", "tool", "video", "documentation", "other"]
WORDS = {  # Labels by kind.
    "article": N_("article"),
    "repository": N_("repository"),
    "tool": N_("tool"),
    "video": N_("video"),
    "documentation": N_("documentation"),
    "other": N_("other"),
}
KINDS_AT: Mapping[str, Sequence[str]] = {  # By domain, including subdomains.
    "repository": ("github.com", "gitlab.com", "bitbucket.org", "codeberg.org", "gitee.com"),
    "video": ("youtube.com", "youtu.be", "vimeo.com", "bilibili.com"),
    "documentation": ("readthedocs.io", "docs.rs", "docs.python.org", "pytorch.org"),
}
MAX_LINKS = 100  # links per topic


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
        location = urls.split_url(self.url)
        return location.host.removeprefix("www.") if location else ""

    @property
    def display_title(self) -> str:
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
    links = [row for row in list_links(tx, topic_id or 0) if row.id == link_id]
    if not links:
        raise _not_found(link_id)
    return links[0]


def find_paper(tx: Read, url: str) -> int | None:
    """Return the paper with this URL; such a paper is assigned to the topic instead of linked."""
    return lookup.find_by_text(tx, url)[1]


def add_link(tx: Write, me: CurrentUser, slug: str, data: TopicLinkFields) -> TopicLink:
    """Add a link to a topic.

    Raise Invalid if it is not a web address, or Conflict if it exists or is a paper of the library (code "is-paper").
    """
    permissions.require(me, "edit")
    topic = get_topic_for_update(tx, slug)
    url = _validate_url(tx, topic, data.url, exclude_id=None)
    if len(list_links(tx, topic.id or 0)) >= MAX_LINKS:
        raise Conflict(_("A topic can have at most {most} links. Remove one first.").format(most=MAX_LINKS))
    fields = {**data.model_dump(), "url": url, "kind": data.kind or guess_kind(url)}
    link = TopicLink(**fields, topic_id=topic.id or 0, added_by=me.id)
    tx.add(link)
    tx.flush()
    events.record_event(tx, me, "topic.link-added", data=_event_data(topic, link))
    return link


def edit_link(tx: Write, me: CurrentUser, slug: str, link_id: int, *, data: TopicLinkFields) -> TopicLink:
    """Replace a link. Raise the same errors as adding it."""
    permissions.require(me, "edit")
    topic, link = _get_link_for_update(tx, slug, link_id)
    url = _validate_url(tx, topic, data.url, exclude_id=link_id)
    link.sqlmodel_update({**data.model_dump(), "url": url, "kind": data.kind or guess_kind(url)})
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


def restore_link(tx: Write, me: CurrentUser, undo_data: Mapping[str, Any]) -> str:
    """Restore a removed link and return its topic's URL.

    Raise Conflict if the topic is gone or the link exists.
    """
    permissions.require(me, "edit")
    topic = tx.get(Topic, undo_data["topic_id"], with_for_update=True, populate_existing=True)
    if topic is None:
        raise Conflict(_("The topic no longer exists. Restore it first."))
    _require_unlinked(tx, topic, undo_data["url"], exclude_id=None)
    link = TopicLink.model_validate({**undo_data, "id": None})
    tx.add(link)
    tx.flush()
    events.record_event(tx, me, "topic.link-added", data=_event_data(topic, link))
    return f"/topics/{topic.slug}"


def dump_links(tx: Write, topic_id: int) -> list[dict[str, Any]]:
    """Return the links of a topic as rows for restore_links."""
    query = sa.select(TopicLink).where(col(TopicLink.topic_id) == topic_id).order_by(col(TopicLink.id))
    return [_row(link) for link in tx.scalars(query)]


def restore_links(tx: Write, topic_id: int, rows: Sequence[Mapping[str, Any]]) -> None:
    """Recreate links under the topic's new id."""
    tx.add_all(TopicLink.model_validate({**row, "id": None, "topic_id": topic_id}) for row in rows)
    tx.flush()


def guess_kind(url: str) -> str:
    """Guess the kind of a URL by its host."""
    location = urls.split_url(url)
    return next((kind for kind, hosts in KINDS_AT.items() if location and location.is_under(*hosts)), "article")


def _validate_url(tx: Write, topic: Topic, url: str, *, exclude_id: int | None) -> str:
    safe_address = urls.safe_url(url)
    if safe_address is None:
        detail = _("Enter an http:// or https:// address without a user name.")
        raise invalid_field("/url", "no-address", detail)
    if find_paper(tx, safe_address) is not None:
        message = _("This is a paper in the library. Add it to the topic instead.")
        raise Conflict(message, code="is-paper")
    _require_unlinked(tx, topic, safe_address, exclude_id=exclude_id)
    return safe_address


def _require_unlinked(tx: Write, topic: Topic, url: str, *, exclude_id: int | None) -> None:
    other_links = (row for row in list_links(tx, topic.id or 0) if row.id != exclude_id)
    if urls.canonicalize_url(url) in {urls.canonicalize_url(row.url) for row in other_links}:
        raise Conflict(_("Already added."), code="there-already")


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
    return NotFound(_("Link {number} not found.").format(number=link_id))
