"""Citation keys such as `he2024unicron`, by which documents refer to papers in exported bibliographies.

A paper gets its key from the file that it is imported from, or when its title and authors are known. It keeps the key
until a person changes it, because documents use it. Keys are unique in the library regardless of case, as BibTeX
compares them.
"""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read, Write
from readtrack.infra.errors import invalid_field
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Paper
from readtrack.infra.text.person_names import name_parts

MAX_KEY_CHARS = 100
PATTERN = r"([A-Za-z0-9][A-Za-z0-9:_.+/-]*)?"
FORM = N_("Use the letters A–Z, digits and : _ . + / -, starting with a letter or digit.")
_PAPERS: sa.Table = Paper.__table__  # type: ignore[attr-defined]
_SMALL_WORDS = {"a", "an", "the", "on", "of", "for", "in", "to", "and", "with", "is", "are", "at", "by", "from"}
_SET_KEY = sa.update(_PAPERS).where(_PAPERS.c.id == sa.bindparam("paper_id")).values(citation_key=sa.bindparam("key"))
_PROVISIONAL = re.compile(r"paper\d+")
_KEY: sa.ColumnElement[str] = sa.func.lower(col(Paper.citation_key))


def display_key(stored_key: str | None, paper_id: int) -> str:
    """Return the key of a paper; it is provisional while title or authors are unknown."""
    return stored_key or f"paper{paper_id}"


def build_key(paper_id: int, title: str, authors: Sequence[str], year: int | None) -> str:
    """Return a key of the first author's family name, the year and the first word of the title."""
    family = "".join(_ascii_words(name_parts(authors[0]).family)) if authors else ""
    word = next((word for word in _ascii_words(title) if word not in _SMALL_WORDS), f"paper{paper_id}")
    return f"{family or 'anon'}{year or ''}{word}"[:MAX_KEY_CHARS]


def assign_citation_keys(tx: Write, paper_ids: Sequence[int]) -> None:
    """Give keys to those of the papers that have title and authors but no key yet.

    If another paper has the key, the ID is appended; if a person gave it that key too, the provisional one is kept.
    """
    columns: Sequence[Any] = (Paper.id, Paper.title, Paper.authors, Paper.year, Paper.published_on)
    query = sa.select(*map(col, columns)).where(
        col(Paper.id).in_(paper_ids), col(Paper.citation_key).is_(None), col(Paper.title) != ""
    )
    rows = [row for row in tx.execute(query.order_by(col(Paper.id))) if row.authors]
    if not rows:
        return
    keys = {row.id: build_key(row.id, row.title, row.authors, _year(row.year, row.published_on)) for row in rows}
    longer_keys = {paper_id: f"{key}-{paper_id}" for paper_id, key in keys.items()}
    used_keys = set(tx.scalars(sa.select(_KEY).where(_KEY.in_([*keys.values(), *longer_keys.values()]))))
    values = []
    for paper_id, key in keys.items():
        candidates = (key, longer_keys[paper_id], display_key(None, paper_id))  # Nobody can take the last one.
        values.append({"paper_id": paper_id, "key": next(one for one in candidates if one not in used_keys)})
        used_keys.add(key)
    tx.connection().execute(_SET_KEY, values)


def adopt_citation_keys(tx: Write, keys: Mapping[int, str]) -> None:
    """Give papers the keys that an imported file has for them, except invalid ones and those that others have."""
    paper_ids: dict[str, int] = {}
    for paper_id, key in keys.items():
        if 0 < len(key) <= MAX_KEY_CHARS and re.fullmatch(PATTERN, key) and not _PROVISIONAL.fullmatch(key.lower()):
            paper_ids.setdefault(key.lower(), paper_id)
    used_keys = set(tx.scalars(sa.select(_KEY).where(_KEY.in_(paper_ids), col(Paper.id).not_in(paper_ids.values()))))
    values = [
        {"paper_id": paper_id, "key": keys[paper_id]} for key, paper_id in paper_ids.items() if key not in used_keys
    ]
    if values:  # first without keys, as two papers may exchange theirs
        changed_ids = [value["paper_id"] for value in values]
        tx.execute(sa.update(_PAPERS).where(_PAPERS.c.id.in_(changed_ids)).values(citation_key=None))
        tx.connection().execute(_SET_KEY, values)


def has_citation_key(tx: Read, paper_id: int) -> bool:
    """Return True if the key of a paper is not provisional."""
    return tx.scalar(sa.select(col(Paper.citation_key)).where(col(Paper.id) == paper_id)) is not None


def require_unused_key(tx: Read, paper_id: int, key: str) -> None:
    """Raise Invalid if another paper has the key."""
    query: sa.Select[Any] = sa.select(col(Paper.id)).where(_KEY.in_([key.lower()]), col(Paper.id) != paper_id)
    other_id = tx.scalar(query.limit(1))
    is_provisional = _PROVISIONAL.fullmatch(key.lower()) and key.lower() != display_key(None, paper_id)
    if other_id is not None or is_provisional:
        message = _("Another paper has this citation key.")
        raise invalid_field("/citation_key", "taken", message)


def _year(year: int | None, published_on: date | None) -> int | None:
    return year or (published_on.year if published_on else None)


def _ascii_words(text: str) -> list[str]:
    decomposed = unicodedata.normalize("NFKD", text).replace("'", "").replace("’", "")
    base_text = "".join(letter for letter in decomposed if not unicodedata.combining(letter))
    return re.findall(r"[a-z0-9]+", base_text.lower())
