"""Rules derived from a person's correction, and their application to the rest of the import."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError
from sqlmodel import col

from readtrack.infra.db import Write
from readtrack.infra.errors import FieldError, Invalid
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.models import Entry
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.text import normalize
from readtrack.ingest.imports import queries
from readtrack.ingest.imports.review_queue import change_entry, reindex_entries
from readtrack.ingest.imports.rules import (
    RuleCreate,
    RuleInput,
    Rules,
    add_rule,
    entry_address,
    load_rules,
    normalize_address,
)

_NOT_TOLD = N_(
    "No rule can be told from this. One is kept for another kind or for leaving out, which then holds for the site; "
    "for a heading that is no topic; or for one heading that stands for another topic."
)


def create_rule_from_edit(tx: Write, me: CurrentUser, entry: Entry) -> None:
    """Create a rule from a person's changes to this entry, and apply it to the rest of the import.

    Raise Invalid if no rule can be derived from the changes.
    """
    try:
        new_rule = _derive_rule({**vars(entry), **(entry.proposed or {})}, entry)
    except ValidationError:  # a heading longer than a rule allows, or a host without a name
        new_rule = None
    if new_rule is None:
        raise Invalid(
            _("{not_told} Nothing was changed.").format(not_told=_(_NOT_TOLD)),
            [FieldError("/keep_rule", "no-rule", _(_NOT_TOLD))],
        )
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
