"""Every table, and only tables: no relationships, no queries. The words are explained in docs/model.md."""

from readtrack.models.columns import (
    DECISIONS,
    DEPTHS,
    ENTRY_KINDS,
    FETCH_STATES,
    JOB_STATES,
    LINK_ROLES,
    PAPER_KINDS,
    PROGRESS_UNITS,
    ROLES,
    SCOPES,
    STATUSES,
)
from readtrack.models.library import Identifier, Link, Paper, PaperTopic, Record, Topic, TopicAlias, Version
from readtrack.models.notes import Entry, ImportRule, Lead, Note, NoteRevision, Question
from readtrack.models.people import Attempt, Invitation, Person, SignIn, Token
from readtrack.models.reading import Reading, ReadingEvent, Summary, SummaryVersion
from readtrack.models.work import Event, Idempotency, Job, Pace

__all__ = [
    "DECISIONS",
    "DEPTHS",
    "ENTRY_KINDS",
    "FETCH_STATES",
    "JOB_STATES",
    "LINK_ROLES",
    "PAPER_KINDS",
    "PROGRESS_UNITS",
    "ROLES",
    "SCOPES",
    "STATUSES",
    "Attempt",
    "Entry",
    "Event",
    "Idempotency",
    "Identifier",
    "ImportRule",
    "Invitation",
    "Job",
    "Lead",
    "Link",
    "Note",
    "NoteRevision",
    "Pace",
    "Paper",
    "PaperTopic",
    "Person",
    "Question",
    "Reading",
    "ReadingEvent",
    "Record",
    "SignIn",
    "Summary",
    "SummaryVersion",
    "Token",
    "Topic",
    "TopicAlias",
    "Version",
]
