"""A person's corrections of entries before their import is committed, and the rules that follow from a correction.

Such a rule is applied to the rest of the import.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal

import sqlalchemy as sa
from pydantic import Field, ValidationError
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import PAPER_KINDS, Entry, PaperKind
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize, urls
from readtrack.infra.validation import OneLine, TrimmedModel
from readtrack.ingest.imports import existing, queries
from readtrack.ingest.imports.existing import FILE
from readtrack.ingest.imports.queries import EntryFilter
from readtrack.ingest.imports.reasons import CORRECTED, KEPT, translate_reason
from readtrack.ingest.imports.review_queue import (
    change_entry,
    get_import_for_update,
    lock_entries,
    reindex_entries,
    restore_entries,
)
from readtrack.ingest.imports.rules import (
    RuleCreate,
    RuleInput,
    Rules,
    add_rule,
    entry_address,
    load_rules,
    normalize_address,
)
from readtrack.ingest.imports.section_topics import (
    HeadingChange,
    Path,
    end_heading,
    heading_path,
    is_heading,
    original_path,
    update_topics_below,
)
from readtrack.metadata import sources

_NOT_TOLD = N_(
    "This change can't be saved as a rule. Rules set the kind of a site, skip a site, or rename or ignore one heading."
)
LEFT_OUT = ("junk", "blank")  # kinds that create nothing
_MAX_TITLE_CHARS = 1000


def create_rule_from_edit(tx: Write, me: CurrentUser, entry: Entry) -> None:
    """Create a rule from a person's changes to this entry, and apply it to the rest of the import.

    Raise Invalid if no rule can be derived from the changes.
    """
    try:
        new_rule = _derive_rule({**vars(entry), **(entry.proposed or {})}, entry)
    except ValidationError:  # a heading longer than a rule allows, or a host without a name
        new_rule = None
    if new_rule is None:
        raise Invalid(_(_NOT_TOLD), [FieldError("/keep_rule", "no-rule", _(_NOT_TOLD))])
    rule_id = add_rule(tx, me, new_rule)
    change_entry(entry, {"rules": [*entry.rules, *({rule_id} - set(entry.rules))]})
    rules = Rules(rule for rule in load_rules(tx) if rule.id == rule_id)
    _apply_to_rest(tx, entry, rules)


def _derive_rule(before: Mapping[str, Any], entry: Entry) -> RuleCreate | None:
    """Return the general rule that the correction implies, or None."""
    if before["kind"] == "topic":
        return _derive_heading_rule(before, entry)
    site = normalize_address(entry_address(before["identifiers"], [link["url"] for link in entry.links])).partition(
        "/"
    )[0]
    if site and entry.decision == "skip" != before["decision"]:
        return RuleCreate(pattern="host", value=site, says="skip")
    if site and entry.kind in queries.PAPER_ENTRY_KINDS and entry.paper_kind != before["paper_kind"]:
        return RuleCreate(pattern="host", value=site, says="kind", name=entry.paper_kind)
    return _derive_topic_rule(before["topics"], entry.topics)


def _derive_heading_rule(before: Mapping[str, Any], entry: Entry) -> RuleCreate | None:
    if entry.kind == "snippet" or entry.decision == "skip":
        return RuleCreate(pattern="heading", value=before["title"], says="no_topic")
    if entry.kind == "topic" and normalize.key(entry.title) != normalize.key(before["title"]):
        return RuleCreate(pattern="heading", value=before["title"], says="topic", name=entry.title)
    return None


def _derive_topic_rule(before: list[str], after: list[str]) -> RuleCreate | None:
    """Return a rule for a single heading that was removed or replaced."""
    removed = [topic for topic in before if topic not in after]
    added = [topic for topic in after if topic not in before]
    if len(removed) != 1 or len(added) > 1:
        return None
    if added:
        return RuleCreate(pattern="heading", value=removed[0], says="topic", name=added[0])
    return RuleCreate(pattern="heading", value=removed[0], says="no_topic")


def _apply_to_rest(tx: Write, corrected_entry: Entry, rules: Rules) -> None:
    """Apply the rules to the undecided entries, except to fields that a person has edited."""
    conditions = col(Entry.revision_id) == corrected_entry.revision_id, queries.IS_ACTIVE, col(Entry.done_at).is_(None)
    query = sa.select(Entry).where(*conditions)
    changed_entries = []
    for entry in tx.scalars(query.where(col(Entry.id) != corrected_entry.id)):
        changes = rules.changes(_to_rule_input(entry))
        edited_fields = {name for name, value in (entry.proposed or {}).items() if getattr(entry, name) != value}
        if changes and not edited_fields & changes.keys():
            change_entry(entry, changes | {"rules": [*entry.rules, *changes["rules"]]})
            changed_entries.append(entry)
    reindex_entries(tx, [entry for entry in changed_entries if entry.kind in {"topic", "snippet"}])


def _to_rule_input(entry: Entry) -> RuleInput:
    return RuleInput(
        kind=entry.kind,
        paper_kind=entry.paper_kind,
        title=entry.title,
        topics=entry.topics,
        address=entry_address(entry.identifiers, [link["url"] for link in entry.links]),
        decision=entry.decision,
    )


EntryKind = Literal[PaperKind, "topic", "question", "lead", "snippet"]


class EntryUpdate(TrimmedModel):
    """A person's correction of one entry; fields that are not given are unchanged.

    The entries below a heading follow when it is renamed, moved to other `topics` or skipped. `ends`: the topic of a
    heading that ends above this entry. `year` 0 and `status` "" clear the value. `alias`: accept the alternative names
    offered for a topic. `twin`: whether it is the same work as an earlier paper of the same title. `keep_rule`: create
    a rule for all imports of the team.
    """

    decision: Literal["add", "skip"] | None = None
    identifier: Annotated[str, Field(max_length=4000)] | None = None
    title: Annotated[str, Field(max_length=_MAX_TITLE_CHARS)] | None = None
    topics: Annotated[list[Annotated[str, Field(min_length=1, max_length=120)]], Field(max_length=50)] | None = None
    kind: EntryKind | None = None
    venue: Annotated[str, Field(max_length=300), OneLine] | None = None
    year: Annotated[int, Field(ge=0, le=2200)] | None = None
    status: Literal["", "to_read", "reading", "paused", "read", "dropped"] | None = None
    alias: Literal["take", "leave"] | None = None
    twin: Literal["same", "apart"] | None = None
    ends: Annotated[str, Field(min_length=1, max_length=1000)] | None = None
    keep_rule: bool = False


def correct_entry(tx: Write, me: CurrentUser, import_id: int, position: int, *, edit: EntryUpdate) -> None:
    """Correct one entry and keep the parser's proposal.

    Raise Conflict if the entry is imported.
    """
    get_import_for_update(tx, me, import_id)
    entry = lock_entries(tx, import_id, [position])[position]
    _apply_edits(tx, me, import_id, [(entry, _build_changes(tx, entry, edit), edit)])


def correct_entries(tx: Write, me: CurrentUser, import_id: int, edits: Mapping[int, EntryUpdate]) -> int:
    """Correct several entries by position, all or none. Return how many entries below followed their headings.

    Raise Invalid with pointers that begin with the position.
    """
    get_import_for_update(tx, me, import_id)
    entries = lock_entries(tx, import_id, list(edits))
    corrections: list[tuple[Entry, Mapping[str, Any], EntryUpdate]] = []
    problems: list[FieldError] = []
    for position, edit in edits.items():
        try:
            corrections.append((entries[position], _build_changes(tx, entries[position], edit), edit))
        except Invalid as problem:
            problems += [
                FieldError(f"/{position}{error.pointer}", error.code, error.detail) for error in problem.errors
            ]
    if problems:
        message = _("Some entries have errors.")
        raise Invalid(message, problems)
    return _apply_edits(tx, me, import_id, corrections)


def decide_all(
    tx: Write, me: CurrentUser, import_id: int, entry_filter: EntryFilter, *, decision: Literal["add", "skip"]
) -> int:
    """Set the decision of all entries that match a filter, and return how many changed.

    Entries below headings follow them. Noise is not added by this: it must be added entry by entry.
    """
    get_import_for_update(tx, me, import_id)
    conditions = queries.entry_filters(tx, entry_filter)
    # Existing papers keep the decision "known".
    conditions += [col(Entry.done_at).is_(None), col(Entry.decision).not_in([decision, "known"])]
    if decision == "add":
        conditions.append(col(Entry.kind).not_in(LEFT_OUT))
    headings = _list_matching_headings(tx, import_id, conditions)
    statement = sa.update(Entry).where(col(Entry.revision_id) == import_id, *conditions)
    before, is_unedited = col(Entry.decision), col(Entry.proposed).is_(None)
    count = tx.bulk_execute(statement.where(sa.not_(is_unedited)).values(decision=decision)).rowcount
    for word in {"add", "review", "skip"} - {decision}:
        update = statement.where(is_unedited, before == word).values(decision=decision, proposed={"decision": word})
        count += tx.bulk_execute(update).rowcount
    _reload_headings(tx, import_id)
    update_topics_below(tx, import_id, {entry.position: change for entry, change in _iter_changes(headings)})
    tx.expire_all()
    return count


def reset_entry(tx: Write, me: CurrentUser, import_id: int, position: int) -> list[int]:
    """Restore the parser's proposal for an entry and undo its merges and splits."""
    get_import_for_update(tx, me, import_id)
    lock_entries(tx, import_id, [position])
    return restore_entries(tx, import_id, position)


def _apply_edits(
    tx: Write, me: CurrentUser, import_id: int, corrections: Sequence[tuple[Entry, Mapping[str, Any], EntryUpdate]]
) -> int:
    """Apply the changes, those that follow from headings, and the rules. Return how many entries followed."""
    headings = [(entry, is_heading(entry), heading_path(entry)) for entry, changes, _edit in corrections if changes]
    for entry, changes, _edit in corrections:
        change_entry(entry, changes)
    changes_below = {entry.position: change for entry, change in _iter_changes(headings)}
    follower_count = update_topics_below(tx, import_id, changes_below) if changes_below else 0
    for entry, _changes, edit in corrections:
        if edit.ends is not None:
            follower_count += _end_heading(tx, entry, edit.ends)
    if follower_count:
        _reload_entries(tx, [entry for entry, _changes, _edit in corrections])
    reindex_entries(tx, [entry for entry, changes, _edit in corrections if "title" in changes])
    for entry, _changes, edit in corrections:
        if edit.keep_rule:
            create_rule_from_edit(tx, me, entry)
    tx.flush()
    return follower_count


def _iter_changes(headings: Iterable[tuple[Entry, bool, Path]]) -> Iterator[tuple[Entry, HeadingChange]]:
    """Yield the headings that have another path than before, with what changes for the entries below them."""
    for entry, was_heading, before in headings:
        original, after = original_path(entry), heading_path(entry)
        if original is not None and after != before:
            inside, outside = (before, None) if was_heading else (None, before)
            yield entry, HeadingChange(original, inside, outside, after)


def _list_matching_headings(
    tx: Write, import_id: int, conditions: Sequence[sa.ColumnElement[bool]]
) -> list[tuple[Entry, bool, Path]]:
    """Return the headings that match the conditions, whether they are open, and their paths."""
    query = sa.select(Entry).where(col(Entry.revision_id) == import_id, col(Entry.kind) == "topic", *conditions)
    return [(entry, is_heading(entry), heading_path(entry)) for entry in tx.scalars(query)]


def _reload_headings(tx: Write, import_id: int) -> None:
    """Load the headings of an import again after their decisions were changed in bulk, all with one statement."""
    query = sa.select(Entry).where(col(Entry.revision_id) == import_id, col(Entry.kind) == "topic")
    tx.scalars(query, execution_options={"populate_existing": True}).all()


def _end_heading(tx: Write, entry: Entry, name: str) -> int:
    """End a heading above an entry. Raise Invalid if the topic is not one of its headings."""
    count = end_heading(tx, entry, name) if name in entry.topics else None
    if count is None:
        detail = _("“{name}” isn't a heading above this line. Edit the topics of the entry instead.").format(name=name)
        raise Invalid(detail, [FieldError(f"/{entry.position}/ends", "no-heading", detail)])
    return count


def _reload_entries(tx: Write, entries: Sequence[Entry]) -> None:
    """Load entries again after their topics were updated in bulk."""
    query = sa.select(Entry).where(col(Entry.id).in_([entry.id for entry in entries]))
    tx.scalars(query, execution_options={"populate_existing": True}).all()


def _build_changes(tx: Write, entry: Entry, edit: EntryUpdate) -> Mapping[str, Any]:
    """Return the fields that change. Raise Invalid if the edit is not possible."""
    changes = _direct_changes(entry, edit)
    if edit.identifier is not None and [edit.identifier] != entry.identifiers[:1]:
        changes |= _identifier_changes(tx, entry, edit.identifier)
    if edit.kind is not None:
        changes |= _kind_changes(entry, edit.kind, changes)
    if edit.decision is not None and edit.decision != entry.decision:
        changes["decision"] = edit.decision
    if edit.alias is not None or edit.twin is not None:
        changes |= _answer_changes(entry, edit)
    if changes.get("decision") == "add" and {**vars(entry), **changes}["kind"] in LEFT_OUT:
        changes |= _recovery_changes(changes.get("title", entry.title))
    return {name: value for name, value in changes.items() if value != getattr(entry, name)}


def _direct_changes(entry: Entry, edit: EntryUpdate) -> dict[str, Any]:
    """Return the changes of fields that are stored as typed."""
    fields: dict[str, Any] = {}
    if edit.title is not None:
        fields["title"] = normalize.clean(edit.title)
    if edit.topics is not None:
        fields["topics"] = [normalize.clean(topic) for topic in edit.topics]
    if edit.venue is not None:
        fields["venue"] = edit.venue
    if edit.year is not None:
        fields["year"] = edit.year or None
    if edit.status is not None:
        fields["status"] = edit.status or None
    return {name: value for name, value in fields.items() if value != getattr(entry, name)}


def _identifier_changes(tx: Write, entry: Entry, text: str) -> dict[str, Any]:
    """Return the changes for a new identifier, or for none. Files next to the note are kept.

    An identifier makes the entry a paper. Without one it becomes a paper known by its title only.
    """
    files = [name for name in entry.identifiers if name.startswith(FILE)]
    if not text:
        return {"identifiers": files}
    ref = sources.parse_ref(text)
    junk = (
        urls.junk_reason(sources.url(ref))
        if ref
        else _("“{text}” isn't an arXiv ID, DOI or URL.").format(text=text[:200])
    )
    if ref is None or junk:
        detail = translate_reason(junk or "")
        raise Invalid(detail, [FieldError("/identifier", "junk" if ref else "unknown-identifier", detail)])
    existing_papers = existing.find_existing_papers(tx, [str(ref)])
    old_identifiers = {name for name in entry.identifiers if name != str(ref)}
    return {
        "identifiers": [str(ref), *files],
        "links": [link for link in entry.links if str(sources.recognize(link["url"])) not in old_identifiers],
        "kind": "paper",
        "paper_kind": sources.by_name(ref.scheme).kind(ref.key),
        "decision": "known" if existing_papers else "add",
        "reason": CORRECTED,
    }


def _kind_changes(entry: Entry, kind: str, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes for a new kind. An entry that was skipped is added."""
    fields = {**vars(entry), **changes}
    decision = {"decision": "add"} if fields["decision"] == "skip" else {}
    if kind in PAPER_KINDS:
        entry_kind = fields["kind"] if fields["kind"] in queries.PAPER_ENTRY_KINDS else "paper"
        title = {} if fields["identifiers"] or fields["title"].strip() else {"title": _build_fallback_title(entry)}
        return {"kind": entry_kind, "paper_kind": kind, **title, **decision}
    title = {} if fields["title"].strip() or kind == "snippet" else {"title": _build_fallback_title(entry)}
    decision = {"decision": "add"} if fields["decision"] != "add" else {}
    return {"kind": kind, "paper_kind": "", **title, **decision}


def _build_fallback_title(entry: Entry) -> str:
    """Return the first words of an entry as its title. Raise Invalid if it has none."""
    lines = (line.strip(" \t#-*+>|•·") for line in (entry.text or entry.raw).splitlines())
    title = next((line for line in lines if line), "")[:_MAX_TITLE_CHARS]
    if not title:
        detail = _("Enter a title.")
        raise Invalid(detail, [FieldError("/kind", "nothing-to-add", detail)])
    return title


def _answer_changes(entry: Entry, edit: EntryUpdate) -> dict[str, Any]:
    """Return the changes for answers to the parser's offers: alternative names and twins."""
    changes: dict[str, Any] = {}
    if edit.alias is not None:
        _require_offer(bool(entry.aliases), "/alias")
        changes["alias_taken"] = edit.alias == "take"
    if edit.twin is not None:
        _require_offer(bool(entry.twin), "/twin")
        changes |= {"apart": edit.twin == "apart", "decision": edit.decision or "add"}
    return changes


def _require_offer(is_offered: bool, pointer: str) -> None:  # noqa: FBT001
    if not is_offered:
        detail = _("This entry has no such suggestion.")
        raise Invalid(detail, [FieldError(pointer, "not-asked", detail)])


def _recovery_changes(title: str) -> dict[str, Any]:
    """Return the changes that make a line skipped by the parser a paper.

    Raise Invalid if it has no title.
    """
    if title.strip():
        return {"kind": "paper", "paper_kind": "paper", "reason": KEPT}
    detail = _("Enter a title.")
    raise Invalid(detail, [FieldError("/decision", "nothing-to-add", detail)])
