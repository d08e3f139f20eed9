"""Lookup of papers by identifier, title or free text, and the test for titles distinctive enough for that."""

import re
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.db.conditions import in_text_list, is_one_of_pairs
from readtrack.infra.models import Identifier, Paper
from readtrack.infra.models.columns import MAX_KEY_CHARS
from readtrack.infra.permissions import find_surviving_paper, is_present
from readtrack.infra.text import normalize, urls
from readtrack.infra.text.titles.site_suffixes import without_tails
from readtrack.metadata import sources
from readtrack.metadata.types import Ref

_ADDRESS = re.compile(r"\S*://|(?:javascript|data|vbscript|file|blob):\S", re.IGNORECASE)  # anything else is a title
MAX_PER_LINE = 100
_BETWEEN = re.compile(r"[\s,;、，；]+")
_WORD = re.compile(r"[^\W_]+")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_MIN_WORDS, _MIN_LETTERS, _MIN_CJK_LETTERS = 4, 20, 8


class SharedPage(NamedTuple):
    """A page to save, as a browser or phone hands it over. `title` is blank if metadata services know better."""

    address: str
    title: str


def find_by_ref(tx: Read, ref: Ref) -> int | None:
    """Return the paper with this identifier, even if deleted: an identifier is never reused."""
    query = sa.select(col(Identifier.paper_id)).where(
        col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key
    )
    return tx.scalar(query)


def find_by_refs(tx: Read, refs: Sequence[Ref]) -> dict[Ref, int]:
    """Return the paper of each identifier in one statement, even if deleted."""
    if not refs:
        return {}
    query = sa.select(col(Identifier.scheme), col(Identifier.value), col(Identifier.paper_id))
    is_listed_ref = is_one_of_pairs(
        col(Identifier.scheme), col(Identifier.value), [(ref.scheme, ref.key) for ref in refs]
    )
    return {Ref(row.scheme, row.value): row.paper_id for row in tx.execute(query.where(is_listed_ref))}


def find_by_title(tx: Read, title: str) -> int | None:
    """Return the oldest paper without identifier that has exactly this title.

    If it was merged, return the surviving paper.
    """
    is_unidentified = ~sa.exists().where(col(Identifier.paper_id) == col(Paper.id))
    query = (
        sa.select(col(Paper.id))
        .where(col(Paper.title_key) == normalize.key(title), is_unidentified)
        .order_by(col(Paper.id))
    )
    paper_id = tx.scalar(query.limit(1))
    return paper_id and (find_surviving_paper(tx, paper_id) or paper_id)


def find_by_text(tx: Read, text: str) -> tuple[str | None, int | None]:
    """Parse an identifier and return it with the visible paper that has it; None for each if unknown."""
    ref = sources.parse_ref(text)
    if ref is None:
        return None, None
    query = sa.select(col(Paper.id)).join(Identifier, col(Identifier.paper_id) == col(Paper.id))
    return str(ref), tx.scalar(
        query.where(is_present(Paper), col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key)
    )


def parse_paper_line(line: str) -> list[dict[str, str]]:
    """Parse a line into inputs for adding papers.

    If it consists of identifiers and links, each is an input; otherwise the line is one title.
    """
    parts = [part for part in _BETWEEN.split(line) if part][:MAX_PER_LINE]
    if len(parts) > 1 and all(map(sources.parse_ref, parts)):
        return [{"identifier": part} for part in parts]
    return [{"identifier": line} if sources.parse_ref(line) or _ADDRESS.match(line) else {"title": line}]


class TitleMatch(NamedTuple):
    """A paper with a given title. `exists`: not deleted."""

    id: int
    exists: bool


def is_distinctive(title: str) -> bool:
    """Return True if a title is long enough to identify one work; “Gemini” is not."""
    key = normalize.key(title)
    words = _WORD.findall(key)
    is_long_enough = len(words) >= _MIN_WORDS and sum(map(len, words)) >= _MIN_LETTERS
    return is_long_enough or len(_CJK.findall(key)) >= _MIN_CJK_LETTERS


def find_papers_by_title(
    tx: Read, titles: Collection[str], *, without_identifiers: bool = False
) -> dict[tuple[str, str], TitleMatch]:
    """Return papers by (kind, title key); the oldest that is not deleted if there are several.

    Merged papers are replaced by their surviving paper. `without_identifiers`: only papers without identifier, and no
    merged ones.
    """
    query = _UNIDENTIFIED_BY_TITLE if without_identifiers else _BY_TITLE
    matches: dict[tuple[str, str], TitleMatch] = {}
    for kind, key, paper_id, exists, is_merged in tx.rows(query, {"keys": sorted({*map(to_title_key, titles)})}):
        if (kind, key) not in matches:
            matches[kind, key] = _get_survivor(tx, paper_id) if is_merged else TitleMatch(paper_id, bool(exists))
    return matches


def _get_survivor(tx: Read, paper_id: int) -> TitleMatch:
    survivor = find_surviving_paper(tx, paper_id) or paper_id
    query = sa.select(col(Paper.id)).where(col(Paper.id) == survivor, col(Paper.deleted_at).is_(None))
    return TitleMatch(survivor, tx.scalar(query) is not None)


def list_unidentified(tx: Read, ids: Collection[int]) -> set[int]:
    """Return those of the papers that have no identifier."""
    if not ids:
        return set()
    query = sa.select(col(Paper.id)).where(col(Paper.id).in_(ids), without_identifier())
    return {paper_id for paper_id in tx.scalars(query) if paper_id}


def to_title_key(title: str) -> str:
    """Return the title as stored for comparison."""
    return normalize.key(title)[:MAX_KEY_CHARS]


def without_identifier() -> sa.ColumnElement[bool]:
    """Return the condition for papers without an identifier."""
    return ~sa.exists().where(col(Identifier.paper_id) == col(Paper.id))


def _title_query(*conditions: sa.ColumnElement[bool]) -> sa.Select[*tuple[Any, ...]]:
    is_existing = col(Paper.deleted_at).is_(None).label("there")
    merged = col(Paper.merged_into).is_not(None).label("merged")
    query = sa.select(col(Paper.kind), col(Paper.title_key), col(Paper.id), is_existing, merged)
    query = query.where(in_text_list(col(Paper.title_key), "keys"), *conditions)
    return query.order_by(is_existing.desc(), merged, col(Paper.id))


_BY_TITLE = _title_query()
_UNIDENTIFIED_BY_TITLE = _title_query(without_identifier(), col(Paper.merged_into).is_(None))


def find_shared_page(url: str, title: str, text: str) -> SharedPage:
    """Return the page in what was shared; without an address, a title alone."""
    addresses = [address for field in (url, text, title) for _start, _end, address in urls.find_addresses(field)]
    if not addresses:
        return SharedPage(url.strip(), (title or text).strip())
    ref = sources.parse_ref(addresses[0])
    is_web_page = ref is None or ref.scheme == "url"
    own_title = "" if urls.find_addresses(title) else without_tails(title.strip(), addresses[0])
    return SharedPage(addresses[0], own_title if is_web_page else "")
