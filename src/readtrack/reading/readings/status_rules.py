"""Which status may follow which, and when a reading is stale. Pure; what pages, API and tests share."""

from collections.abc import Mapping
from datetime import timedelta

from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _

ALLOWED: Mapping[str | None, tuple[str | None, ...]] = {  # None: not on my list
    None: ("to_read", "reading", "read", "dropped"),
    "to_read": ("reading", "read", "dropped", None),
    "reading": ("paused", "read", "dropped", "to_read"),
    "paused": ("reading", "read", "dropped"),
    "dropped": ("to_read", "reading"),
    "read": ("reading",),  # opens the next pass
}
WORDS: Mapping[str | None, str] = {
    None: N_("not on my list"),
    "to_read": N_("to read"),
    "reading": N_("reading"),
    "paused": N_("paused"),
    "read": N_("read"),
    "dropped": N_("dropped"),
}
RECOMMENDATIONS: Mapping[str, str] = {  # to the others, the warmest first
    "must_read": N_("must read"),
    "worth_it": N_("worth it"),
    "optional": N_("optional"),
    "skip": N_("skip"),
}
STALE = timedelta(days=21)  # without any event, a paper that is being read is stale
PRIORITIES: Mapping[int, str] = {1: N_("first"), 0: N_("next"), -1: N_("when there is time")}


def allowed(status: str | None) -> tuple[str, ...]:
    """The statuses that may follow, ∅ left out."""
    return tuple(after for after in ALLOWED[status] if after is not None)


def can_follow(before: str | None, after: str | None) -> bool:
    """Whether that change is a transition at all. The same status again is none, and no error either."""
    return after in ALLOWED[before]


def opens_next_pass(before: str | None, after: str | None) -> bool:
    """Reading again what was read is a pass of its own; the finished one stays as it was."""
    return before == "read" and after == "reading"


def refusal_message(before: str | None, after: str | None, *, again: bool = False) -> str:
    """Why not, and what instead. `again`: it was read before, so it cannot leave the list."""
    instead = _(", ").join(_(WORDS[status]) for status in ALLOWED[before] if status or not again)
    told = _("From “{before}” one cannot go to “{after}”. Possible now: {instead}. Nothing was changed.")
    return told.format(before=_(WORDS[before]), after=_(WORDS[after]), instead=instead)
