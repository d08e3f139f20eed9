"""Many papers filed under topics at once: what topics are called, and the papers under them, in a few statements."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa
from sqlmodel import col

from readtrack import events, names, policy, search
from readtrack.db import Read, Write
from readtrack.models import PaperTopic, Topic, TopicAlias
from readtrack.policy import Visitor
from readtrack.topics.commands import as_name

AT_ONCE = 500  # names in one statement


def find_ids(tx: Read, wanted: Collection[str]) -> dict[str, int]:
    """The topics that have these names, their own or aliases, by the name as it was asked for; blank ones name none."""
    keys = {name: names.key(as_name(name)) for name in wanted if as_name(name)}
    asked, found = sorted(set(keys.values())), dict[str, int]()
    here = sa.select(col(TopicAlias.alias_key), col(TopicAlias.topic_id))
    for start in range(0, len(asked), AT_ONCE):
        these = here.where(col(TopicAlias.alias_key).in_(asked[start : start + AT_ONCE]))
        found.update((row.alias_key, row.topic_id) for row in tx.rows(these))
    return {name: found[key] for name, key in keys.items() if key in found}


def file_new(tx: Write, me: Visitor, filed: Sequence[tuple[int, int]]) -> None:
    """Files papers that this transaction has added, each given with a topic's id; once, however often it is said."""
    policy.require(me, "edit")
    pairs = list(dict.fromkeys(filed))
    if not pairs:
        return
    slugs = sa.select(col(Topic.id), col(Topic.slug)).where(col(Topic.id).in_({topic_id for _, topic_id in pairs}))
    named = {row.id: row.slug for row in tx.rows(slugs)}
    rows = [{"paper_id": paper_id, "topic_id": topic_id, "added_by": me.id} for paper_id, topic_id in pairs]
    tx.connection().execute(sa.insert(PaperTopic.__table__), rows)  # type: ignore[attr-defined]
    told = ((paper_id, {"slug": named[topic_id]}) for paper_id, topic_id in pairs)
    events.record_many(tx, me, "topic.linked", told)
    search.update_papers(tx, {paper_id for paper_id, _ in pairs})
