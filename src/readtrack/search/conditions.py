"""A search that was read becomes a condition on papers: SQLAlchemy Core, every value a bound parameter."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import sqlalchemy as sa
from sqlmodel import col

from readtrack import policy, sources
from readtrack.db import Read
from readtrack.models import Identifier, Paper, PaperTopic, Reading, Summary, Topic, TopicAlias
from readtrack.search.backend import Backend, backend
from readtrack.search.documents import ENTRIES, PAPERS, SUMMARIES
from readtrack.search.terms import And, Filter, Node, Not, Or, Query, Span, Text, all_of, any_of, negated
from readtrack.search.tokens import Needle, needle

Condition: TypeAlias = sa.ColumnElement[bool]
Leaf: TypeAlias = Text | Filter

_FIELDS = {"": "", "title": "title", "author": "authors", "abstract": "abstract", "note": "notes"}


@dataclass(frozen=True)
class Asker:
    """Who asks (None: nobody known) and where."""

    tx: Read
    person_id: int | None

    @property
    def backend(self) -> Backend:
        return backend(self.tx)

    def among(self, papers: Any) -> Condition:  # noqa: ANN401 - a select, or two in one
        return self.backend.among(self.tx, col(Paper.id), papers)


def on_papers(query: Query, asker: Asker) -> Condition:
    """The condition on models.Paper. Terms without letter or digit are left out; of no others, nothing is found."""
    if query.condition is None:
        return sa.true()
    node = _kept(query.condition, _findable)
    return sa.false() if node is None else _tree(node, lambda leaf: _condition(leaf, asker))


def on_entries(query: Query, store: Backend) -> Condition:
    """The condition on models.Entry: the words only, as filters say nothing about lines of notes. No word, no line."""
    node = _kept(query.condition, lambda leaf: isinstance(leaf, Text) and _findable(leaf)) if query.condition else None
    return sa.false() if node is None else _tree(node, lambda leaf: _entry_condition(leaf, store))


def _findable(leaf: Leaf) -> bool:
    return isinstance(leaf, Filter) or needle(leaf.text, exact=leaf.exact) is not None


def _kept(node: Node, wanted: Callable[[Leaf], bool]) -> Node | None:
    """The same without the leaves that are not wanted."""
    match node:
        case Not():
            return negated(_kept(node.part, wanted))
        case And():
            return all_of(_kept(part, wanted) for part in node.parts)
        case Or():
            return any_of(_kept(part, wanted) for part in node.parts)
        case _:
            return node if wanted(node) else None


def _tree(node: Node, leaf: Callable[[Any], Condition]) -> Condition:
    match node:
        case Not():
            return sa.not_(_tree(node.part, leaf))
        case And():
            return sa.and_(*(_tree(part, leaf) for part in node.parts))
        case Or():
            return sa.or_(*(_tree(part, leaf) for part in node.parts))
        case _:
            return leaf(node)


def _condition(node: Leaf, asker: Asker) -> Condition:
    if isinstance(node, Text):
        return asker.among(_found(node, asker))
    return _FILTERS[node.name](node, asker)


def _found(text: Text, asker: Asker) -> Any:  # noqa: ANN401 - a select, or two in one
    """UNION ALL, not OR: SQLite then reads each index once, in any order of the list (measured: 4 ms, not 50)."""
    wanted = _wanted(text)
    in_summaries = _summaries(asker).where(col(Summary.id).in_(asker.backend.hits(SUMMARIES, wanted, "")))
    if text.field == "summary":
        return in_summaries
    in_papers = asker.backend.hits(PAPERS, wanted, _FIELDS[text.field])
    return in_papers if text.field else sa.union_all(in_papers, in_summaries)


def _wanted(leaf: Leaf) -> Needle:
    found = needle(leaf.text, exact=leaf.exact) if isinstance(leaf, Text) else None
    assert found is not None, "what cannot be found was left out"  # noqa: S101 - see _kept
    return found


def _summaries(asker: Asker) -> sa.Select[Any]:
    """The papers of the summaries that the asker may read."""
    seen = policy.shared_or_own(Summary, asker.person_id)
    return sa.select(col(Summary.paper_id)).where(col(Summary.deleted_at).is_(None), seen)


def _status(node: Filter, asker: Asker) -> Condition:
    on_list = sa.select(col(Reading.paper_id)).where(col(Reading.person_id) == asker.person_id, col(Reading.current))
    wanted = set(node.values)
    if "any" in wanted:
        return sa.true() if "none" in wanted else col(Paper.id).in_(on_list)
    chosen = col(Paper.id).in_(on_list.where(col(Reading.status).in_(wanted - {"none"})))
    return sa.or_(chosen, col(Paper.id).not_in(on_list)) if "none" in wanted else chosen


def _topic(node: Filter, asker: Asker) -> Condition:
    alias = sa.select(col(TopicAlias.topic_id)).where(col(TopicAlias.alias_key).in_(node.values))
    named = sa.select(col(Topic.id)).where(sa.or_(col(Topic.slug).in_(node.values), col(Topic.id).in_(alias)))
    family = named.cte(recursive=True)
    family = family.union(sa.select(col(Topic.id)).join(family, col(Topic.parent_id) == family.c.id))
    filed = sa.select(col(PaperTopic.paper_id)).where(col(PaperTopic.topic_id).in_(sa.select(family.c.id)))
    return asker.among(filed)


def _year(node: Filter, _asker: Asker) -> Condition:
    return sa.or_(*map(_in_year, node.values))


def _in_year(value: str | Span) -> Condition:
    year = col(Paper.year)
    if not isinstance(value, Span):
        return year.is_(None) if value == "none" else year.is_not(None)
    bounds = ([] if value.low is None else [year >= value.low]) + ([] if value.high is None else [year <= value.high])
    return sa.and_(year.is_not(None), *bounds)


def _identifier(node: Filter, asker: Asker) -> Condition:
    return sa.or_(*(_identified(str(value), asker) for value in node.values))


def _identified(value: str, asker: Asker) -> Condition:
    """By the identifier that the value names, versions and forms aside; else by its letters and digits."""
    ref = sources.recognise(value)
    if ref:
        named = sa.select(col(Identifier.paper_id)).where(
            col(Identifier.scheme) == ref.scheme, col(Identifier.value) == ref.key
        )
        return col(Paper.id).in_(named)
    wanted = needle(value, exact=False)
    return col(Paper.id).in_(asker.backend.hits(PAPERS, wanted, "ids")) if wanted else sa.false()


def _source(node: Filter, _asker: Asker) -> Condition:
    return col(Paper.id).in_(sa.select(col(Identifier.paper_id)).where(col(Identifier.scheme).in_(node.values)))


def _language(node: Filter, _asker: Asker) -> Condition:
    return sa.or_(*(_in_language(str(value)) for value in node.values))


def _in_language(value: str) -> Condition:
    """`zh` finds zh-Hans too; `none` finds what nobody named a language for."""
    language = sa.func.lower(col(Paper.language))
    return language == "" if value == "none" else sa.or_(language == value, language.startswith(f"{value}-"))


def _has(node: Filter, asker: Asker) -> Condition:
    return sa.or_(*(_having(str(value), asker) for value in node.values))


def _lacks(node: Filter, asker: Asker) -> Condition:
    return sa.or_(*(sa.not_(_having(str(value), asker)) for value in node.values))


def _having(thing: str, asker: Asker) -> Condition:
    if thing == "abstract":
        return col(Paper.abstract) != ""
    return col(Paper.id).in_(_summaries(asker) if thing == "summary" else sa.select(col(PaperTopic.paper_id)))


def _entry_condition(leaf: Leaf, store: Backend) -> Condition:
    return col(ENTRIES.ids).in_(store.hits(ENTRIES, _wanted(leaf), ""))


_FILTERS: dict[str, Callable[[Filter, Asker], Condition]] = {
    "status": _status,
    "topic": _topic,
    "kind": lambda node, _: col(Paper.kind).in_(node.values),
    "year": _year,
    "id": _identifier,
    "has": _has,
    "no": _lacks,
    "is": lambda node, _: col(Paper.triage).in_(node.values),
    "lang": _language,
    "source": _source,
}
