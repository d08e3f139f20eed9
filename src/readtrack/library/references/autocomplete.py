"""Autocompletion of `[[`: papers and topics, each written so that the reference is unambiguous."""

from typing import NamedTuple

import sqlalchemy as sa
from sqlmodel import col

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.db.conditions import starts_with
from readtrack.infra.models import Paper, Topic, TopicAlias
from readtrack.infra.permissions import is_listed
from readtrack.infra.text import normalize
from readtrack.library.references.resolve import Kind, Place, find_identifiers, find_places, find_survivors
from readtrack.markdown import references

MAX_SUGGESTIONS = 8
MIN_PREFIX_CHARS = 3  # minimum characters of a prefix that the index can search
MAX_QUERY_CHARS = 100  # characters of input that are considered
_NEVER = frozenset("[]|\n")  # characters not allowed between brackets


class ReferenceSuggestion(NamedTuple):
    """A suggestion: the title, and the reference to insert."""

    kind: Kind
    title: str
    written: str


def suggest_references(tx: Read, prefix: str) -> list[ReferenceSuggestion]:
    """Return topics, then papers, with a name or a word of it that begins with the input."""
    key = normalize.key(normalize.clean(prefix))
    if not 0 < len(key) <= MAX_QUERY_CHARS:
        return []
    titles = {**_topics(tx, key), **_papers(tx, prefix, key)}
    reference_texts = find_reference_texts(tx, titles)
    return [
        ReferenceSuggestion(target[0], title, f"[[{reference_texts[target]}]]")
        for target, title in titles.items()
        if target in reference_texts
    ][:MAX_SUGGESTIONS]


def find_reference_texts(tx: Read, titles: dict[Place, str]) -> dict[Place, str]:
    """Return the text between brackets that refers to each target.

    That is its name, or identifier and title for papers with an ambiguous title or one not allowed in brackets. Targets
    with neither are left out.
    """
    keys = {target: references.key_of_name(title) for target, title in titles.items() if _is_valid_key(title)}
    targets = find_places(tx, {*keys.values()})
    papers = find_survivors(tx, {number for kind, number in targets.values() if kind == "paper"})
    reference_texts = {
        target: titles[target] for target, key in keys.items() if _is_unambiguous(targets.get(key), target, papers)
    }
    remaining_ids = [number for kind, number in titles if kind == "paper" and (kind, number) not in reference_texts]
    for number, identifier in (find_identifiers(tx, remaining_ids) if remaining_ids else {}).items():
        if references.key_of(identifier) == references.BY_REF + identifier and not _NEVER & {*identifier}:
            reference_texts["paper", number] = f"{identifier}|{_clean_title(titles['paper', number])}"
    return reference_texts


def _is_unambiguous(found: Place | None, target: Place, papers: dict[int, int]) -> bool:
    if found is None or found[0] == "topic":
        return found == target
    return ("paper", papers.get(found[1], 0)) == target


def _topics(tx: Read, key: str) -> dict[Place, str]:
    alias = col(TopicAlias.alias_key)
    starts_with_key = alias.startswith(key, autoescape=True)
    contains_word = alias.contains(f" {key}" if key.isascii() else key, autoescape=True)
    rank = sa.func.max(sa.case((starts_with_key, 1), else_=0)).desc()
    query = sa.select(col(Topic.id), col(Topic.name)).join(TopicAlias, col(TopicAlias.topic_id) == col(Topic.id))
    query = query.where(sa.or_(starts_with_key, contains_word)).group_by(col(Topic.id), col(Topic.name))
    return {
        ("topic", row[0] or 0): row[1]
        for row in tx.execute(query.order_by(rank, col(Topic.name)).limit(MAX_SUGGESTIONS))
    }


def _papers(tx: Read, prefix: str, key: str) -> dict[Place, str]:
    """Return papers whose title begins with the input, then those that contain it.

    The two are separate statements so that each can use an index.
    """
    titles = _titles(tx, starts_with(col(Paper.title_key), key))
    if len(titles) == MAX_SUGGESTIONS:
        return titles
    *previous_words, last_word = prefix.split()
    # Too short for the index, so search without the last word
    complete_words = " ".join(previous_words) if previous_words and len(last_word) < MIN_PREFIX_CHARS else prefix
    contains_prefix = (
        sa.true() if complete_words == prefix else col(Paper.title_key).contains(f" {key}", autoescape=True)
    )
    return titles | _titles(
        tx, sa.and_(col(Paper.id).in_(search.select_papers_by_title(tx, complete_words)), contains_prefix)
    )


def _titles(tx: Read, condition: sa.ColumnElement[bool]) -> dict[Place, str]:
    query = sa.select(col(Paper.id), col(Paper.title)).where(is_listed(Paper), condition)
    query = query.order_by(col(Paper.title_key), col(Paper.id)).limit(MAX_SUGGESTIONS)
    return {("paper", row[0] or 0): row[1] for row in tx.execute(query)}


def _is_valid_key(title: str) -> bool:
    """Return True if the title is allowed in brackets and is not read as an identifier."""
    is_allowed = 0 < len(title) <= references.MAX_KEY_CHARS and not _NEVER & {*title} and not title.startswith("^")
    return is_allowed and references.key_of(title) == references.key_of_name(title)


def _clean_title(title: str) -> str:
    return " ".join("".join(" " if sign in _NEVER else sign for sign in title).split())[: references.MAX_KEY_CHARS // 2]
