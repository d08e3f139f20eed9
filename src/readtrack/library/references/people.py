"""Mentions of people in texts, and lookup of people by name."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read
from readtrack.infra.models import Person
from readtrack.infra.text import normalize
from readtrack.markdown import mentions
from readtrack.markdown.mentions import People

MAX_NAMES = 5_000  # in one statement
MAX_SUGGESTIONS = 8


def find_people(tx: Read, texts: Iterable[str]) -> People:
    """Return the people mentioned with @ in these texts as {name key: id}, in at most one statement."""
    names = mentions.candidate_names(texts)[:MAX_NAMES]
    if not names:
        return {}
    query = sa.select(col(Person.name_key), col(Person.id)).where(col(Person.name_key).in_(names))
    return {key: person_id for key, person_id in tx.execute(query) if person_id}


def find_mentioned_people(tx: Read, text: str) -> set[int]:
    """Return the people mentioned in a text, outside of code, formulas and links."""
    people = find_people(tx, [text])
    if not people:
        return set()
    mentioned = (
        mention for passage in markdown.extract_words(text) for mention in mentions.find_mentions(passage, people)
    )
    return {mention.person_id for mention in mentioned}


def suggest_people(tx: Read, prefix: str) -> list[tuple[int, str, str]]:
    """Return active people with a name beginning like this, as (id, name, mention)."""
    key = normalize.key(normalize.clean(prefix))
    if not 0 < len(key) <= mentions.MAX_NAME_CHARS:
        return []
    contains_key, contains_word = (
        col(Person.name_key).contains(f"{separator}{key}", autoescape=True) for separator in ("", " ")
    )
    starts_with_key = col(Person.name_key).startswith(key, autoescape=True)
    query = sa.select(col(Person.id), col(Person.name)).where(col(Person.disabled_at).is_(None))
    query = query.where(sa.or_(starts_with_key, contains_word if key.isascii() else contains_key))
    rows = tx.execute(query.order_by(starts_with_key.desc(), col(Person.name_key)).limit(MAX_SUGGESTIONS))
    return [(person_id or 0, name, mentions.format_mention(name)) for person_id, name in rows]


def find_person(tx: Read, name: str) -> int | None:
    """Return the active person with exactly this name, with or without a leading @."""
    key = normalize.key(name.strip().lstrip("@").strip('"'))
    query = sa.select(col(Person.id)).where(col(Person.name_key) == key, col(Person.disabled_at).is_(None))
    return tx.scalar(query)
