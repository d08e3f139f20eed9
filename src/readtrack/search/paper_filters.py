"""Filters on what a paper is and has: each becomes a condition on models.Paper."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.models import (
    Duplicate,
    Entry,
    Identifier,
    Link,
    Note,
    NoteRevision,
    Paper,
    PaperTopic,
    Question,
    Relation,
    Topic,
    TopicAlias,
)
from readtrack.infra.models.columns import Moment
from readtrack.infra.permissions import present
from readtrack.infra.text import normalize
from readtrack.metadata import registry
from readtrack.search import dates
from readtrack.search.ast import Filter, Span, Value, When
from readtrack.search.context import Asker, Condition
from readtrack.search.documents import PAPERS
from readtrack.search.text_filters import readable_summaries, shown_comments
from readtrack.search.tokens import host_needle, needle

LARGEST_NUMBER = 2**31 - 1  # of a row that may be asked for
_other: Any = aliased(Paper)
_ROLES = ("pdf", "code", "slides", "video")


def within(column: Any, span: Span) -> list[Condition]:  # noqa: ANN401 - a column, or what is made of some
    """What holds for a number between two others."""
    low = [] if span.low is None else [column >= span.low]
    return low + ([] if span.high is None else [column <= span.high])


def on_days(column: Any, when: When, asker: Asker, *, ahead: bool = False) -> Condition:  # noqa: ANN401
    """A day at that time; ages look back unless `ahead`."""
    begin, end = dates.days(when, asker.here.today, ahead=ahead)
    after = [] if begin is None else [column >= begin]
    return sa.and_(column.is_not(None), *after, *([] if end is None else [column < end]))


def each(node: Filter, condition: Callable[[Value], Condition]) -> Condition:
    """Any one of the values suffices."""
    return sa.or_(*map(condition, node.values))


def _year(node: Filter, asker: Asker) -> Condition:
    return asker.by_index(each(node, _of_year))


def _of_year(value: Value) -> Condition:
    year = sa.func.coalesce(col(Paper.year), sa.literal_column("0"))  # as it is indexed
    if isinstance(value, Span):
        return sa.and_(*within(year, Span(value.low or 1, value.high)))
    blank: Condition = year == 0
    return blank if value == "none" else year > 0


def _filled(column: Any, value: Value) -> Condition:  # noqa: ANN401
    filled: Condition = column.is_(None) if value == "none" else column.is_not(None)
    return filled


def _published(node: Filter, asker: Asker) -> Condition:
    day = col(Paper.published_on)
    return each(node, lambda value: on_days(day, value, asker) if isinstance(value, When) else _filled(day, value))


def _at(column: Any) -> Callable[[Filter, Asker], Condition]:  # noqa: ANN401 - a column of moments
    return lambda node, asker: asker.by_index(each(node, lambda value: _moment(column, value, asker)))


def _moment(column: Any, value: Value, asker: Asker) -> Condition:  # noqa: ANN401
    assert isinstance(value, When), "moments are always known"  # noqa: S101 - see qualifiers
    begin, end = dates.moments(value, asker.here)
    after = [] if begin is None else [column >= _bound(begin)]
    return sa.and_(sa.true(), *after, *([] if end is None else [column < _bound(end)]))


def _bound(moment: datetime) -> Any:  # noqa: ANN401
    return sa.literal(moment, Moment())


def _topic(node: Filter, asker: Asker) -> Condition:
    said = {str(value) for value in node.values}
    any_topic = col(Paper.id).in_(sa.select(col(PaperTopic.paper_id)))
    either = [any_topic] if "any" in said else []
    neither = [sa.not_(any_topic)] if "none" in said else []
    named = sorted(said - {"any", "none"})
    return sa.or_(*either, *neither, *([_filed(named, asker)] if named else []))


def _filed(called: list[str], asker: Asker) -> Condition:
    """Under a topic of that name or below it. Which ones these are is asked beforehand: SQLite takes what it does not
    know the number of for many, and would go through all that is filed.
    """
    family = [row.id for row in asker.tx.rows(_FAMILY, {"called": called})]
    return asker.among(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(family)))


def _families() -> sa.Select[*tuple[Any, ...]]:
    """The topics that are `called` so, by their slug or one of their names, and all below them."""
    called: Any = sa.bindparam("called", expanding=True)
    alias = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).in_(called))
    named = sa.select(col(Topic.id)).where(sa.or_(col(Topic.slug).in_(called), col(Topic.id).in_(alias)))
    family = named.cte(recursive=True)
    family = family.union(sa.select(col(Topic.id)).join(family, col(Topic.parent_id) == family.c.id))
    return sa.select(family.c.id)


_FAMILY = _families()  # made once


def _identifier(node: Filter, asker: Asker) -> Condition:
    return each(node, lambda value: _identified(str(value), asker))


def _identified(value: str, asker: Asker) -> Condition:
    """By the identifier that the value names, versions and forms aside; else by its letters and digits."""
    ref = registry.recognise(value)
    if ref:
        named = sa.select(col(Identifier.paper_id)).where(
            col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key
        )
        return col(Paper.id).in_(named)
    _scheme, colon, key = value.partition(":")
    wanted = needle(value, exact=False) if needle(key if colon else value, exact=False) else None
    return col(Paper.id).in_(asker.backend.hits(PAPERS, [wanted], ["ids"])) if wanted else sa.false()


def _source(node: Filter, asker: Asker) -> Condition:
    return asker.among(sa.select(col(Identifier.paper_id)).where(col(Identifier.scheme).in_(node.values)))


def _host(node: Filter, asker: Asker) -> Condition:
    return each(node, lambda value: asker.among(asker.backend.hits(PAPERS, [host_needle(str(value))], ["hosts"])))


def _language(node: Filter, _asker: Asker) -> Condition:
    return each(node, lambda value: _in_language(str(value)))


def _in_language(value: str) -> Condition:
    """`zh` finds zh-Hans too; `none` finds what nobody named a language for."""
    language = sa.func.lower(col(Paper.language))
    return language == "" if value == "none" else sa.or_(language == value, language.startswith(f"{value}-"))


def _link(node: Filter, _asker: Asker) -> Condition:
    """What a paper does to others; `any` and `none`: with others at either end."""
    said = {str(value) for value in node.values}
    either = sa.union_all(_end(Relation.from_id, Relation.to_id), _end(Relation.to_id, Relation.from_id))
    linked = col(Paper.id).in_(either)
    conditions = [linked] if "any" in said else []
    conditions += [sa.not_(linked)] if "none" in said else []
    if kinds := sorted(said - {"any", "none"}):
        outward = _end(Relation.from_id, Relation.to_id).where(col(Relation.kind).in_(kinds))
        conditions.append(col(Paper.id).in_(outward))
    return sa.or_(*conditions)


def _end(here: Any, there: Any) -> sa.Select[Any]:  # noqa: ANN401 - the two columns of a relation
    """The papers at one end, when the other is still here."""
    return sa.select(col(here)).join(_other, _other.id == col(there)).where(present(_other))


def _import(node: Filter, asker: Asker) -> Condition:
    said = [str(value) for value in node.values]
    numbers = [int(value) for value in said if value.isdecimal() and int(value) <= LARGEST_NUMBER]
    called = [normalize.key(value) for value in said]
    notes = sa.select(col(Note.id)).where(col(Note.title_key).in_(called))
    which = sa.or_(col(NoteRevision.id).in_(numbers), col(NoteRevision.note_id).in_(notes))
    revisions = sa.select(col(NoteRevision.id)).where(which)
    from_them = sa.select(col(Entry.paper_id)).where(col(Entry.revision_id).in_(revisions))
    return asker.among(from_them.where(col(Entry.paper_id).is_not(None)))


def _has(node: Filter, asker: Asker) -> Condition:
    return each(node, lambda value: _having(str(value), asker))


def _lacks(node: Filter, asker: Asker) -> Condition:
    return each(node, lambda value: sa.not_(_having(str(value), asker)))


def _having(thing: str, asker: Asker) -> Condition:
    if thing == "abstract":
        return col(Paper.abstract) != ""
    return col(Paper.id).in_(_THINGS[thing](asker))


def _with_role(role: str) -> Callable[[Asker], Any]:
    return lambda _asker: sa.select(col(Link.paper_id)).where(col(Link.role) == role)


def _doubtful(_asker: Asker) -> Any:  # noqa: ANN401 - two selects in one
    """The papers of pairs that may be one, when both are here."""
    return sa.union_all(
        *(
            sa.select(col(here))
            .join(_other, _other.id == col(there))
            .where(col(Duplicate.state) == "open", present(_other))
            for here, there in ((Duplicate.one_id, Duplicate.other_id), (Duplicate.other_id, Duplicate.one_id))
        )
    )


_THINGS: Mapping[str, Callable[[Asker], Any]] = {
    "summary": readable_summaries,
    "discussion": lambda _asker: shown_comments(),
    "question": lambda _asker: sa.select(col(Question.paper_id)).where(col(Question.paper_id).is_not(None)),
    "topic": lambda _asker: sa.select(col(PaperTopic.paper_id)),
    "duplicate": _doubtful,
    **{role: _with_role(role) for role in _ROLES},
}
FILTERS: Mapping[str, Callable[[Filter, Asker], Condition]] = {
    "topic": _topic,
    "kind": lambda node, asker: asker.by_index(col(Paper.kind).in_(node.values)),
    "year": _year,
    "published": _published,
    "added": _at(col(Paper.created_at)),
    "updated": _at(col(Paper.updated_at)),
    "id": _identifier,
    "source": _source,
    "host": _host,
    "lang": _language,
    "link": _link,
    "import": _import,
    "has": _has,
    "no": _lacks,
}
