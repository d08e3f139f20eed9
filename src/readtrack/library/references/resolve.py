"""Resolution of references: topics by name, papers by title or identifier; and the render context of texts."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, Literal, TypeAlias
from urllib.parse import quote

import sqlalchemy as sa
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import starts_with
from readtrack.infra.models import Identifier, Paper, TextReference, Topic, TopicAlias
from readtrack.library.latex_macros.queries import find_macros
from readtrack.library.references.people import find_people
from readtrack.markdown.references import BY_NAME, BY_REF
from readtrack.markdown.render_context import References, RenderContext, Target
from readtrack.metadata.sources import by_name
from readtrack.metadata.types import Ref

Kind: TypeAlias = Literal["paper", "topic"]
Place: TypeAlias = tuple[Kind, int]  # kind and id of a target
MAX_SHORT_NAMES = 20  # short names per text that are looked up
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
_COLUMNS: Sequence[Any] = (
    TextReference.subject, TextReference.subject_id, TextReference.key, TextReference.paper_id, TextReference.topic_id,
)  # fmt: skip
_KEPT: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, _COLUMNS)).where(
    col(TextReference.subject).in_(sa.bindparam("subjects", expanding=True)),
    col(TextReference.subject_id).in_(sa.bindparam("ids", expanding=True)),
)


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
    for key in [key for key in keys if key.startswith(BY_NAME)][:MAX_SHORT_NAMES]:
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


TextKey: TypeAlias = tuple[Literal["summary", "topic", "comment"], int]  # kind and id of a stored text
_Meant: TypeAlias = dict[
    str, dict[str, Place | None]
    # By text: key -> stored target; None means that the key is resolved now.
]


def get_render_context(tx: Read, texts: Sequence[str], text_keys: Sequence[TextKey | None] = ()) -> RenderContext:
    """Return the render context of these texts in a fixed number of statements.

    `text_keys`: which stored texts they are, in the same order; their references keep the target from when they were
    saved. References of other texts are resolved now.
    """
    macros = find_macros(tx) if any("$" in text for text in texts) else {}
    return RenderContext(people=find_people(tx, texts), references=_references(tx, texts, text_keys), macros=macros)


def _references(tx: Read, texts: Sequence[str], text_keys: Sequence[TextKey | None]) -> Mapping[str, References]:
    saved_texts = {text_key: text for text, text_key in zip_longest(texts, text_keys) if text_key and text}
    typed_keys = {
        text: markdown.list_reference_keys(text)
        for text, text_key in zip_longest(texts, text_keys)
        if text and not text_key
    }
    targets_by_text: _Meant = {
        **_find_saved_targets(tx, saved_texts),
        **{text: dict.fromkeys(keys) for text, keys in typed_keys.items()},
    }
    unbound_keys = {key for keys in targets_by_text.values() for key, target in keys.items() if target is None}
    current_targets = find_places(tx, unbound_keys)
    current_targets |= find_short(
        tx, {key for keys in typed_keys.values() for key in keys if key not in current_targets}
    )
    targets = find_targets(
        tx,
        {target for keys in targets_by_text.values() for target in keys.values() if target}
        | {*current_targets.values()},
    )
    return {text: _build_references(keys, current_targets, targets) for text, keys in targets_by_text.items()}


def _build_references(
    keys: Mapping[str, Place | None], current_targets: Mapping[str, Place], targets: Mapping[Place, Any]
) -> References:
    bound_targets = {key: target or current_targets.get(key) for key, target in keys.items()}
    return MappingProxyType(
        {key: targets[target] for key, target in bound_targets.items() if target and target in targets}
    )


def _find_saved_targets(tx: Read, texts: Mapping[TextKey, str]) -> _Meant:
    """Return the stored targets of references. Texts with equal content share their targets."""
    targets_by_text: _Meant = {text: {} for text in texts.values()}
    if not texts:
        return targets_by_text
    subjects, ids = zip(*texts, strict=True)
    for row in tx.rows(_KEPT, {"subjects": sorted({*subjects}), "ids": sorted({*ids})}):
        text = texts.get((row.subject, row.subject_id))
        if text is not None:
            targets_by_text[text][row.key] = bound_place(row) or targets_by_text[text].get(row.key)
    return targets_by_text


def bound_place(row: Any) -> Place | None:  # noqa: ANN401 - a row of text_reference
    """Return the target that a reference is bound to, or None."""
    if row.paper_id:
        return "paper", row.paper_id
    return ("topic", row.topic_id) if row.topic_id else None
