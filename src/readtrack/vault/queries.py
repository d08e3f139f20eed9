"""What goes into a folder: the papers of a search or a topic, the topics round them, and how each is called there."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.db import Read
from readtrack.db.numbers import among
from readtrack.exports import ExportPaper
from readtrack.models import Gloss, Identifier, Paper, PaperTopic, Relation, Topic, TopicAlias, TopicLink
from readtrack.papers.exporting import find_ids, gathered
from readtrack.policy import Visitor, present
from readtrack.references.naming import BY_NAME, BY_REF, key_of, key_of_name, short_of
from readtrack.vault.form import Note, PaperNote, Part, Related, Site, TopicNote, file_names
from readtrack.vault.linking import outward

AT_ONCE = 200  # papers that are in memory together


@dataclass
class Called:
    """How papers and topics are called in the folder, by their numbers; `places`: by what texts may call them."""

    papers: Mapping[int, str]
    topics: Mapping[int, str]
    places: dict[str, str] = field(default_factory=dict)

    def place_of(self, name: str) -> str:
        """The note that `[[name]]` means; blank when it is not in the folder."""
        return self.places.get(key_of(name)) or self.places.get(key_of_name(name), "")


def call(tx: Read, me: Visitor, q: str) -> Called:
    """The papers of a search and their topics, with all above these. Raises search.QueryError."""
    papers = _titled(tx, find_ids(tx, me, q))
    topics = _topics_round(tx, list(papers))
    named = file_names(topics.items())
    called = Called(file_names(papers.items(), named.values()), named)
    _note_places(tx, called, papers)
    return called


def topic_notes(tx: Read, called: Called) -> list[TopicNote]:
    """All topics of the folder."""
    ids = list(called.topics)
    aliases, links, filed = _aliases(tx, ids), _links(tx, ids), _filed(tx, ids, called)
    rows = {row.id: row for row in tx.execute(sa.select(Topic.__table__).where(col(Topic.id).in_(ids)))}  # type: ignore[attr-defined]
    return [
        TopicNote(
            name=rows[number].name,
            aliases=tuple(aliases.get(number, ())),
            parent=called.topics.get(rows[number].parent_id, ""),
            markdown=outward(rows[number].markdown, called.place_of),
            links=tuple(links.get(number, ())),
            order=tuple(name for name, place in filed.get(number, ()) if place is not None),
            papers=tuple(sorted(name for name, _place in filed.get(number, ()))),
        )
        for number in ids
    ]


def paper_notes(tx: Read, me: Visitor, called: Called, ids: Sequence[int]) -> Iterator[tuple[str, Note]]:
    """These papers, each with the name of its note."""
    relations, glosses, topics = _relations(tx, ids, called), _glosses(tx, ids), _topics_of(tx, ids, called)
    for paper in gathered(tx, me, ids):
        told = relations.get(paper.id, ()), glosses.get(paper.id, {}), topics.get(paper.id, ())
        yield called.papers[paper.id], _note(paper, called, *told)


def _note(
    paper: ExportPaper, called: Called, relations: Iterable[Related], glosses: Mapping[str, str], topics: Iterable[str]
) -> PaperNote:
    return PaperNote(
        title=paper.title,
        kind=paper.kind,
        authors=paper.authors,
        year=paper.year,
        published=paper.published_on.isoformat() if paper.published_on else "",
        venue=paper.venue,
        language=paper.language,
        identifiers=tuple(f"{scheme}:{key}" for scheme, key in paper.identifiers),
        links=tuple(Site(url, role) for url, role in paper.links),
        topics=tuple(topics),
        glosses=glosses,
        abstract=paper.abstract.strip(),
        summaries=tuple(
            Part(person, tldr, outward(text, called.place_of).strip()) for person, tldr, text in paper.summaries
        ),
        relations=tuple(relations),
    )


def _titled(tx: Read, ids: Sequence[int]) -> dict[int, str]:
    query = sa.select(col(Paper.id), col(Paper.title)).where(among(col(Paper.id), "ids")).order_by(col(Paper.id))
    return {row.id: row.title or f"Paper {row.id}" for row in tx.rows(query, {"ids": list(ids)})}


def _topics_round(tx: Read, paper_ids: Sequence[int]) -> dict[int, str]:
    """The topics that the papers are filed under, and all above them, each with its name."""
    filed = sa.select(col(PaperTopic.topic_id)).where(among(col(PaperTopic.paper_id), "ids")).distinct()
    wanted = {row[0] for row in tx.rows(filed, {"ids": list(paper_ids)})}
    every = {row.id: row for row in tx.execute(sa.select(col(Topic.id), col(Topic.name), col(Topic.parent_id)))}
    level = [*wanted]
    while level:
        level = [above for number in level if (above := every[number].parent_id) and above not in wanted]
        wanted.update(level)
    return {number: row.name for number, row in sorted(every.items()) if number in wanted}


def _note_places(tx: Read, called: Called, papers: Mapping[int, str]) -> None:
    """What texts may call them: topics go before papers, the title before its beginning, the older before the newer."""
    shorts = [(key_of_name(short_of(title)), called.papers[number]) for number, title in papers.items()]
    said = Counter(key for key, _file in shorts)
    called.places |= {key: file for key, file in shorts if key and said[key] == 1}
    for number, title in reversed(list(papers.items())):
        called.places[key_of_name(title)] = called.papers[number]
    ids = list(papers)
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    for row in tx.rows(query.where(among(col(Identifier.paper_id), "ids")), {"ids": ids}):
        called.places[f"{BY_REF}{row.scheme}:{row.value}"] = called.papers[row.paper_id]
    named = sa.select(col(TopicAlias.alias_key), col(TopicAlias.topic_id))
    for alias in tx.rows(named.where(among(col(TopicAlias.topic_id), "ids")), {"ids": list(called.topics)}):
        called.places[f"{BY_NAME}{alias.alias_key}"] = called.topics[alias.topic_id]


def _aliases(tx: Read, ids: Sequence[int]) -> dict[int, list[str]]:
    query = sa.select(col(TopicAlias.topic_id), col(TopicAlias.alias)).where(sa.not_(col(TopicAlias.own)))
    query = query.where(among(col(TopicAlias.topic_id), "ids")).order_by(col(TopicAlias.id))
    return _grouped((row.topic_id, row.alias) for row in tx.rows(query, {"ids": list(ids)}))


def _links(tx: Read, ids: Sequence[int]) -> dict[int, list[Site]]:
    shown: Sequence[Any] = (TopicLink.topic_id, TopicLink.url, TopicLink.kind, TopicLink.title, TopicLink.note)
    query = sa.select(*map(col, shown)).where(among(col(TopicLink.topic_id), "ids")).order_by(col(TopicLink.id))
    return _grouped((row[0], Site(*row[1:])) for row in tx.rows(query, {"ids": list(ids)}))


def _filed(tx: Read, ids: Sequence[int], called: Called) -> dict[int, list[tuple[str, int | None]]]:
    """The papers of each topic, in the order in which the team reads it."""
    query = sa.select(col(PaperTopic.topic_id), col(PaperTopic.paper_id), col(PaperTopic.place))
    query = query.where(among(col(PaperTopic.topic_id), "ids")).order_by(
        col(PaperTopic.place), col(PaperTopic.paper_id)
    )
    rows = tx.rows(query, {"ids": list(ids)})
    return _grouped((row[0], (called.papers[row[1]], row[2])) for row in rows if row[1] in called.papers)


def _topics_of(tx: Read, ids: Sequence[int], called: Called) -> dict[int, list[str]]:
    query = sa.select(col(PaperTopic.paper_id), col(PaperTopic.topic_id)).where(among(col(PaperTopic.paper_id), "ids"))
    rows = tx.rows(query.order_by(col(PaperTopic.topic_id)), {"ids": list(ids)})
    return _grouped((row.paper_id, called.topics[row.topic_id]) for row in rows)


def _glosses(tx: Read, ids: Sequence[int]) -> dict[int, dict[str, str]]:
    query = sa.select(col(Gloss.paper_id), col(Gloss.language), col(Gloss.title)).order_by(col(Gloss.language))
    rows = tx.rows(query.where(among(col(Gloss.paper_id), "ids")), {"ids": list(ids)})
    return {number: dict(said) for number, said in _grouped((row[0], (row[1], row[2])) for row in rows).items()}


def _relations(tx: Read, ids: Sequence[int], called: Called) -> dict[int, list[Related]]:
    """To notes of the folder by their names; to others by an identifier, as long as they have one."""
    shown: Sequence[Any] = (Relation.from_id, Relation.to_id, Relation.kind, Relation.note)
    query = sa.select(*map(col, shown)).join(Paper, sa.and_(col(Paper.id) == col(Relation.to_id), present(Paper)))
    query = query.where(among(col(Relation.from_id), "ids")).order_by(col(Relation.id))
    rows = tx.rows(query, {"ids": list(ids)})
    outside = _named(tx, [row.to_id for row in rows if row.to_id not in called.papers])
    places = {
        row.to_id: f"[[{called.papers[row.to_id]}]]" if row.to_id in called.papers else outside.get(row.to_id, "")
        for row in rows
    }
    told = ((row.from_id, Related(row.kind, places[row.to_id], row.note)) for row in rows)
    return _grouped((number, related) for number, related in told if related.to)


def _named(tx: Read, ids: Sequence[int]) -> dict[int, str]:
    query = sa.select(col(Identifier.paper_id), col(Identifier.scheme), col(Identifier.value))
    rows = tx.rows(
        query.where(among(col(Identifier.paper_id), "ids")).order_by(col(Identifier.id).desc()), {"ids": list(ids)}
    )
    return {row.paper_id: f"{row.scheme}:{row.value}" for row in rows}


def _grouped(pairs: Iterable[tuple[int, Any]]) -> dict[int, list[Any]]:
    groups: dict[int, list[Any]] = {}
    for number, value in pairs:
        groups.setdefault(number, []).append(value)
    return groups
