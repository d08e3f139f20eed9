"""Status transitions, and the limit for stale readings. Shared by pages, API and tests."""

from collections.abc import Mapping
from datetime import timedelta

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

ALLOWED: Mapping[str | None, tuple[str | None, ...]] = {  # None: not on the list
    None: ("to_read", "reading", "read", "dropped"),
    "to_read": ("reading", "read", "dropped", None),
    "reading": ("paused", "read", "dropped", "to_read"),
    "paused": ("reading", "read", "dropped"),
    "dropped": ("to_read", "reading"),
    "read": ("reading",),  # begins the next pass
}
WORDS: Mapping[str | None, str] = {
    None: N_("no status"),
    "to_read": N_("to read"),
    "reading": N_("reading"),
    "paused": N_("paused"),
    "read": N_("read"),
    "dropped": N_("dropped"),
}
RECOMMENDATIONS: Mapping[str, str] = {  # for others, best first
    "must_read": N_("must read"),
    "worth_it": N_("worth it"),
    "optional": N_("optional"),
    "skip": N_("skip"),
}
STALE_AFTER = timedelta(days=21)  # a paper being read is stale after so long without an event


def allowed(status: str | None) -> tuple[str, ...]:
    """Return the statuses that may follow, without removal."""
    return tuple(new_status for new_status in ALLOWED[status] if new_status is not None)


def can_follow(old_status: str | None, new_status: str | None) -> bool:
    """Return True if the transition is allowed.

    The same status again is no transition, but no error either.
    """
    return new_status in ALLOWED[old_status]


def opens_next_pass(old_status: str | None, new_status: str | None) -> bool:
    """Return True for reading a finished paper again. The finished pass is kept."""
    return old_status == "read" and new_status == "reading"


def refusal_message(old_status: str | None, new_status: str | None, *, is_reread: bool = False) -> str:
    """Return why the transition is not allowed, and the alternatives.

    `is_reread`: a second pass cannot be removed.
    """
    alternatives = _(", ").join(_(WORDS[status]) for status in ALLOWED[old_status] if status or not is_reread)
    template = _("Can't change from “{before}” to “{after}”. Available: {instead}.")
    return template.format(before=_(WORDS[old_status]), after=_(WORDS[new_status]), instead=alternatives)
