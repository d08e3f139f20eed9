"""Application of one entry: creates or updates its paper, topic, question or lead from the fields of the entry."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import Any

import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import today
from readtrack.infra.db import Read, Write
from readtrack.infra.errors import Invalid
from readtrack.infra.models import Entry, Identifier, Lead
from readtrack.infra.permissions import CurrentUser, find_surviving_paper
from readtrack.ingest.apply_details import DetailsImport, add_reading, add_relations, apply_details
from readtrack.ingest.imports import existing, queries
from readtrack.ingest.imports.existing import ExistingPaper, persistent_identifiers
from readtrack.ingest.imports.propose import is_unidentified_paper, to_titled_work
from readtrack.ingest.imports.reasons import NAME_OF_TOPIC, NOTHING_TO_ADD, OTHER_PAPERS, OTHER_TOPICS
from readtrack.ingest.parser.paper_details import parse_details
from readtrack.library.duplicates.stored_keys import mark_uncompared
from readtrack.library.enrichment.scheduler import enqueue_requests
from readtrack.library.enrichment.versions import parse_version
from readtrack.library.papers.citation_keys import adopt_citation_keys, assign_citation_keys, has_citation_key
from readtrack.library.papers.commands import (
    PaperFields,
    add_links,
    add_paper,
    add_unnamed,
    fill_blank_fields,
    update_known_paper,
)
from readtrack.library.papers.lookup import find_by_ref, find_papers_by_title, is_distinctive, to_title_key
from readtrack.library.topics.commands import add_aliases, find_or_add_topic, link_topic, to_topic_name
from readtrack.library.topics.queries import find_id
from readtrack.metadata import sources
from readtrack.metadata.types import Ref, WebLink
from readtrack.reading.readings.commands import ReadingUpdate, set_reading
from readtrack.reading.readings.queries import find_my_reading
from readtrack.team.questions.commands import note_question
from readtrack.workspace.export.formats import ExportRelation, guess_publication_type

MAX_REASON_CHARS = 2_000
TODAY_UNKNOWN = date.min  # the date of the import is not used as a reading date
_MAX_LINKS = 200  # per entry: an entry with more links is a page of bookmarks, not a paper
_MAX_TWINS = 20  # per paper: generic titles, such as the name of a form or a site, have thousands of addresses


@dataclass(frozen=True)
class ImportContext:
    """What all entries of an import share.

    `twins` maps an identifier to those of its twins in the note.
    """

    note_id: int
    defaults: Mapping[str, Any]
    twins: Mapping[str, Sequence[str]]


def find_twins(tx: Read, import_id: int) -> dict[str, list[str]]:
    """Return papers of a note with the same title but other identifiers, unless undecided or separated by a person."""
    query = sa.select(col(Entry.twin), col(Entry.identifiers)).where(
        col(Entry.revision_id) == import_id,
        queries.IS_ACTIVE,
        col(Entry.twin) != "",
        sa.not_(col(Entry.apart)),
        col(Entry.decision) != "skip",
        sa.not_(queries.IS_UNDECIDED),
    )
    twins: dict[str, list[str]] = {}
    for first, identifiers in tx.execute(query.order_by(*queries.ENTRY_ORDER)):
        twins.setdefault(first, []).extend(persistent_identifiers(identifiers))
    return twins


def to_paper_fields(entry: Entry) -> PaperFields:
    """Return the metadata that the notes give for a new paper, blank where they give none."""
    published_on = _parse_date(entry.published)
    year = entry.year or (int(entry.published[:4]) if entry.published[:4].isdigit() else None)
    return {
        "title": entry.title,
        "kind": entry.paper_kind or "paper",
        "authors": entry.authors,
        "year": year,
        "published_on": published_on,
        "venue": entry.venue,
        "publication_type": entry.publication_type,
        "abstract": entry.abstract,
        "language": entry.language,
    }


def to_missing_fields(entry: Entry) -> PaperFields:
    """Return what the notes may add to a known paper. A type that any export would guess adds nothing."""
    is_guess = entry.publication_type == guess_publication_type(entry.venue)
    return {**to_paper_fields(entry), "publication_type": "" if is_guess else entry.publication_type}


def entry_title(entry: Entry) -> str:
    """Return the title of a topic, question or lead."""
    return entry.title or entry.text


def entry_links(entry: Entry) -> tuple[WebLink, ...]:
    return tuple(WebLink(link["url"], link["role"]) for link in entry.links[:_MAX_LINKS])


def entry_topics(entry: Entry, context: ImportContext) -> tuple[str, ...]:
    """Return the topics of the entry's headings and those chosen for the whole import."""
    return (*entry.topics, *context.defaults.get("topics", ()))


def entry_status(entry: Entry, context: ImportContext) -> str | None:
    """Return the status of the entry, or else that of the whole import."""
    return entry.status or context.defaults.get("status")


def entry_twins(entry: Entry, context: ImportContext) -> list[str]:
    """Return the identifiers of the entry's twins in this note, before and after it."""
    first = persistent_identifiers([entry.twin]) if entry.twin and not entry.apart else []
    twins = (name for identifier in (*entry.identifiers, *first) for name in context.twins.get(identifier, ()))
    return [*first, *islice(twins, _MAX_TWINS)]


def reading_date(read_on: str) -> date:
    """Return the reading date if it is complete and not in the future, otherwise TODAY_UNKNOWN."""
    day = _parse_date(read_on)
    return TODAY_UNKNOWN if day is None or day > today() else day


def _parse_date(text: str) -> date | None:
    """Return the date if it is complete, with year, month and day."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def apply_entry(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> None:
    """Apply the decision of an entry and store the result on it.

    `made` is set if a new object was created.
    """
    if entry.decision == "known" and entry.kind == "topic":
        entry.topic_id = _find_previous_topic(tx, entry)
    elif entry.decision == "known" and entry.kind in queries.PAPER_ENTRY_KINDS:
        _apply_known_paper(tx, me, entry, context)
    elif entry.kind in queries.PAPER_ENTRY_KINDS:
        _apply_paper(tx, me, entry, context)
    elif entry.decision == "known":
        return
    elif entry.kind == "topic":
        entry.topic_id, entry.made = _find_or_add_entry_topic(tx, me, entry)
    elif entry.kind == "question":
        entry.question_id, entry.made = (
            note_question(tx, me, entry_title(entry), topic_id=_find_innermost_topic(tx, entry)),
            True,
        )
    elif entry.kind == "lead":
        entry.lead_id, entry.made = _add_lead(tx, me, entry), True


def _apply_known_paper(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> None:
    entry.paper_id = _find_known_paper(tx, me, entry, context)
    _set_citation_key(tx, entry)
    headings = _list_new_headings(tx, entry)
    _file_paper(tx, me, entry, topics=(*headings, *context.defaults.get("topics", ())))
    if not _apply_details(tx, me, entry):
        _apply_status(tx, me, entry.paper_id, context.defaults.get("status"))


def _apply_paper(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> None:
    entry.paper_id, entry.made = _find_or_add_paper(tx, me, entry, context)
    _set_citation_key(tx, entry)
    _file_paper(tx, me, entry, topics=entry_topics(entry, context))
    if not _apply_details(tx, me, entry):
        status = entry_status(entry, context)
        reading_fields = {"read_on": entry.read_on, "version": parse_version(entry.raw)} if entry.status else {}
        _apply_status(tx, me, entry.paper_id, status, **reading_fields)


def _set_citation_key(tx: Write, entry: Entry) -> None:
    """Give a new paper, or one without a key, the citation key of the file, else one of its own."""
    paper_id = entry.paper_id
    if paper_id is not None and (entry.made or not has_citation_key(tx, paper_id)):
        adopt_citation_keys(tx, {paper_id: entry.citation_key})
        assign_citation_keys(tx, [paper_id])


def _find_known_paper(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> int | None:
    """Return the paper of an entry that adds nothing new.

    Papers that people deleted or unfiled are left as they are.
    """
    is_exported = entry.details is not None
    has_common_title = is_unidentified_paper(vars(entry)) and not (is_exported or is_distinctive(entry.title))
    identifiers, papers_by_identifier = (
        persistent_identifiers(entry.identifiers),
        existing.find_existing_papers(tx, entry.identifiers),
    )
    papers_by_title = (
        existing.find_existing_by_title(tx, [to_titled_work(vars(entry))], any_title=is_exported)
        if is_unidentified_paper(vars(entry))
        else {}
    )
    present_ids = [
        paper.id for paper in (*papers_by_identifier.values(), *papers_by_title.values()) if paper.is_present
    ]
    previous_id = existing.find_previous_paper(tx, entry.fingerprint, context.note_id if has_common_title else None)
    paper_id = previous_id or next(iter(present_ids), None)
    # a person may have changed the identifiers of the paper since the last import
    if paper_id is not None and (paper_id in present_ids or not identifiers):
        _add_identifiers(tx, paper_id, [name for name in identifiers if name not in papers_by_identifier])
        add_links(tx, paper_id, entry_links(entry))
        fill_blank_fields(tx, me, paper_id, to_missing_fields(entry))
    return paper_id


def _list_new_headings(tx: Write, entry: Entry) -> list[str]:
    """Return the topics under which no earlier note had the same words, to file a known paper there too.

    Topics that a person removed from the paper count as earlier ones, so they are not added again.
    """
    query = sa.select(col(Entry.topics), col(Entry.proposed)).where(
        col(Entry.fingerprint) == entry.fingerprint,
        col(Entry.done_at).is_not(None),
        col(Entry.revision_id) != entry.revision_id,  # otherwise the result would depend on where a batch ends
    )
    known_topics = {
        name for topics, proposed in tx.execute(query) for name in (*topics, *(proposed or {}).get("topics", ()))
    }
    return [name for name in entry.topics if name not in known_topics]


def _file_paper(tx: Write, me: CurrentUser, entry: Entry, *, topics: Iterable[str]) -> None:
    if entry.paper_id is None:
        return
    for name in topics:
        link_topic(tx, me, entry.paper_id, find_or_add_topic(tx, me, name))


def _find_or_add_paper(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> tuple[int, bool]:
    """Return the paper of an entry and whether it was created; add unused identifiers to it.

    A deleted paper is restored only if the entry itself names it and no other paper matches.
    """
    identifiers = persistent_identifiers(entry.identifiers)
    all_identifiers = [*identifiers, *entry_twins(entry, context)]
    if not all_identifiers:
        return _find_or_add_by_title(tx, me, entry, context)
    papers_by_identifier = existing.find_existing_papers(tx, all_identifiers)
    present_papers = {
        name: papers_by_identifier[name]
        for name in all_identifiers
        if name in papers_by_identifier and papers_by_identifier[name].is_present
    }
    match = next(iter(present_papers.values()), None) or next(
        (papers_by_identifier[name] for name in identifiers if name in papers_by_identifier), None
    )
    if match is None and not identifiers:
        return _find_or_add_by_title(tx, me, entry, context)
    if match is None:
        return _add_identified_paper(tx, me, entry)
    paper_id = update_known_paper(tx, me, match.id, to_missing_fields(entry))
    _add_identifiers(tx, paper_id, [name for name in identifiers if name not in papers_by_identifier])
    add_links(tx, paper_id, entry_links(entry))
    _flag_other_papers(entry, paper_id, present_papers)
    return paper_id, False


def _flag_other_papers(entry: Entry, paper_id: int, papers: Mapping[str, ExistingPaper]) -> None:
    """Flag an entry whose identifiers belong to different papers, for a person to merge them or not."""
    others = sorted({name for name, paper in papers.items() if paper.id != paper_id})
    if others:
        entry.decision = "review"
        entry.reason = OTHER_PAPERS.format(names=", ".join(others[:5]))


def _add_identified_paper(tx: Write, me: CurrentUser, entry: Entry) -> tuple[int, bool]:
    """Create a paper with identifiers, or add them to the existing paper of that title that has none."""
    first, *others = persistent_identifiers(entry.identifiers)
    unidentified_id = _find_unidentified_paper(tx, entry)
    if unidentified_id is None:
        paper_id, _ = add_paper(tx, me, Ref.parse(first), links=entry_links(entry), **to_paper_fields(entry))
    else:
        paper_id = update_known_paper(tx, me, unidentified_id, to_missing_fields(entry))
        _add_identifiers(tx, paper_id, [first])
        add_links(tx, paper_id, entry_links(entry))
    _add_identifiers(tx, paper_id, others)
    return paper_id, unidentified_id is None


def _find_unidentified_paper(tx: Write, entry: Entry) -> int | None:
    if not is_distinctive(entry.title) or _is_separated(entry):
        return None
    paper = find_papers_by_title(tx, {entry.title}, without_identifiers=True).get(
        (entry.paper_kind or "paper", to_title_key(entry.title))
    )
    return paper.id if paper and paper.exists else None


def _find_or_add_by_title(tx: Write, me: CurrentUser, entry: Entry, context: ImportContext) -> tuple[int, bool]:
    """Return the existing paper of that title, if title and authors tell it, or add a paper without identifiers."""
    if not entry.title.strip():
        raise Invalid(NOTHING_TO_ADD)
    work = to_titled_work(vars(entry))
    match = existing.find_existing_by_title(tx, [work], any_title=entry.details is not None).get(work)
    paper_id = match.id if match else existing.find_paper_in_note(tx, context.note_id, work.kind, work.title)
    if _is_separated(entry):
        paper_id = None
    if paper_id is None:
        new_id = add_unnamed(tx, me, **to_paper_fields(entry))
        add_links(tx, new_id, entry_links(entry))
        return new_id, True
    update_known_paper(tx, me, paper_id, to_missing_fields(entry))
    add_links(tx, paper_id, entry_links(entry))
    return paper_id, False


def _is_separated(entry: Entry) -> bool:
    """Return True if a person said that the paper of the same title in the library is another work."""
    return entry.apart and entry.twin.startswith(existing.PAPER)


def _add_identifiers(tx: Write, paper_id: int, identifiers: Sequence[str]) -> None:
    """Add identifiers that no paper has yet, and enqueue metadata requests for them."""
    for ref in map(Ref.parse, dict.fromkeys(identifiers)):
        tx.add(Identifier(paper_id=paper_id, scheme=ref.scheme, value=ref.key))
        tx.flush()
        add_links(tx, paper_id, sources.by_name(ref.scheme).links(ref.key))
    if identifiers:
        mark_uncompared(tx, [paper_id])
        enqueue_requests(tx, [paper_id])


def _apply_status(
    tx: Write, me: CurrentUser, paper_id: int | None, status: str | None, *, read_on: str = "", version: str = ""
) -> None:
    """Set the reading status for the importing person, unless they have one already."""
    if paper_id is None or not status or find_my_reading(tx, me, paper_id) is not None:
        return
    day = reading_date(read_on)
    for step in ("reading", "paused") if status == "paused" else (status,):
        version_fields = {"version": version} if version and step in {"reading", "read"} else {}
        set_reading(tx, me, paper_id, ReadingUpdate.model_validate({"status": step, **version_fields}), changed_on=day)


def _apply_details(tx: Write, me: CurrentUser, entry: Entry) -> bool:
    """Apply what an export says about the paper, except its relations. Return True if that settles its status.

    A status that a person changed in the preview counts instead of the reading.
    """
    if entry.paper_id is None or not entry.details:
        return False
    details, _unreadable_count = parse_details(entry.details)
    details_import = DetailsImport(tx, me)
    apply_details(details_import, entry.paper_id, details)
    reading = details.reading if details.reading and details.reading.status == entry.status else None
    if reading is not None:
        with details_import.part():
            add_reading(details_import, entry.paper_id, reading)
    if details_import.problems:
        reason = "" if entry.decision == "known" else entry.reason
        sentences = dict.fromkeys(filter(None, (reason, *details_import.problems)))
        entry.reason = " ".join(sentences)[:MAX_REASON_CHARS]
    return reading is not None


def relate_paper(tx: Write, me: CurrentUser, entry: Entry) -> None:
    """Add the relations that an export gives for the paper of an entry. The other papers have been added by now."""
    details, _unreadable_count = parse_details({"relations": (entry.details or {}).get("relations")})
    if entry.paper_id is None or not details.relations:
        return
    ids_in_file = [relation.paper for relation in details.relations if relation.paper is not None]
    id_in_file = col(Entry.details)["id"].as_integer()
    query = sa.select(id_in_file.label("number"), col(Entry.paper_id)).where(
        col(Entry.revision_id) == entry.revision_id, id_in_file.in_(ids_in_file), col(Entry.paper_id).is_not(None)
    )
    paper_ids = {row.number: row.paper_id for row in tx.execute(query)}

    def find_paper(relation: ExportRelation) -> int | None:
        ref = sources.parse_ref(relation.identifier)
        found_id = paper_ids.get(relation.paper) or (find_by_ref(tx, ref) if ref else None)
        return (find_surviving_paper(tx, found_id) or found_id) if found_id else None

    paper_id = find_surviving_paper(tx, entry.paper_id) or entry.paper_id
    add_relations(DetailsImport(tx, me), paper_id, details.relations, find_paper)


def _find_or_add_entry_topic(tx: Write, me: CurrentUser, entry: Entry) -> tuple[int, bool]:
    """Return the topic of a heading, created under its nearest ancestor topic.

    An existing topic is not moved.
    """
    name, aliases = entry_title(entry), entry.aliases if entry.alias_taken else []
    keys = map(to_topic_name, (name, *aliases))
    existing_id = next((found_id for key in keys if (found_id := find_id(tx, key)) is not None), None)
    topic_id = (
        existing_id
        if existing_id is not None
        else find_or_add_topic(tx, me, name, parent_id=_find_innermost_topic(tx, entry))
    )
    if conflicts := add_aliases(tx, me, topic_id, [name, *aliases]) if aliases else []:
        entry.decision = "review"
        descriptions = "; ".join(
            NAME_OF_TOPIC.format(alias=conflict.alias, name=conflict.name) for conflict in conflicts
        )
        entry.reason = OTHER_TOPICS.format(conflicts=descriptions)
    return topic_id, existing_id is None


def _find_innermost_topic(tx: Read, entry: Entry) -> int | None:
    """Return the topic of the nearest heading above."""
    ids = (find_id(tx, to_topic_name(heading)) for heading in reversed(entry.topics))
    return next((topic_id for topic_id in ids if topic_id is not None), None)


def _find_previous_topic(tx: Write, entry: Entry) -> int | None:
    """Return the topic that was created from the same words in the last import."""
    conditions = (col(Entry.fingerprint) == entry.fingerprint, col(Entry.topic_id).is_not(None))
    return tx.scalar(sa.select(col(Entry.topic_id)).where(*conditions).order_by(col(Entry.id).desc()).limit(1))


def _add_lead(tx: Write, me: CurrentUser, entry: Entry) -> int:
    lead = Lead(text=entry_title(entry), topic_id=_find_innermost_topic(tx, entry), created_by=me.id)
    tx.add(lead)
    tx.flush()
    return lead.id or 0
