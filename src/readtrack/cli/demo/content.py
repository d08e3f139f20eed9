"""Parsing of the demo's files into frozen dataclasses. All dates are relative: days ago."""

import json
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from readtrack.ingest.sample_notes import read_sample_notes

_STEP = re.compile(
    r"(?P<days>\d+) (?P<status>[a-z_]+)(?: (?P<depth>skimmed|read|studied))?"
    r"(?: (?P<recommendation>must_read|worth_it|optional|skip))?(?: (?P<priority>first|later))?"
    r"(?: (?P<at>\d+)(?:/(?P<of>\d+)|%))?(?: \((?P<reason>.+)\))?"
)
_PRIORITIES = {"first": 1, "later": -1}


@dataclass(frozen=True)
class DemoPerson:
    name: str
    email: str
    role: str
    language: str


@dataclass(frozen=True)
class DemoTopic:
    """Parents come before their children.

    `parent` is a slug or blank, `description` is Markdown.
    """

    slug: str
    name: str
    aliases: tuple[str, ...]
    description: str
    parent: str = ""


@dataclass(frozen=True)
class DemoPaper:
    """`slug` is used within the demo only; identifiers are "scheme:key", links are (URL, role)."""

    slug: str
    kind: str
    title: str
    authors: tuple[str, ...]
    year: int | None
    published_on: date | None
    venue: str
    language: str
    identifiers: tuple[str, ...]
    links: tuple[tuple[str, str], ...]
    topics: tuple[str, ...]
    added_by: str
    added_days_ago: int


@dataclass(frozen=True)
class DemoProgress:
    unit: str
    at: int
    of: int | None = None


@dataclass(frozen=True)
class DemoStep:
    """A change of status. `reading` after `read` starts the next pass."""

    days_ago: int
    status: str
    depth: str = ""
    progress: DemoProgress | None = None
    reason: str = ""
    recommendation: str = ""
    priority: int = 0

    @classmethod
    def parse(cls, text: str) -> "DemoStep":
        """Parse `120 paused 6/14`, `90 read studied must_read`, `30 to_read first`, `60 dropped (why)`.

        Raise ValueError if the text has another form.
        """
        match = _STEP.fullmatch(text)
        if not match:
            raise ValueError(f"{text!r} is no step; expected days ago, status, then what belongs to it.")
        return cls(
            days_ago=int(match["days"]),
            status=match["status"],
            depth=match["depth"] or "",
            progress=_progress(match["at"], match["of"]),
            reason=match["reason"] or "",
            recommendation=match["recommendation"] or "",
            priority=_PRIORITIES.get(match["priority"], 0),
        )


@dataclass(frozen=True)
class DemoReading:
    """A person's reading of a paper, oldest step first."""

    person: str
    paper: str
    steps: tuple[DemoStep, ...]
    private: bool = False


@dataclass(frozen=True)
class DemoSummary:
    person: str
    paper: str
    days_ago: int
    tldr: str
    markdown: str
    private: bool = False


@dataclass(frozen=True)
class DemoAction:
    """A discussion or planning action.

    `name` lets later actions refer to it; `fields` holds the other fields.
    """

    days_ago: int
    person: str
    action: str
    name: str
    fields: Mapping[str, Any]


@dataclass(frozen=True)
class DemoContent:
    """Papers, readings and summaries refer to people by name, and to papers and topics by slug."""

    people: tuple[DemoPerson, ...]
    topics: tuple[DemoTopic, ...]
    papers: tuple[DemoPaper, ...]
    readings: tuple[DemoReading, ...]
    summaries: tuple[DemoSummary, ...]
    actions: tuple[DemoAction, ...]
    notes_title: str
    notes: str


@cache
def load() -> DemoContent:
    """Load the demo's files. Raise ValueError with a sentence if they are inconsistent."""
    content = DemoContent(
        people=tuple(DemoPerson(**row) for row in _toml("people")["people"]),
        topics=tuple(DemoTopic(**row | {"aliases": tuple(row["aliases"])}) for row in _toml("topics")["topics"]),
        papers=tuple(_paper(row) for row in json.loads(_text("papers.json"))),
        readings=tuple(_readings(_toml("readings"))),
        summaries=tuple(DemoSummary(**row) for row in _toml("summaries")["summaries"]),
        actions=tuple(_parse_action(row) for row in _toml("team")["deeds"]),
        notes_title="Reading list of the systems group",
        notes=read_sample_notes(),
    )
    for problem in _find_problems(content):
        raise ValueError(problem)
    return content


def _text(name: str) -> str:
    return files("readtrack.cli.demo").joinpath(name).read_text(encoding="utf-8")


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads(_text(f"{name}.toml"))


def _paper(row: Mapping[str, Any]) -> DemoPaper:
    lists = {name: tuple(row[name]) for name in ("authors", "identifiers", "topics")}
    published_on = date.fromisoformat(row["published_on"]) if row["published_on"] else None
    links = tuple((address, role) for address, role in row["links"])
    return DemoPaper(**{**row, **lists, "published_on": published_on, "links": links})


def _parse_action(row: Mapping[str, Any]) -> DemoAction:
    own_fields = ("days_ago", "by", "does", "name")
    values = {name: value for name, value in row.items() if name not in own_fields}
    return DemoAction(row["days_ago"], row["by"], row["does"], row.get("name", ""), values)


def _readings(table: Mapping[str, Mapping[str, str]]) -> Iterator[DemoReading]:
    for person, papers in table.items():
        for paper, text in papers.items():
            is_private = text.startswith("private; ")
            steps = tuple(DemoStep.parse(step) for step in text.removeprefix("private; ").split("; "))
            yield DemoReading(person, paper, steps, private=is_private)


def _progress(position: str | None, total: str | None) -> DemoProgress | None:
    if position is None:
        return None
    return DemoProgress("page", int(position), int(total)) if total else DemoProgress("percent", int(position), 100)


def _find_problems(content: DemoContent) -> Iterator[str]:
    people = {person.name for person in content.people}
    papers = {paper.slug for paper in content.papers}
    topics = {topic.slug for topic in content.topics}
    rows: tuple[DemoReading | DemoSummary, ...] = (*content.readings, *content.summaries)
    used_people = {row.person for row in rows} | {paper.added_by for paper in content.papers}
    used_people |= {action.person for action in content.actions}
    used_papers = {row.paper for row in rows} | {
        action.fields["paper"] for action in content.actions if "paper" in action.fields
    }
    used_topics = {slug for paper in content.papers for slug in paper.topics}
    used_topics |= {topic.parent for topic in content.topics} - {""}
    yield from _find_missing_names("person", used_people - people)
    yield from _find_missing_names("paper", used_papers - papers)
    yield from _find_missing_names("topic", used_topics - topics)
    yield from _find_duplicate_names("paper", [paper.slug for paper in content.papers])
    yield from _find_duplicate_names("identifier", [name for paper in content.papers for name in paper.identifiers])
    yield from _find_duplicate_names("summary", [f"{row.person} on {row.paper}" for row in content.summaries])
    yield from _find_duplicate_names("topic", [topic.slug for topic in content.topics])


def _find_missing_names(noun: str, names: Iterable[str]) -> Iterator[str]:
    return (f"The demo speaks of the {noun} {name!r}, which it does not describe." for name in sorted(names))


def _find_duplicate_names(noun: str, names: list[str]) -> Iterator[str]:
    return (
        f"The demo has the {noun} {name!r} twice."
        for name in sorted({candidate for candidate in names if names.count(candidate) > 1})
    )
