"""Who is mentioned in texts: the names in them that somebody has."""

from collections.abc import Iterable

import sqlalchemy as sa
from sqlmodel import col

from readtrack import markdown
from readtrack.infra.db import Read
from readtrack.infra.models import Person
from readtrack.infra.text import normalize
from readtrack.markdown import mentions
from readtrack.markdown.mentions import People

MOST_NAMES = 5_000  # that one statement asks for
MOST_OFFERED = 8


def find_people(tx: Read, texts: Iterable[str]) -> People:
    """The people whose names follow an @ in these texts, as (name as compared -> id); one statement, or none."""
    wanted = mentions.candidate_names(texts)[:MOST_NAMES]
    if not wanted:
        return {}
    query = sa.select(col(Person.name_key), col(Person.id)).where(col(Person.name_key).in_(wanted))
    return {key: person_id for key, person_id in tx.execute(query) if person_id}


def find_mentioned_people(tx: Read, text: str) -> set[int]:
    """Whom a text mentions in plain words: what stands in code, a formula or a link means nobody."""
    people = find_people(tx, [text])
    if not people:
        return set()
    found = (mention for piece in markdown.extract_words(text) for mention in mentions.find_mentions(piece, people))
    return {mention.person_id for mention in found}


def suggest_people(tx: Read, beginning: str) -> list[tuple[int, str, str]]:
    """Active people one of whose names begins so, as (id, name, how to mention them)."""
    key = normalize.key(normalize.clean(beginning))
    if not 0 < len(key) <= mentions.LONGEST:
        return []
    first, later = (col(Person.name_key).contains(f"{blank}{key}", autoescape=True) for blank in ("", " "))
    begins = col(Person.name_key).startswith(key, autoescape=True)
    query = sa.select(col(Person.id), col(Person.name)).where(col(Person.disabled_at).is_(None))
    query = query.where(sa.or_(begins, later if key.isascii() else first))
    rows = tx.execute(query.order_by(begins.desc(), col(Person.name_key)).limit(MOST_OFFERED))
    return [(person_id or 0, name, mentions.format_mention(name)) for person_id, name in rows]


def find_person(tx: Read, name: str) -> int | None:
    """The active person of exactly that name, with or without an @ before it."""
    key = normalize.key(name.strip().lstrip("@").strip('"'))
    same = sa.select(col(Person.id)).where(col(Person.name_key) == key, col(Person.disabled_at).is_(None))
    return tx.scalar(same)
