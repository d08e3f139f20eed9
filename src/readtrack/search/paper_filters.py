"""Filters on properties of papers, as conditions on models.Paper."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import aliased
from sqlmodel import col

from readtrack.infra.db import Read
from readtrack.infra.models import (
    DuplicatePair,
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
from readtrack.infra.permissions import is_present
from readtrack.infra.text import normalize
from readtrack.metadata import sources
from readtrack.search import dates
from readtrack.search.ast import FieldFilter, NumberRange, Query, TimeRange, Value, iter_leaves
from readtrack.search.context import Condition, SearchContext
from readtrack.search.documents import PAPERS
from readtrack.search.text_filters import papers_with_readable_summaries, papers_with_visible_comments
from readtrack.search.tokens import host_needle, needle

LARGEST_NUMBER = 2**31 - 1  # Largest row ID in a query.
_other: Any = aliased(Paper)
_ROLES = ("pdf", "code", "slides", "video")


def within_range(column: Any, span: NumberRange) -> list[Condition]:  # noqa: ANN401 - a column or expression
    """Return the conditions for a number in a range."""
    conditions = [] if span.low is None else [column >= span.low]
    return conditions + ([] if span.high is None else [column <= span.high])


def on_days(column: Any, time_range: TimeRange, context: SearchContext, *, ahead: bool = False) -> Condition:  # noqa: ANN401
    """Return the condition for a date in a time range. Ages count into the past unless `ahead`."""
    start, end = dates.days(time_range, context.local_time.today, ahead=ahead)
    start_conditions = [] if start is None else [column >= start]
    return sa.and_(column.is_not(None), *start_conditions, *([] if end is None else [column < end]))


def any_value(node: FieldFilter, condition: Callable[[Value], Condition]) -> Condition:
    """Combine the conditions of the values with OR."""
    return sa.or_(*map(condition, node.values))


def _year(node: FieldFilter, context: SearchContext) -> Condition:
    return context.by_index(any_value(node, _of_year))


def _of_year(value: Value) -> Condition:
    year = sa.func.coalesce(col(Paper.year), sa.literal_column("0"))  # The indexed expression.
    if isinstance(value, NumberRange):
        return sa.and_(*within_range(year, NumberRange(value.low or 1, value.high)))
    is_unknown: Condition = year == 0
    return is_unknown if value == "none" else year > 0


def _presence_condition(column: Any, value: Value) -> Condition:  # noqa: ANN401
    condition: Condition = column.is_(None) if value == "none" else column.is_not(None)
    return condition


def _published(node: FieldFilter, context: SearchContext) -> Condition:
    day = col(Paper.published_on)
    return any_value(
        node,
        lambda value: on_days(day, value, context) if isinstance(value, TimeRange) else _presence_condition(day, value),
    )


def _moment_filter(column: Any) -> Callable[[FieldFilter, SearchContext], Condition]:  # noqa: ANN401 - a datetime column
    return lambda node, asker: asker.by_index(any_value(node, lambda value: _moment(column, value, asker)))


def _moment(column: Any, value: Value, context: SearchContext) -> Condition:  # noqa: ANN401
    assert isinstance(value, TimeRange), "moments are always known"  # noqa: S101 - see qualifiers
    start, end = dates.moments(value, context.local_time)
    start_conditions = [] if start is None else [column >= _bound(start)]
    return sa.and_(sa.true(), *start_conditions, *([] if end is None else [column < _bound(end)]))


def _bound(value: datetime) -> Any:  # noqa: ANN401
    return sa.literal(value, Moment())


def _topic(node: FieldFilter, context: SearchContext) -> Condition:
    terms = {str(value) for value in node.values}
    has_topic = col(Paper.id).in_(sa.select(col(PaperTopic.paper_id)))
    any_conditions = [has_topic] if "any" in terms else []
    none_conditions = [sa.not_(has_topic)] if "none" in terms else []
    topic_names = sorted(terms - {"any", "none"})
    return sa.or_(*any_conditions, *none_conditions, *([_topic_condition(topic_names, context)] if topic_names else []))


def _topic_condition(names: list[str], context: SearchContext) -> Condition:
    """Return the condition for papers under one of these topics or their subtopics.

    Topic IDs are queried first: SQLite overestimates a subquery of unknown size and would scan all paper-topic rows.
    """
    topic_ids = [row.id for row in context.tx.rows(_FAMILY, {"called": names})]
    return context.in_subquery(sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(topic_ids)))


def find_unknown_topics(tx: Read, query: Query) -> list[str]:
    """Return the topics that a query asks for and that there are not."""
    filters = (leaf for leaf in iter_leaves(query.condition) if isinstance(leaf, FieldFilter) and leaf.name == "topic")
    names = dict.fromkeys(str(value) for each in filters for value in each.values)
    return [name for name in names if name not in {"any", "none"} and not tx.rows(_FAMILY, {"called": [name]})]


def _topic_family_query() -> sa.Select[*tuple[Any, ...]]:
    """Return the query for topics with a slug or name in `names`, and all their subtopics."""
    names: Any = sa.bindparam("called", expanding=True)
    alias = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).in_(names))
    roots = sa.select(col(Topic.id)).where(sa.or_(col(Topic.slug).in_(names), col(Topic.id).in_(alias)))
    family = roots.cte(recursive=True)
    family = family.union(sa.select(col(Topic.id)).join(family, col(Topic.parent_id) == family.c.id))
    return sa.select(family.c.id)


_FAMILY = _topic_family_query()  # Built once.


def _identifier(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(node, lambda value: _identifier_condition(str(value), context))


def _identifier_condition(value: str, context: SearchContext) -> Condition:
    """Match an identifier exactly if the value is recognized, ignoring versions and notation.

    Else match its tokens.
    """
    ref = sources.recognize(value)
    if ref:
        query = sa.select(col(Identifier.paper_id)).where(
            col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key
        )
        return col(Paper.id).in_(query)
    _scheme, colon, key = value.partition(":")
    value_needle = needle(value, exact=False) if needle(key if colon else value, exact=False) else None
    return col(Paper.id).in_(context.backend.hits(PAPERS, [value_needle], ["ids"])) if value_needle else sa.false()


def _source(node: FieldFilter, context: SearchContext) -> Condition:
    return context.in_subquery(sa.select(col(Identifier.paper_id)).where(col(Identifier.scheme).in_(node.values)))


def _host(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(
        node, lambda value: context.in_subquery(context.backend.hits(PAPERS, [host_needle(str(value))], ["hosts"]))
    )


def _language(node: FieldFilter, _context: SearchContext) -> Condition:
    return any_value(node, lambda value: _in_language(str(value)))


def _in_language(value: str) -> Condition:
    """Match a language with its subtags: `zh` finds zh-Hans too.

    `none` finds papers without a language.
    """
    language = sa.func.lower(col(Paper.language))
    return language == "" if value == "none" else sa.or_(language == value, language.startswith(f"{value}-"))


def _link(node: FieldFilter, _context: SearchContext) -> Condition:
    """Match relations from a paper to another; `any` and `none` consider both directions."""
    terms = {str(value) for value in node.values}
    related = sa.union_all(
        _related_papers(Relation.from_id, Relation.to_id), _related_papers(Relation.to_id, Relation.from_id)
    )
    is_related = col(Paper.id).in_(related)
    conditions = [is_related] if "any" in terms else []
    conditions += [sa.not_(is_related)] if "none" in terms else []
    if kinds := sorted(terms - {"any", "none"}):
        related_from = _related_papers(Relation.from_id, Relation.to_id).where(col(Relation.kind).in_(kinds))
        conditions.append(col(Paper.id).in_(related_from))
    return sa.or_(*conditions)


def _related_papers(own_column: Any, other_column: Any) -> sa.Select[Any]:  # noqa: ANN401 - the two columns of a relation
    """Return a SELECT of papers at one end of relations whose other end is present."""
    return sa.select(col(own_column)).join(_other, _other.id == col(other_column)).where(is_present(_other))


def _import(node: FieldFilter, context: SearchContext) -> Condition:
    terms = [str(value) for value in node.values]
    numbers = [int(value) for value in terms if value.isdecimal() and int(value) <= LARGEST_NUMBER]
    title_keys = [normalize.key(value) for value in terms]
    notes = sa.select(col(Note.id)).where(col(Note.title_key).in_(title_keys))
    is_revision = sa.or_(col(NoteRevision.id).in_(numbers), col(NoteRevision.note_id).in_(notes))
    revisions = sa.select(col(NoteRevision.id)).where(is_revision)
    entry_papers = sa.select(col(Entry.paper_id)).where(col(Entry.revision_id).in_(revisions))
    return context.in_subquery(entry_papers.where(col(Entry.paper_id).is_not(None)))


def _has(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(node, lambda value: _has_condition(str(value), context))


def _lacks(node: FieldFilter, context: SearchContext) -> Condition:
    return any_value(node, lambda value: sa.not_(_has_condition(str(value), context)))


def _has_condition(feature: str, context: SearchContext) -> Condition:
    if feature == "abstract":
        return col(Paper.abstract) != ""
    return col(Paper.id).in_(_THINGS[feature](context))


def _with_role(role: str) -> Callable[[SearchContext], Any]:
    return lambda _asker: sa.select(col(Link.paper_id)).where(col(Link.role) == role)


def _possible_duplicates(_context: SearchContext) -> Any:  # noqa: ANN401 - a UNION
    """Return the papers of open duplicate pairs if both are present."""
    return sa.union_all(
        *(
            sa.select(col(own_column))
            .join(_other, _other.id == col(other_column))
            .where(col(DuplicatePair.state) == "open", is_present(_other))
            for own_column, other_column in (
                (DuplicatePair.first_id, DuplicatePair.second_id),
                (DuplicatePair.second_id, DuplicatePair.first_id),
            )
        )
    )


_THINGS: Mapping[str, Callable[[SearchContext], Any]] = {
    "summary": papers_with_readable_summaries,
    "discussion": lambda _asker: papers_with_visible_comments(),
    "question": lambda _asker: sa.select(col(Question.paper_id)).where(col(Question.paper_id).is_not(None)),
    "topic": lambda _asker: sa.select(col(PaperTopic.paper_id)),
    "duplicate": _possible_duplicates,
    **{role: _with_role(role) for role in _ROLES},
}
FILTERS: Mapping[str, Callable[[FieldFilter, SearchContext], Condition]] = {
    "topic": _topic,
    "kind": lambda node, asker: asker.by_index(col(Paper.kind).in_(node.values)),
    "year": _year,
    "published": _published,
    "added": _moment_filter(col(Paper.created_at)),
    "updated": _moment_filter(col(Paper.updated_at)),
    "id": _identifier,
    "source": _source,
    "host": _host,
    "lang": _language,
    "link": _link,
    "import": _import,
    "has": _has,
    "no": _lacks,
}
