"""Names of authors after or before a title, and the rest."""

import re
from typing import NamedTuple

from readtrack.infra.text.titles.vocabulary import VENUES
from readtrack.ingest.parser.vocabulary.person_names import is_name, names_in

PIPE = re.compile(r"\s?[|｜]\s?")
STOP = re.compile(r"(?P<mark>[.。]|[?？!！]\.?)\s{0,3}(?=\s|[*_]|[A-Z\u3040-\u9fff])")
NO_STOP = re.compile(
    r"(?:^|[\s(.-])(?:[A-Z]|et al|vs|e\.g|i\.e|cf|no|vol|dr|mr|ms|prof|st|inc|jr|sr|eds?|fig|sec|"
    r"ch|pp|approx|w\.r\.t|\d)$",
    re.IGNORECASE,
)
DASH = re.compile(r"\s[-–—]{1,3}\s|\s?——\s?")
VENUE_LIKE = re.compile(
    rf"\W{{0,3}}(?:(?:in|at|to appear in|proc\.?(?:eedings)?(?: of)?(?: the)?)\s)?"
    rf"(?:(?:USENIX|ACM|IEEE|Findings of)\s)?(?:{VENUES}|arxiv|preprint|corr|under review|"
    r"tech(?:nical)? report|thesis)(?![a-z]).{0,60}|"
    r"\W{0,3}in\s(?:the\s)?(?:ACM|IEEE|Proceedings|Proc)\b.{0,80}|\W{0,3}(?:19|20)\d\d\W{0,3}|"
    r"\W{0,3}(?:ACM|IEEE|USENIX)\s[\w &]{2,40}\s(?:19|20)\d\d\W{0,3}|"
    r".{0,60},\s?vol\.?\s\d{1,4}\b.{0,80}|"
    r".{0,60}(?:conference|journal|workshop|transactions|proceedings|symposium)\b.{0,80}",
    re.IGNORECASE,
)
EDGES = " \t-–—:：,，;；/·•|｜*_.。"


class CitationParts(NamedTuple):
    title: str
    authors: tuple[str, ...] = ()
    remainder: str = ""


def part_rest(rest: str) -> CitationParts:
    """Split the text after a title into authors and the rest. The returned title is blank."""
    text = _without_italics(rest).strip(EDGES)
    text = text[1:-1] if text.startswith("(") and text.endswith(")") and text.count("(") == 1 else text
    if not text:
        return CitationParts("")
    if "a" <= text[0] <= "z":  # running text: no name begins in lower case
        return CitationParts("", (), rest.strip(EDGES))
    for pattern in (STOP, DASH, PIPE):
        for match in pattern.finditer(text, 0, 2000):
            if pattern is STOP and NO_STOP.search(text, max(0, match.start() - 12), match.start()):
                continue
            authors = names_in(text[: match.start()]) or lone(text[: match.start()])
            if authors:
                return CitationParts("", authors, text[match.end() :].strip(EDGES))
            break
    return _names_before_commas(text) or CitationParts("", names_in(text), "" if names_in(text) else rest.strip(EDGES))


def lone(text: str) -> tuple[str, ...]:
    return (text.strip(EDGES),) if is_name(text) and not VENUE_LIKE.fullmatch(text) else ()


def _names_before_commas(text: str) -> CitationParts | None:
    """Split the leading names from `A. Author, B. Writer, NeurIPS 2023`."""
    if (et_al := re.search(r"\bet\.?\s?al\b\.?", text[:600])) and (authors := names_in(text[: et_al.end()])):
        return CitationParts("", authors, text[et_al.end() :].strip(EDGES))
    parts = re.split(r"\s?[,，;；]\s?(?:and\s)?|\sand\s", text[:1500])
    count = next((index for index, part in enumerate(parts) if not is_name(part)), len(parts))
    if count == 0 or (count == 1 and not (len(parts) > 1 and VENUE_LIKE.fullmatch(parts[1]))):
        return None
    names_end = text.find(parts[count - 1], sum(map(len, parts[: count - 1]))) + len(parts[count - 1])
    return CitationParts("", tuple(part.strip(EDGES) for part in parts[:count]), text[names_end:].strip(EDGES))


def _without_italics(text: str) -> str:
    return re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", text) if "*" in text or "_" in text else text
