"""Reasons for what becomes of an entry. They are stored in English and translated when they are shown."""

from readtrack.infra.i18n import N_
from readtrack.infra.message_templates import MessageTemplates
from readtrack.infra.text.urls import JUNK_REASONS
from readtrack.ingest.parser import reasons

IN_LIBRARY = N_("in library")
DELETED_BEFORE = N_("deleted before")
IMPORTED_BEFORE = N_("imported before")
OTHER_TITLE_IN_LIBRARY = N_("Already in the library, but titled “{title}” there. Is one of the links wrong?")
LOOKS_LIKE = N_("Looks like a paper in the library. Are they the same work?")
CORRECTED = N_("corrected by hand")
KEPT = N_("kept by hand")
SPLIT_OR_MERGED = N_("by hand")
BY_RULE = N_("By the rule “{rules}”.")
RULE_KINDS = {
    "paper": N_("{value}: paper"),
    "article": N_("{value}: article"),
    "video": N_("{value}: video"),
    "slides": N_("{value}: slides"),
    "code": N_("{value}: code"),
    "course": N_("{value}: course"),
    "documentation": N_("{value}: documentation"),
    "page": N_("{value}: page"),
}
RULE_TOPIC = N_("{value}: topic {name}")
RULE_NO_TOPIC = N_("{value}: no topic")
RULE_SKIP = N_("{value}: skipped")
RULE_COLUMNS = N_("{value}: columns as chosen")
TOO_MANY = N_("Only the first {count} records of a file are read. Split the file and import the rest.")
BROKEN = N_("This could not be added: something broke here, and the log has the details. Add it by hand.")
NOTHING_TO_ADD = N_("This entry has neither an identifier nor a title, so no paper was made of it. Add it by hand.")
OTHER_PAPERS = N_("{names} is another paper here, so both stay. Merge them if they are one work.")
OTHER_TOPICS = N_("{conflicts}: both topics stay. Merge them if they are one.")
NAME_OF_TOPIC = N_("“{alias}” is a name of the topic “{name}”")

_OWN = (
    IN_LIBRARY, OTHER_TITLE_IN_LIBRARY, DELETED_BEFORE, IMPORTED_BEFORE, LOOKS_LIKE, CORRECTED, KEPT, SPLIT_OR_MERGED,
    BY_RULE, RULE_TOPIC, RULE_NO_TOPIC, RULE_SKIP, RULE_COLUMNS, *RULE_KINDS.values(), TOO_MANY, BROKEN,
    NOTHING_TO_ADD, OTHER_PAPERS, OTHER_TOPICS, NAME_OF_TOPIC,
)  # fmt: skip
_OF_PARSER = tuple(value for name, value in vars(reasons).items() if name.isupper() and isinstance(value, str))
REASONS = (*_OWN, *_OF_PARSER, *JUNK_REASONS)
_templates = MessageTemplates(REASONS, lists={"rules", "conflicts"})


def translate_reason(reason: str) -> str:
    """Return a stored reason in the current language."""
    return _templates.translate(reason)
