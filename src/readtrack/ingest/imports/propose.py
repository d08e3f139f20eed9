"""Proposed entries for the lines of a note, from parser, rules and existing papers."""

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import structlog
from sqlalchemy.exc import SQLAlchemyError

from readtrack import search
from readtrack.infra.db import Read
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.jobs import queue
from readtrack.infra.text import normalize
from readtrack.infra.text.normalize import clean_line
from readtrack.ingest import parser
from readtrack.ingest.imports.existing import (
    PAPER,
    ExistingPaper,
    TitledWork,
    find_existing_by_title,
    find_existing_papers,
    find_further_titles,
    find_namesakes,
    find_notes_by_fingerprint,
    find_paper_in_note,
    find_titles,
    persistent_identifiers,
)
from readtrack.ingest.imports.reasons import (
    DELETED_BEFORE,
    IMPORTED_BEFORE,
    IN_LIBRARY,
    LOOKS_LIKE,
    OTHER_TITLE_IN_LIBRARY,
)
from readtrack.ingest.imports.rules import RuleInput, Rules, entry_address, load_rules
from readtrack.ingest.parser.deduplicate import is_similar_title
from readtrack.ingest.parser.paper_details import details_to_json, parse_details
from readtrack.ingest.parser.reasons import UNREAD
from readtrack.library.duplicates.blocking import ComparedPaper
from readtrack.library.duplicates.similar_titles import find_similar_papers
from readtrack.library.papers.lookup import is_distinctive, list_unidentified
from readtrack.metadata.types import Ref, WebLink

PLAIN = (
    "part", "kind", "paper_kind", "title", "venue", "year", "status", "text", "published", "read_on", "rating",
    "abstract", "language", "publication_type", "citation_key", "twin", "raw", "decision", "reason",
)  # fmt: skip
Row = Mapping[str, Any]
_SHOWN = 200  # letters of a title
log = structlog.get_logger()


def to_rows(entries: Sequence[parser.ParsedEntry], first: int = 1) -> list[dict[str, Any]]:
    """Return entries as rows of the entry table. One that can't be a row stays in the notes for review.

    `first`: the position of the first entry.
    """
    return [_to_any_row(entry, position) for position, entry in enumerate(entries, first)]


def _to_any_row(entry: parser.ParsedEntry, position: int) -> dict[str, Any]:
    with queue.isolate_errors("failed to build row", line=entry.first) as outcome:
        row = to_row(entry, position)
    if outcome.problem is None:
        return row
    raw = clean_line(entry.raw or entry.text or entry.title)
    unread = parser.ParsedEntry(entry.first, entry.last, entry.part, "snippet", text=raw, raw=raw)
    return _build_row(replace(unread, decision="review", reason=UNREAD), position, _hash(raw))


def to_row(entry: parser.ParsedEntry, position: int) -> dict[str, Any]:
    """Return an entry as a row of the entry table."""
    return _build_row(entry, position, fingerprint(entry))


def _build_row(entry: parser.ParsedEntry, position: int, fingerprint: str) -> dict[str, Any]:
    return {
        **{name: getattr(entry, name) for name in PLAIN},
        "position": position,
        "first_line": entry.first,
        "last_line": entry.last,
        "identifiers": list(entry.identifiers),
        "links": [{"url": link.url, "role": link.role} for link in entry.links],
        "topics": list(entry.topics),
        "authors": list(entry.authors),
        "aliases": list(entry.aliases),
        "details": details_to_json(entry.details) if entry.details is not None else None,
        "rules": [],
        "apart": False,
        "alias_taken": False,
        "made": False,
        "fingerprint": fingerprint,
    }


def from_row(row: Row) -> parser.ParsedEntry:
    """Return the entry of a row. Inverse of to_row."""
    lists: dict[str, Any] = {name: tuple(row[name]) for name in ("identifiers", "topics", "authors", "aliases")}
    links = tuple(WebLink(link["url"], link["role"]) for link in row["links"])
    fields = {name: row[name] for name in PLAIN}
    details = parse_details(row["details"])[0] if row["details"] is not None else None
    return parser.ParsedEntry(
        first=row["first_line"], last=row["last_line"], links=links, details=details, **fields, **lists
    )


def propose_rows(tx: Read, entries: Sequence[parser.ParsedEntry], rows: Sequence[Row], note_id: int) -> Sequence[Row]:
    """Apply the team's rules to the rows and mark what the library already has as known."""
    rules = Rules(load_rules(tx))
    if rules:
        rows = [
            row if row["reason"] == UNREAD else _apply_rules(rules, entry, row)
            for entry, row in zip(entries, rows, strict=True)
        ]
    return mark_known_rows(tx, rows, note_id)


def fingerprint(entry: parser.ParsedEntry) -> str:
    """Return a hash that is equal for entries of the same content, to recognise them in later revisions.

    A mention has the hash of its paper: which of two lines is the mention depends on their order, which may change.
    """
    kind = "paper" if entry.kind == "mention" else entry.kind
    content = "\0".join((kind, *entry.identifiers, normalize.key(entry.title), normalize.key(entry.text)))
    return _hash(content)


def _hash(content: str) -> str:
    return hashlib.sha256(content.encode()).hexdigest()[:32]


def to_search_document(row: Row) -> search.Document:
    """Return the search document of an entry, an empty one if its words can't be indexed."""
    with queue.isolate_errors("failed to build search document", line=row["first_line"]) as outcome:
        document = search.entry_document(row["title"], row["text"], row["raw"])
    return document if outcome.problem is None else search.entry_document("", "", "")


def mark_known_rows(tx: Read, rows: Sequence[Row], note_id: int) -> list[Row]:
    """Mark the rows that are already in the library as known. One that can't be compared with it stays as it is.

    Errors of the database are raised, because they are not caused by a row.
    """
    with queue.isolate_errors("failed to compare rows together", ReadtrackError, SQLAlchemyError) as outcome:
        compared_rows = _mark_together(tx, rows, note_id)
    if outcome.problem is not None:
        compared_rows = [compared for row in rows for compared in _mark_alone(tx, row, note_id)]
    return compared_rows


def _mark_alone(tx: Read, row: Row, note_id: int) -> Sequence[Row]:
    with queue.isolate_errors(
        "failed to compare row", ReadtrackError, SQLAlchemyError, line=row["first_line"]
    ) as outcome:
        compared_rows = _mark_together(tx, [row], note_id)
    return compared_rows if outcome.problem is None else [row]


def _mark_together(tx: Read, rows: Sequence[Row], note_id: int) -> list[Row]:
    rows = _take_titles(tx, rows)
    papers = find_existing_papers(tx, {name for row in rows for name in row["identifiers"]})
    unidentified = [row for row in rows if is_unidentified_paper(row)]
    papers_by_title = find_existing_by_title(tx, {to_titled_work(row) for row in rows if _is_comparable(row)})
    exported_by_title = find_existing_by_title(
        tx, {to_titled_work(row) for row in unidentified if row["details"] is not None}, any_title=True
    )
    # Blank and skipped lines stay what they are, and thousands of them have the same fingerprint.
    imported_notes = find_notes_by_fingerprint(tx, sorted({row["fingerprint"] for row in rows if _is_open(row)}))
    rows = [
        _mark_known(
            row,
            _list_existing(row, papers, papers_by_title if row["details"] is None else exported_by_title),
            _is_repeat(row, imported_notes, note_id),
        )
        for row in rows
    ]
    rows = _doubt_other_titles(tx, rows, papers, imported_notes)
    return _mark_similar_rows(tx, rows, papers_by_title, note_id)


def _take_titles(tx: Read, rows: Sequence[Row]) -> list[Row]:
    """Turn lines that are the very title of a paper of the library, and head nothing, into papers."""
    headings = {topic for row in rows for topic in row["topics"]}
    titles = {
        number: title
        for number, row in enumerate(rows)
        if row["kind"] in {"topic", "snippet", "lead"} and not row["identifiers"]
        if (title := row["title"] or row["text"]) not in headings
        if len(title) <= _SHOWN and is_distinctive(title)
    }
    found = find_existing_by_title(tx, {TitledWork("paper", title) for title in titles.values()})
    named = {work.title for work, paper in found.items() if paper.is_present}
    as_paper = {"kind": "paper", "paper_kind": "paper", "text": "", "decision": "add", "reason": ""}
    return [
        {**row, **as_paper, "title": titles[number]} if titles.get(number) in named else row
        for number, row in enumerate(rows)
    ]


def is_unidentified_paper(row: Row) -> bool:
    """Return True for a paper without a persistent identifier."""
    return row["kind"] in {"paper", "mention"} and not persistent_identifiers(row["identifiers"]) and bool(row["title"])


def to_titled_work(row: Row) -> TitledWork:
    """Return the work of a row, as it is looked up by its title."""
    return TitledWork(row["paper_kind"] or "paper", row["title"], tuple(row["authors"]), row["year"])


def _is_comparable(row: Row) -> bool:
    """Return True for a paper whose title is compared with those of the library."""
    is_work = row["kind"] == "paper" and row["paper_kind"] in {"", "paper"} and bool(row["title"])
    return is_work or is_unidentified_paper(row)


def _mark_similar_rows(
    tx: Read, rows: Sequence[Row], papers_by_title: Mapping[TitledWork, ExistingPaper], note_id: int
) -> list[Row]:
    """Mark the rows that are not known but look like a paper of the library: a person decides whether they are it.

    A row of the very title of a paper without identifiers is taken for that paper unless a person separates them. A
    short title has to be decided, unless its paper came from the same note.
    """
    new_rows = {
        number: row
        for number, row in enumerate(rows, 1)
        if _is_comparable(row)
        and row["details"] is None  # records of readtrack's own exports are what they say
        and (row["decision"] == "add" or row["reason"] == LOOKS_LIKE)
        and not row["twin"]
    }
    works = {number: to_titled_work(row) for number, row in new_rows.items()}
    same = {number: papers_by_title.get(work) for number, work in works.items()}
    matches = {number: paper.id for number, paper in same.items() if paper and paper.is_present}
    unidentified_ids = list_unidentified(tx, set(matches.values()))
    similar = find_similar_papers(
        tx, [_to_compared_paper(-number, row) for number, row in new_rows.items() if number not in matches]
    )
    found = {
        work: paper.id
        for work, paper in find_namesakes(tx, works.values()).items()
        if paper.is_present and find_paper_in_note(tx, note_id, work.kind, work.title) is None
    }
    namesakes = {number: found[work] for number, work in works.items() if work in found}
    matches = namesakes | matches | {-work_id: paper_id for work_id, paper_id in similar.items()}
    unidentified_ids -= {*similar.values(), *namesakes.values()}
    return [_mark_similar(row, matches.get(number), unidentified_ids) for number, row in enumerate(rows, 1)]


def _mark_similar(row: Row, paper_id: int | None, unidentified_ids: Collection[int]) -> Row:
    if paper_id is None:
        return row
    doubt = {} if paper_id in unidentified_ids else {"decision": "review", "reason": LOOKS_LIKE}
    return {**row, **doubt, "twin": f"{PAPER}{paper_id}"}


def _to_compared_paper(work_id: int, row: Row) -> ComparedPaper:
    refs = tuple(map(Ref.parse, persistent_identifiers(row["identifiers"])))
    return ComparedPaper(work_id, row["title"], tuple(row["authors"]), row["year"], refs=refs)


def _apply_rules(rules: Rules, entry: parser.ParsedEntry, row: Row) -> Row:
    """Apply the rules to a row, or return it unchanged if a rule fails.

    The fingerprint is kept: the line is the same whatever the rules change.
    """
    try:
        address = entry_address(entry.identifiers, [link.url for link in entry.links])
        changes = rules.changes(
            RuleInput(
                kind=entry.kind,
                paper_kind=entry.paper_kind,
                title=entry.title,
                topics=entry.topics,
                address=address,
                decision=entry.decision,
            )
        )
    except Exception:
        log.exception("failed to apply import rule", line=entry.first)
        return row
    return {**row, **changes} if changes else row


def _mark_known(row: Row, existing_papers: Sequence[ExistingPaper], before: bool) -> Row:  # noqa: FBT001
    if not _is_open(row) or not (existing_papers or before):
        return row
    by_title = [paper.id for paper in existing_papers if paper.is_present and is_unidentified_paper(row)]
    twin = f"{PAPER}{by_title[0]}" if by_title else row["twin"]  # shown, so that a person can separate them
    return {**row, "decision": "known", "reason": _known_reason(existing_papers), "twin": twin}


def _doubt_other_titles(
    tx: Read, rows: Sequence[Row], papers: Mapping[str, ExistingPaper], imported_notes: Mapping[str, set[int]]
) -> list[Row]:
    """Mark rows for review that name a paper by its identifier but by clearly another title: one of them is wrong."""
    named = {
        number: next((papers[name].id for name in row["identifiers"] if name in papers), 0)
        for number, row in enumerate(rows)
        if _states_title(row) and row["fingerprint"] not in imported_notes
    }
    titles = find_titles(tx, {*named.values()} - {0})
    differing = {
        number: paper_id for number, paper_id in named.items() if _differs(rows[number], [titles.get(paper_id, "")])
    }
    further_titles = find_further_titles(tx, {*differing.values()})
    result = list(rows)
    for number, paper_id in differing.items():
        if _differs(rows[number], further_titles.get(paper_id, ())):
            reason = OTHER_TITLE_IN_LIBRARY.format(title=titles[paper_id][:_SHOWN])
            result[number] = {**rows[number], "decision": "review", "reason": reason}
    return result


def _differs(row: Row, titles: Iterable[str]) -> bool:
    """Return True if the title of a row is clearly another than all of these. A blank one is like any."""
    return not any(not title or is_similar_title(row["title"], title) for title in titles)


def _states_title(row: Row) -> bool:
    is_known = row["decision"] == "known" and row["reason"] == IN_LIBRARY
    return is_known and row["kind"] == "paper" and row["details"] is None and bool(row["title"])


def _is_open(row: Row) -> bool:
    return row["decision"] in {"add", "review"}


def _list_existing(
    row: Row, papers: Mapping[str, ExistingPaper], papers_by_title: Mapping[TitledWork, ExistingPaper]
) -> list[ExistingPaper]:
    matches = [papers[name] for name in row["identifiers"] if name in papers]
    title_match = papers_by_title.get(to_titled_work(row)) if is_unidentified_paper(row) else None
    return [*matches, *([title_match] if title_match else [])]


def _is_repeat(row: Row, imported_notes: Mapping[str, set[int]], note_id: int) -> bool:
    """Return True if the same words were imported before.

    Short titles count only within the same note.
    """
    note_ids = imported_notes.get(row["fingerprint"], set())
    if is_unidentified_paper(row) and not (row["details"] is not None or is_distinctive(row["title"])):
        return note_id in note_ids
    return bool(note_ids)


def _known_reason(existing_papers: Sequence[ExistingPaper]) -> str:
    if not existing_papers:
        return IMPORTED_BEFORE
    return IN_LIBRARY if any(paper.is_present for paper in existing_papers) else DELETED_BEFORE
