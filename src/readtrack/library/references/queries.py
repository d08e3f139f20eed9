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
