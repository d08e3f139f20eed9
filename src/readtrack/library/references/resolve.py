"""Resolution of references: topics by name, papers by title or identifier."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.prefix_match import starts_with
from readtrack.infra.models import Identifier, Paper, Topic, TopicAlias
from readtrack.markdown.reference_keys import BY_NAME, BY_REF
from readtrack.markdown.render_context import Target
from readtrack.metadata.sources import by_name
from readtrack.metadata.types import Ref

Kind: TypeAlias = Literal["paper", "topic"]
Place: TypeAlias = tuple[Kind, int]  # kind and id of a target
MOST_SHORT = 20  # short names per text that are looked up
_NAMES: Any = sa.bindparam("names", expanding=True)
_SCHEMES: Any = sa.bindparam("schemes", expanding=True)
_VALUES: Any = sa.bindparam("values", expanding=True)
_IDS: Any = sa.bindparam("ids", expanding=True)
_Asked: TypeAlias = sa.Select[*tuple[Any, ...]]


_TOPICS_NAMED: _Asked = sa.select(col(TopicAlias.alias_key), col(TopicAlias.topic_id)).where(
    col(TopicAlias.alias_key).in_(_NAMES)
)
_TOPICS_AT: _Asked = sa.select(col(Topic.slug), col(Topic.id)).where(col(Topic.slug).in_(_NAMES))
_TITLED: _Asked = (
    sa.select(col(Paper.title_key), col(Paper.id))
    .where(col(Paper.title_key).in_(_NAMES), col(Paper.deleted_at).is_(None))
    # Later rows overwrite earlier ones: the oldest present paper wins
    .order_by(col(Paper.merged_into).is_(None), col(Paper.id).desc())
)
_IDENTIFIED = sa.select(col(Identifier.scheme), col(Identifier.value), col(Identifier.paper_id)).where(
    col(Identifier.scheme).in_(_SCHEMES), col(Identifier.value).in_(_VALUES)
)
_PAPERS: _Asked = sa.select(col(Paper.id), col(Paper.title), col(Paper.deleted_at), col(Paper.merged_into)).where(
    col(Paper.id).in_(_IDS)
)
_FIRST_NAMES = (
    sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    .where(col(Identifier.paper_id).in_(_IDS))
    .order_by(col(Identifier.id).desc())
)
_TOPICS = sa.select(col(Topic.id), col(Topic.slug), col(Topic.name)).where(col(Topic.id).in_(_IDS))
_SHORT_NAME: Any = sa.bindparam("short", type_=sa.String())
_HERE: _Asked = (
    sa.select(col(Paper.id)).where(col(Paper.deleted_at).is_(None), col(Paper.merged_into).is_(None)).limit(2)
)
_SHORT = _HERE.where(starts_with(col(Paper.title_key), _SHORT_NAME + ":"))


def find_places(tx: Read, keys: Collection[str]) -> dict[str, Place]:
    """Resolve keys to targets, omitting unknown ones.

    Topics take precedence over papers of the same title.
    """
    titles = [key.removeprefix(BY_NAME) for key in keys if key.startswith(BY_NAME)]
    targets: dict[str, Place] = {}
    if titles:
        parameters = {"names": titles}
        targets |= {BY_NAME + row[0]: ("paper", row[1]) for row in tx.rows(_TITLED, parameters)}
        targets |= {BY_NAME + row[0]: ("topic", row[1]) for row in tx.rows(_TOPICS_AT, parameters)}
        targets |= {BY_NAME + row[0]: ("topic", row[1]) for row in tx.rows(_TOPICS_NAMED, parameters)}
    return targets | _find_identified_papers(tx, keys)


def find_short(tx: Read, keys: Iterable[str]) -> dict[str, Place]:
    """Resolve names to papers whose title begins with them and a colon, if unique."""
    targets: dict[str, Place] = {}
    for key in [key for key in keys if key.startswith(BY_NAME)][:MOST_SHORT]:
        papers = tx.rows(_SHORT, {"short": key.removeprefix(BY_NAME)})
        if len(papers) == 1:
            targets[key] = ("paper", papers[0].id)
    return targets


def find_targets(tx: Read, references: Iterable[Place]) -> dict[Place, Target]:
    """Return URL and title of each target, following merges; deleted ones are left out."""
    papers, topics = (
        {number for kind, number in {*references} if kind == wanted_kind} for wanted_kind in ("paper", "topic")
    )
    targets: dict[Place, Target] = {}
    if topics:
        rows = tx.rows(_TOPICS, {"ids": sorted(topics)})
        targets |= {("topic", row.id): Target(f"/topics/{quote(row.slug)}", row.name) for row in rows}
    return targets | _papers(tx, papers)


def find_survivors(tx: Read, numbers: Collection[int]) -> dict[int, int]:
    """Return the present paper for each id, following merges."""
    return {number: row.id for number, row in _find_present_papers(tx, numbers).items()}


def find_identifiers(tx: Read, numbers: Sequence[int]) -> dict[int, str]:
    """Return the main identifier of each paper, such as `arxiv:2305.15778`."""
    return {row.paper_id: f"{row.scheme}:{row.value}" for row in tx.rows(_FIRST_NAMES, {"ids": numbers})}


def _find_identified_papers(tx: Read, keys: Collection[str]) -> dict[str, Place]:
    refs = [Ref.parse(key.removeprefix(BY_REF)) for key in keys if key.startswith(BY_REF)]
    if not refs:
        return {}
    parameters = {"schemes": sorted({ref.scheme for ref in refs}), "values": sorted({ref.key for ref in refs})}
    rows = tx.rows(_IDENTIFIED, parameters)
    papers: dict[str, Place] = {f"{BY_REF}{row.scheme}:{row.value}": ("paper", row.paper_id) for row in rows}
    return {key: target for key, target in papers.items() if key in keys}


def _papers(tx: Read, numbers: Collection[int]) -> dict[Place, Target]:
    present_papers = _find_present_papers(tx, numbers) if numbers else {}
    identifiers = (
        find_identifiers(tx, [row.id for row in present_papers.values() if not row.title]) if present_papers else {}
    )
    return {
        ("paper", number): Target(f"/papers/{row.id}", row.title or _label(identifiers.get(row.id, "")))
        for number, row in present_papers.items()
    }


def _find_present_papers(tx: Read, numbers: Collection[int]) -> dict[int, sa.Row[Any]]:
    """Return the row of each paper or of its surviving paper, following chains of merges; none if deleted."""
    rows: dict[int, sa.Row[Any]] = {}
    missing_ids = {*numbers}
    while missing_ids:
        rows |= {row.id: row for row in tx.rows(_PAPERS, {"ids": sorted(missing_ids)})}
        missing_ids = {row.merged_into for row in rows.values() if row.merged_into} - rows.keys()
    surviving = {number: _follow_merges(rows, number) for number in numbers if number in rows}
    return {number: row for number, row in surviving.items() if row.deleted_at is None}


def _follow_merges(rows: Mapping[int, sa.Row[Any]], number: int) -> sa.Row[Any]:
    row = rows[number]
    while row.merged_into:
        row = rows[row.merged_into]
    return row


def _label(identifier: str) -> str:
    scheme, _separator, key = identifier.partition(":")
    return by_name(scheme).label(key) if key else ""
