"""Queries for references in texts, as needed for rendering."""

from collections.abc import Mapping, Sequence
from itertools import zip_longest
from types import MappingProxyType
from typing import Any, Literal, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read
from readtrack.infra.models import TextReference
from readtrack.library.latex_macros.queries import find_macros
from readtrack.library.references.people import find_people
from readtrack.library.references.resolve import Place, find_places, find_short, find_targets
from readtrack.markdown.render_context import References, RenderContext

TextKey: TypeAlias = tuple[Literal["summary", "topic", "comment"], int]  # kind and id of a stored text
_Meant: TypeAlias = dict[
    str, dict[str, Place | None]
    # By text: key -> stored target; None means that the key is resolved now.
]
_COLUMNS: Sequence[Any] = (
    TextReference.subject, TextReference.subject_id, TextReference.key, TextReference.paper_id, TextReference.topic_id,
)  # fmt: skip
_KEPT: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, _COLUMNS)).where(
    col(TextReference.subject).in_(sa.bindparam("subjects", expanding=True)),
    col(TextReference.subject_id).in_(sa.bindparam("ids", expanding=True)),
)


def get_render_context(tx: Read, texts: Sequence[str], of: Sequence[TextKey | None] = ()) -> RenderContext:
    """Return the render context of these texts in a fixed number of statements.

    `of`: which stored texts they are, in the same order; their references keep the target from when they were saved.
    References of other texts are resolved now.
    """
    macros = find_macros(tx) if any("$" in text for text in texts) else {}
    return RenderContext(people=find_people(tx, texts), references=_references(tx, texts, of), macros=macros)


def _references(tx: Read, texts: Sequence[str], of: Sequence[TextKey | None]) -> Mapping[str, References]:
    kept = {written: text for text, written in zip_longest(texts, of) if written and text}
    typed = {
        text: markdown.list_reference_keys(text) for text, written in zip_longest(texts, of) if text and not written
    }
    meant: _Meant = {**_find_saved_targets(tx, kept), **{text: dict.fromkeys(keys) for text, keys in typed.items()}}
    loose = {key for keys in meant.values() for key, place in keys.items() if place is None}
    today = find_places(tx, loose)
    today |= find_short(tx, {key for keys in typed.values() for key in keys if key not in today})
    targets = find_targets(
        tx, {place for keys in meant.values() for place in keys.values() if place} | {*today.values()}
    )
    return {text: _build_references(keys, today, targets) for text, keys in meant.items()}


def _build_references(
    keys: Mapping[str, Place | None], today: Mapping[str, Place], targets: Mapping[Place, Any]
) -> References:
    led = {key: place or today.get(key) for key, place in keys.items()}
    return MappingProxyType({key: targets[place] for key, place in led.items() if place and place in targets})


def _find_saved_targets(tx: Read, texts: Mapping[TextKey, str]) -> _Meant:
    """Return the stored targets of references. Texts with equal content share their targets."""
    meant: _Meant = {text: {} for text in texts.values()}
    if not texts:
        return meant
    subjects, ids = zip(*texts, strict=True)
    for row in tx.rows(_KEPT, {"subjects": sorted({*subjects}), "ids": sorted({*ids})}):
        text = texts.get((row.subject, row.subject_id))
        if text is not None:
            meant[text][row.key] = bound_place(row) or meant[text].get(row.key)
    return meant


def bound_place(row: Any) -> Place | None:  # noqa: ANN401 - a row of text_reference
    """Return the target that a reference is bound to, or None."""
    if row.paper_id:
        return "paper", row.paper_id
    return ("topic", row.topic_id) if row.topic_id else None
