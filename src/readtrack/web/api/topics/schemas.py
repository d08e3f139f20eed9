"""Schemas of topics, and their conversion to JSON."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel

from readtrack.library.topics.queries import TopicDetail, TopicRow
from readtrack.web.responses.json import etag


class TopicRead(BaseModel):
    """A topic in a list.

    `papers`: including subtopics; `read`: papers that someone has read; `parent`: a slug.
    """

    slug: str
    name: str
    aliases: list[str]
    parent: str | None
    children: int
    papers: int
    read: int


class TopicDetailRead(TopicRead):
    """A topic with all its data.

    `line`: its ancestors, outermost first; `below`: its direct subtopics.
    """

    markdown: str
    version: int
    created_at: datetime
    updated_at: datetime
    line: list[dict[str, str]]
    below: list[dict[str, str]]


def etag_header(topic: TopicDetail) -> dict[str, str]:
    return {"ETag": etag(topic.row.id, topic.version)}


def topic_json(row: TopicRow, aliases: Sequence[str]) -> dict[str, Any]:
    numbers = {"children": row.children, "papers": row.papers, "read": row.read}
    return {"slug": row.slug, "name": row.name, "aliases": aliases, "parent": row.parent, **numbers}


def topic_detail_json(topic: TopicDetail) -> dict[str, Any]:
    text = {"markdown": topic.markdown, "version": topic.version}
    timestamps = {"created_at": topic.created_at, "updated_at": topic.updated_at}
    ancestors = [{"slug": slug, "name": name} for slug, name in topic.line]
    subtopics = [{"slug": row.slug, "name": row.name} for row in topic.subtopics]
    return {**topic_json(topic.row, topic.aliases), **text, **timestamps, "line": ancestors, "below": subtopics}
