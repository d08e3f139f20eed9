"""The headings that are open at a line, and which of them name a topic."""

import re
from dataclasses import dataclass, field

from readtrack.notes.vocabulary import NO_TOPIC, REFERENCES

_ANYTHING_BUT_WORDS = re.compile(r"[\W_]+")
_NUMBERED = re.compile(
    r"^\s*(?:\d+(?:\.\d+)*[.)、:：]?\s+|[一二三四五六七八九十]+、\s*|第[一二三四五六七八九十\d]+[章节節]\s*)"
)
_NO_TOPIC = frozenset(_ANYTHING_BUT_WORDS.sub("", name) for name in NO_TOPIC)
_REFERENCES = frozenset(_ANYTHING_BUT_WORDS.sub("", name) for name in REFERENCES)
_DATE = re.compile(
    r"^(?:before|after|since|until|week|day)?\s*\d[\d\s./:年月日週周第~–-]*$|"
    r"^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s*\d{0,4}$|"
    r"^(?:mon|tues|wednes|thurs|fri|satur|sun)day$|^(?:today|yesterday)$",
    re.IGNORECASE,
)
ATX_STEP, PILCROW, BOLD, BARE = 10, 70, 80, 90
_WEAK = BOLD


@dataclass(frozen=True)
class Heading:
    """`level`: smaller is further out. `topic`: its name as a topic, "" for a heading that names none."""

    level: int
    name: str
    topic: str = ""
    references: bool = False


@dataclass
class Outline:
    """Grows and shrinks as the note is read."""

    open: list[Heading] = field(default_factory=list)

    def enter(self, heading: Heading) -> None:
        while self.open and self.open[-1].level >= heading.level:
            self.open.pop()
        self.open.append(heading)

    def leave_weak(self) -> None:
        """A bold or bare line is a heading for what follows it closely; a wide gap ends it."""
        while self.open and self.open[-1].level >= _WEAK:
            self.open.pop()

    @property
    def topics(self) -> tuple[str, ...]:
        """Outermost first, no name twice."""
        return tuple(dict.fromkeys(heading.topic for heading in self.open if heading.topic))

    @property
    def references(self) -> bool:
        return any(heading.references for heading in self.open)


def topic_of(name: str) -> str:
    """The topic that a heading names, without its number; "" for References, Others, years and the like."""
    plain = _NUMBERED.sub("", name).strip()
    return "" if no_topic_reason(name) else plain


def no_topic_reason(name: str) -> str:
    """Why a heading names no topic, as a sentence; "" when it does name one."""
    plain = _NUMBERED.sub("", name).strip()
    squeezed = _ANYTHING_BUT_WORDS.sub("", plain.casefold())
    if not squeezed:
        return "A heading without any words names no topic; nothing is made of it."
    if _DATE.match(name.strip(" #*()（）【】[]")):
        return f"The heading “{name}” is a date, not a topic; nothing is made of it."
    if squeezed in _NO_TOPIC or squeezed.startswith("awesome"):
        return f"The heading “{name}” says what kind of list follows, not what it is about; no topic is made of it."
    return ""


def lists_references(name: str) -> bool:
    """Plain lines under such a heading name or describe works."""
    return _ANYTHING_BUT_WORDS.sub("", name.casefold()) in _REFERENCES
