"""Which status may follow which. Pure; the one definition that pages, API and tests share."""

from collections.abc import Mapping

ALLOWED: Mapping[str | None, tuple[str | None, ...]] = {  # None: not on my list
    None: ("to_read", "reading", "read", "dropped"),
    "to_read": ("reading", "read", "dropped", None),
    "reading": ("paused", "read", "dropped", "to_read"),
    "paused": ("reading", "read", "dropped"),
    "dropped": ("to_read", "reading"),
    "read": ("reading",),  # opens the next pass
}
WORDS: Mapping[str | None, str] = {
    None: "not on my list",
    "to_read": "to read",
    "reading": "reading",
    "paused": "paused",
    "read": "read",
    "dropped": "dropped",
}
RECOMMENDATIONS: Mapping[str, str] = {  # to the others, the warmest first
    "must_read": "must read",
    "worth_it": "worth it",
    "optional": "optional",
    "skip": "skip",
}
PRIORITIES: Mapping[int, str] = {1: "first", 0: "next", -1: "when there is time"}


def allowed(status: str | None) -> tuple[str, ...]:
    """The statuses that may follow, ∅ left out."""
    return tuple(after for after in ALLOWED[status] if after is not None)


def may_follow(before: str | None, after: str | None) -> bool:
    """Whether that change is a transition at all. The same status again is none, and no error either."""
    return after in ALLOWED[before]


def opens_next_pass(before: str | None, after: str | None) -> bool:
    """Reading again what was read is a pass of its own; the finished one stays as it was."""
    return before == "read" and after == "reading"


def refusal(before: str | None, after: str | None, *, again: bool = False) -> str:
    """Why not, and what instead. `again`: it was read before, so it cannot leave the list."""
    instead = ", ".join(WORDS[status] for status in ALLOWED[before] if status or not again)
    return f"From “{WORDS[before]}” one cannot go to “{WORDS[after]}”. Possible now: {instead}. Nothing was changed."
