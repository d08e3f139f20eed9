"""Short names of venues: "OSDI 2023" for the various names of publishers, indexes and references."""

import re
from collections.abc import Iterator
from functools import lru_cache

from readtrack.metadata.parsing import latex, markup
from readtrack.metadata.parsing.conferences import CONFERENCES, WORDS_TOO

_MAX_CHARS = 400
_PREPRINTS = re.compile(
    r"(?:arxiv|corr|biorxiv|medrxiv|chemrxiv|techrxiv|ssrn|preprints|research square|osf preprints|eartharxiv|psyarxiv|"
    r"hal|zenodo|authorea|iacr cryptol\. eprint arch|(?:iacr )?cryptology eprint archive)"
    r"(?:\.org|\.com)?\b(?:\s\(.{1,60}\)|\s(?:preprint|electronic journal|e-prints)\b.{0,60}|"
    r",? abs/.{1,40}|:\d.{0,40})?",
    re.IGNORECASE,
)
_ONLY_SENT = re.compile(
    r"(?:submitted to|under review|in submission)\b|.*\b(?:withdrawn|rejected|reject)\b", re.IGNORECASE
)
_JOURNAL = re.compile(
    r"\b(?:journal|j\.|transactions|trans\.|letters|lett\.|magazine|mag\.|review|rev\.|record|notices|news|newsletter|"
    r"proc\.? (?:of the )?(?:acm on|acm (?:manag|program|meas|interact)|vldb|ieee,|natl)|proceedings of the "
    r"(?:acm on|vldb|ieee$|national)|surveys|annals|communications of)",
    re.IGNORECASE,
)
_GATHERING = re.compile(
    r"\b(?:conference|conf\.|symposium|symp\.|workshops?|congress|meeting|colloquium)\b", re.IGNORECASE
)
_BESIDE = re.compile(
    r"\b(workshops?|companion|findings|posters? and demos?|posters|demos|demonstrations|adjunct|extended abstracts|"
    r"tutorials|doctoral (?:symposium|consortium)|datasets and benchmarks|short papers|industry track)\b",
    re.IGNORECASE,
)
_FOUR = re.compile(r"(?<![\d.])((?:19[5-9]|20[0-4])\d)(?!\d)")
# What may follow the full name of a conference. Any other word makes it another one: "… on Multimedia Modeling".
_ENDS = (
    r"(?=$|[^\w\s]| \W| (?:\d|and the \d|workshops?\b|companion\b|posters?\b|demo|proceedings?\b|vol|cd\b|tracks?\b|"
    r"tutorials?\b|adjunct\b|extended\b|industry\b|datasets?\b|student\b|main\b|in conjunction\b|held\b))"
)
# Regional conferences with a similar name are different conferences.
_ELSEWHERE = frozenset(
    "african arab asia asian australasian australian brazilian british canadian china chinese euro european german "  # noqa: SIM905 - a list of words
    "iberian indian industrial italian japanese korean mediterranean mexican nordic pacific panhellenic russian "
    "southeast spanish turkish".split()
)
_BRACKETED = re.compile(r"\((?P<name>[A-Za-z][\w&+/-]{1,14})(?:\s?['’-]?\s?(?P<year>\d{4}|\d\d))?\)")
_ACRONYM = re.compile(r"(?P<name>[A-Za-z][\w&+-]{1,14}?)(?:\s?['’-]\s?(?P<short>\d\d)|\s(?P<year>(?:19|20)\d\d))?")


@lru_cache(maxsize=4096)
def short_venue(container: str, year: int | None = None, *, event: str = "") -> str:
    """Return the acronym and year of a conference, else the container title.

    Preprint servers and "submitted to" give "". A year in the name is the conference's and takes precedence over the
    publication year. `event` is the conference's name or acronym if the service provides it separately.
    """
    name, event = (
        latex.decode_latex(markup.strip_markup(text[:_MAX_CHARS])).strip(" ,;") for text in (container, event)
    )
    if _PREPRINTS.fullmatch(name.rstrip(".")) or _ONLY_SENT.match(name):
        return ""
    stated_year = _year(name) or _year(event) or year
    event = "" if _is_workshop(name, event) else event
    acronym = _acronym(name, event)
    for text in (name, event):
        conference = _find_conference(text)
        if conference and not (acronym and acronym[0] == f"{conference}W"):
            return _with_year(conference, text, stated_year)
    return " ".join(filter(None, (acronym[0], str(acronym[1] or stated_year or "")))) if acronym else name or event


def _is_workshop(name: str, event: str) -> bool:
    """Return True for a workshop whose event is the conference it is held at."""
    return (
        "workshop" in name.lower()
        and "workshop" not in event.lower()
        and _find_conference(event) not in {"", *_WORKSHOPS}
    )


def _find_conference(text: str) -> str:
    """Return the known conference with that name.

    Return "" for unknown ones and journals that mention one.
    """
    if _JOURNAL.search(text) and not _GATHERING.search(text):
        return ""
    return next(_conferences_by_name(text), "") or _by_acronym(text)


def _conferences_by_name(text: str) -> Iterator[str]:
    """Yield conferences with that full name.

    Other words must not follow: "Machine Learning and Applications" is a different conference.
    """
    normalized = " ".join(re.sub(r"[^\w(),:;.'’-]", " ", text.casefold().replace("&", " and ")).split())
    spaced = re.sub(r"\bnetworking\b", "network", normalized.replace("-", " "))
    for conference, pattern in _names():
        match = pattern.search(spaced)
        if match and _ELSEWHERE.isdisjoint(spaced[: match.start()].split()[-3:]):
            yield conference


@lru_cache(maxsize=1)
def _names() -> tuple[tuple[str, re.Pattern[str]], ...]:
    pairs = ((acronym, full_name.replace(" ", ",? ")) for acronym, full_name in CONFERENCES)
    return tuple((acronym, re.compile(rf"\b(?:{full_name}){_ENDS}")) for acronym, full_name in pairs)


def _by_acronym(text: str) -> str:
    """Return the conference for an acronym that is the whole name, in brackets or before a year.

    Acronyms that are no common words match anywhere.
    """
    matches = [match for match in _acronyms().finditer(text) if _stands_out(match)]
    return _spelled(matches[0]["name"]) if matches else ""


@lru_cache(maxsize=1)
def _acronyms() -> re.Pattern[str]:
    names = sorted({*(name for name, _ in CONFERENCES), *_OTHER_SPELLINGS}, key=len, reverse=True)
    return re.compile(rf"(?<![\w&-])(?P<name>{'|'.join(map(re.escape, names))})(?![A-Za-z&])")


_OTHER_SPELLINGS = {
    "USENIX ATC": "ATC", "NIPS": "NeurIPS", "USENIX Security Symposium": "USENIX Security", "SysML": "MLSys",
    "SIGKDD": "KDD", "IEEE S&P": "S&P", "TheWebConf": "WWW", "HotChips": "Hot Chips", "Supercomputing": "SC",
    "IEEE Symposium on Security and Privacy": "S&P",
}  # fmt: skip


def _spelled(name: str) -> str:
    return _OTHER_SPELLINGS.get(name, name)


# Volume numbers, "Companion Volume".
_NOTHING_ELSE = re.compile(rf"(?:conference|symposium)?\s?(?:{_BESIDE.pattern})?(?:\s?\(.{{1,30}}\))?$", re.IGNORECASE)


def _stands_out(match: re.Match[str]) -> bool:
    text, name = match.string, match["name"]
    before, after = text[: match.start()].strip(), text[match.end() :].strip()
    is_first = re.fullmatch(r"(?:usenix|acm|ieee|the|proceedings of(?: the)?|proc\.|in)?", before, re.IGNORECASE)
    is_last = _NOTHING_ELSE.match(after)
    has_year = re.match(r"(?:-[A-Z][A-Za-z]{1,9})?\s?['’-]?\s?(?:\d{4}|\d\d)\b", after)
    is_framed = before.endswith(("(", "/", "@")) or after.startswith((")", "/"))
    return bool((is_first and is_last) or has_year or is_framed or name not in WORDS_TOO)


def _acronym(name: str, event: str) -> tuple[str, int | None] | None:
    """Return the acronym and year that the event gives itself in brackets or as its name."""
    event_match = _ACRONYM.fullmatch(event)
    if not _GATHERING.search(f"{name} {event}") and not (
        event_match and event_match["name"].casefold() == name.casefold()
    ):
        return None
    for text in (name, event):
        for match in _BRACKETED.finditer(text):
            if _is_acronym(match["name"]):
                return match["name"], _full(match["year"])
    year = event_match and _full(event_match["short"] or event_match["year"])
    if event_match is None or not (year or _is_acronym(event_match["name"])):
        return None
    return event_match["name"] if _is_acronym(event_match["name"]) else event_match["name"].upper(), year


def _is_acronym(name: str) -> bool:
    return sum(map(str.isupper, name)) > 1


_WORKSHOPS = frozenset(known for known, full in CONFERENCES if "workshop" in full)


def _with_year(conference: str, text: str, year: int | None) -> str:
    """Append the year and the kind of a side event: workshop, companion, findings."""
    own_year, stated_year = _own_year(conference, text), _year(text)
    if own_year is None or (stated_year and abs(own_year - stated_year) > 1):  # "Hot Chips 32" is a count, not a year.
        own_year = stated_year or year
    is_workshop = conference in _WORKSHOPS or (conference.endswith("W") and not _by_acronym(conference))
    side_event = None if is_workshop else _BESIDE.search(text)
    words = [
        conference,
        str(own_year) if own_year else "",
        side_event[1].title().replace(" And ", " and ") if side_event else "",
    ]
    return " ".join(word for word in words if word)


def _own_year(conference: str, text: str) -> int | None:
    match = re.search(rf"(?<!\w){re.escape(conference)}(?:\s?['’-]?\s?)(\d{{4}}|\d\d)\b(?!\s?\))", text)
    bracket_match = re.search(rf"\((?:USENIX )?{re.escape(conference)}\s?['’-]?\s?(\d{{4}}|\d\d)\)", text)
    return _full(bracket_match[1]) if bracket_match else _full(match[1]) if match else None


def _year(text: str) -> int | None:
    match = _FOUR.search(text)
    return int(match[1]) if match else None


def _full(digits: str | None) -> int | None:
    if not digits:
        return None
    number = int(digits)
    if number >= 100:
        return number if _FOUR.fullmatch(digits) else None
    return number + (1900 if number >= 50 else 2000)
