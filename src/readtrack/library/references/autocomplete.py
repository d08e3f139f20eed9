"""Autocompletion of `[[`: papers and topics, each written so that the reference is unambiguous."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.db.prefix_match import starts_with
from readtrack.infra.models import Paper, Topic, TopicAlias
from readtrack.infra.permissions import is_listed
from readtrack.infra.text import normalize
from readtrack.library.references.resolve import Kind, Place, find_identifiers, find_places, find_survivors
from readtrack.markdown import reference_keys

MOST = 8
SHORTEST_PREFIX = 3  # minimum characters of a prefix that the index can search
LONGEST = 100  # characters of input that are considered
_NEVER = frozenset("[]|\n")  # characters not allowed between brackets


class ReferenceSuggestion(NamedTuple):
    """A suggestion: the title, and the reference to insert."""

    kind: Kind
    title: str
    written: str


def suggest_references(tx: Read, beginning: str) -> list[ReferenceSuggestion]:
    """Return topics, then papers, with a name or a word of it that begins with the input."""
    key = normalize.key(normalize.clean(beginning))
    if not 0 < len(key) <= LONGEST:
        return []
    called = {**_topics(tx, key), **_papers(tx, beginning, key)}
    how = find_reference_texts(tx, called)
    return [
        ReferenceSuggestion(place[0], title, f"[[{how[place]}]]") for place, title in called.items() if place in how
    ][:MOST]


def find_reference_texts(tx: Read, called: dict[Place, str]) -> dict[Place, str]:
    """Return the text between brackets that refers to each target.

    That is its name, or identifier and title for papers with an ambiguous title or one not allowed in brackets. Targets
    with neither are left out.
    """
    keys = {place: reference_keys.key_of_name(title) for place, title in called.items() if _is_valid_key(title)}
    led = find_places(tx, {*keys.values()})
    papers = find_survivors(tx, {number for kind, number in led.values() if kind == "paper"})
    how = {place: called[place] for place, key in keys.items() if _is_unambiguous(led.get(key), place, papers)}
    rest = [number for kind, number in called if kind == "paper" and (kind, number) not in how]
    for number, identifier in (find_identifiers(tx, rest) if rest else {}).items():
        if reference_keys.key_of(identifier) == reference_keys.BY_REF + identifier and not _NEVER & {*identifier}:
            how["paper", number] = f"{identifier}|{_clean_title(called['paper', number])}"
    return how


def _is_unambiguous(led: Place | None, place: Place, papers: dict[int, int]) -> bool:
    if led is None or led[0] == "topic":
        return led == place
    return ("paper", papers.get(led[1], 0)) == place


def _topics(tx: Read, key: str) -> dict[Place, str]:
    alias = col(TopicAlias.alias_key)
    first = alias.startswith(key, autoescape=True)
    inside = alias.contains(f" {key}" if key.isascii() else key, autoescape=True)
    ranked = sa.func.max(sa.case((first, 1), else_=0)).desc()
    query = sa.select(col(Topic.id), col(Topic.name)).join(TopicAlias, col(TopicAlias.topic_id) == col(Topic.id))
    query = query.where(sa.or_(first, inside)).group_by(col(Topic.id), col(Topic.name))
    return {("topic", row[0] or 0): row[1] for row in tx.execute(query.order_by(ranked, col(Topic.name)).limit(MOST))}


def _papers(tx: Read, beginning: str, key: str) -> dict[Place, str]:
    """Return papers whose title begins with the input, then those that contain it.

    The two are separate statements so that each can use an index.
    """
    found = _titles(tx, starts_with(col(Paper.title_key), key))
    if len(found) == MOST:
        return found
    *before, last = beginning.split()
    # Too short for the index, so search without the last word
    whole = " ".join(before) if before and len(last) < SHORTEST_PREFIX else beginning
    going_on = sa.true() if whole == beginning else col(Paper.title_key).contains(f" {key}", autoescape=True)
    return found | _titles(tx, sa.and_(col(Paper.id).in_(search.select_papers_by_title(tx, whole)), going_on))


def _titles(tx: Read, here: sa.ColumnElement[bool]) -> dict[Place, str]:
    query = sa.select(col(Paper.id), col(Paper.title)).where(is_listed(Paper), here)
    query = query.order_by(col(Paper.title_key), col(Paper.id)).limit(MOST)
    return {("paper", row[0] or 0): row[1] for row in tx.execute(query)}


def _is_valid_key(title: str) -> bool:
    """Return True if the title is allowed in brackets and is not read as an identifier."""
    fits = 0 < len(title) <= reference_keys.LONGEST and not _NEVER & {*title} and not title.startswith("^")
    return fits and reference_keys.key_of(title) == reference_keys.key_of_name(title)


def _clean_title(title: str) -> str:
    return " ".join("".join(" " if sign in _NEVER else sign for sign in title).split())[: reference_keys.LONGEST // 2]
