"""Turning an unlinked mention into a link, as a new version of the text."""

from typing import Literal, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra import permissions
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Conflict, NotFound
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Comment, Paper, Topic
from readtrack.infra.permissions import CurrentUser
from readtrack.library.references.autocomplete import find_reference_texts
from readtrack.library.references.phrases import insert_link, list_phrases
from readtrack.library.references.resolve import Place
from readtrack.library.topics import queries as topics
from readtrack.library.topics.commands import TopicUpdate, edit_topic
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.reading.summaries.queries import get_summary
from readtrack.team.discussion.commands import CommentUpdate, edit_comment

_ACTS = {"summary": "keep", "topic": "edit", "comment": "discuss"}


class TextRevision(NamedTuple):
    """The text with the mention, and the version that was seen."""

    subject: Literal["summary", "topic", "comment"]
    id: int
    version: int


def link_mention(tx: Write, me: CurrentUser, target: Place, revision: TextRevision) -> None:
    """Insert a link at the first plain mention of the paper or topic in the text.

    Raise StaleVersion if the text was saved in the meantime, Conflict if there is no mention, or any error of editing.
    """
    permissions.require(me, _ACTS[revision.subject])
    {"summary": _link_in_summary, "topic": _link_in_topic, "comment": _link_in_comment}[revision.subject](
        tx, me, target, revision
    )


def _link_in_summary(tx: Write, me: CurrentUser, target: Place, revision: TextRevision) -> None:
    row = get_summary(tx, me, revision.id)
    if row.person_id != me.id:
        raise NotFound(_("Only the author can edit a summary."))
    edit = SummaryUpdate(markdown=_add_link(tx, target, row.markdown), tldr=row.tldr, private=row.private)
    edit_summary(tx, me, row.paper_id, edit, version=revision.version)


def _link_in_comment(tx: Write, me: CurrentUser, target: Place, revision: TextRevision) -> None:
    query = sa.select(col(Comment.markdown)).where(col(Comment.id) == revision.id, col(Comment.person_id) == me.id)
    text = tx.scalar(query.where(col(Comment.deleted_at).is_(None)))
    if text is None:
        raise NotFound(_("Only the author can edit this comment."))
    edit_comment(tx, me, revision.id, CommentUpdate(markdown=_add_link(tx, target, text)), version=revision.version)


def _link_in_topic(tx: Write, me: CurrentUser, target: Place, revision: TextRevision) -> None:
    slug = tx.scalar(sa.select(col(Topic.slug)).where(col(Topic.id) == revision.id))
    topic = topics.get_topic(tx, me, slug or "")
    text = _add_link(tx, target, topic.markdown)
    parent_slug = topic.line[-1][0] if topic.line else None
    edit = TopicUpdate(name=topic.row.name, aliases=list(topic.aliases), parent=parent_slug, markdown=text)
    edit_topic(tx, me, topic.row.slug, edit, version=revision.version)


def _add_link(tx: Read, target: Place, text: str) -> str:
    reference = find_reference_texts(tx, {target: _get_title(tx, target)}).get(target)
    linked_text = insert_link(text, list_phrases(tx, target), reference.partition("|")[0]) if reference else None
    if linked_text is None:
        message = _("The text no longer mentions this name, or already links it.")
        raise Conflict(message)
    return linked_text


def _get_title(tx: Read, target: Place) -> str:
    kind, number = target
    if kind == "topic":
        return tx.scalar(sa.select(col(Topic.name)).where(col(Topic.id) == number)) or ""
    return tx.scalar(sa.select(col(Paper.title)).where(col(Paper.id) == number)) or ""
