"""Questions about what texts name."""

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

TextKey: TypeAlias = tuple[Literal["summary", "topic", "comment"], int]  # a text that is kept: what it is, which one
_Meant: TypeAlias = dict[
    str, dict[str, Place | None]
]  # by text: key -> what it was bound to; None: what it means today
_COLUMNS: Sequence[Any] = (
    TextReference.subject, TextReference.subject_id, TextReference.key, TextReference.paper_id, TextReference.topic_id,
)  # fmt: skip
_KEPT: sa.Select[*tuple[Any, ...]] = sa.select(*map(col, _COLUMNS)).where(
    col(TextReference.subject).in_(sa.bindparam("subjects", expanding=True)),
    col(TextReference.subject_id).in_(sa.bindparam("ids", expanding=True)),
)


def get_render_context(tx: Read, texts: Sequence[str], of: Sequence[TextKey | None] = ()) -> RenderContext:
    """What these texts are shown among; the same few statements however many texts.

    `of`: which kept texts they are, in the same order; what these named when they were saved they lead to still. Others
    are read, and their names mean what they mean today.
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
    """What each was bound to when it was saved. Of two that say the very same, one says what it means in both."""
    meant: _Meant = {text: {} for text in texts.values()}
    if not texts:
        return meant
    subjects, ids = zip(*texts, strict=True)
    for row in tx.rows(_KEPT, {"subjects": sorted({*subjects}), "ids": sorted({*ids})}):
        text = texts.get((row.subject, row.subject_id))
        if text is not None:
            meant[text][row.key] = bound_place(row) or meant[text].get(row.key)
    return meant


def bound_place(row: Any) -> Place | None:  # noqa: ANN401 - of text_reference
    """What a name was bound to."""
    if row.paper_id:
        return "paper", row.paper_id
    return ("topic", row.topic_id) if row.topic_id else None
