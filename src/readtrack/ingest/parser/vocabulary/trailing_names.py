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
    rest: str = ""


def part_rest(rest: str) -> CitationParts:
    """Split the text after a title into authors and the rest. The returned title is blank."""
    plain = _without_italics(rest).strip(EDGES)
    plain = plain[1:-1] if plain.startswith("(") and plain.endswith(")") and plain.count("(") == 1 else plain
    if not plain:
        return CitationParts("")
    if "a" <= plain[0] <= "z":  # running text: no name begins in lower case
        return CitationParts("", (), rest.strip(EDGES))
    for pattern in (STOP, DASH, PIPE):
        for match in pattern.finditer(plain, 0, 2000):
            if pattern is STOP and NO_STOP.search(plain, max(0, match.start() - 12), match.start()):
                continue
            authors = names_in(plain[: match.start()]) or lone(plain[: match.start()])
            if authors:
                return CitationParts("", authors, plain[match.end() :].strip(EDGES))
            break
    return _names_before_commas(plain) or CitationParts(
        "", names_in(plain), "" if names_in(plain) else rest.strip(EDGES)
    )


def lone(text: str) -> tuple[str, ...]:
    return (text.strip(EDGES),) if is_name(text) and not VENUE_LIKE.fullmatch(text) else ()


def _names_before_commas(plain: str) -> CitationParts | None:
    """Split the leading names from `A. Author, B. Writer, NeurIPS 2023`."""
    if (others := re.search(r"\bet\.?\s?al\b\.?", plain[:600])) and (authors := names_in(plain[: others.end()])):
        return CitationParts("", authors, plain[others.end() :].strip(EDGES))
    pieces = re.split(r"\s?[,，;；]\s?(?:and\s)?|\sand\s", plain[:1500])
    count = next((index for index, piece in enumerate(pieces) if not is_name(piece)), len(pieces))
    if count == 0 or (count == 1 and not (len(pieces) > 1 and VENUE_LIKE.fullmatch(pieces[1]))):
        return None
    ends = plain.find(pieces[count - 1], sum(map(len, pieces[: count - 1]))) + len(pieces[count - 1])
    return CitationParts("", tuple(piece.strip(EDGES) for piece in pieces[:count]), plain[ends:].strip(EDGES))


def _without_italics(text: str) -> str:
    return re.sub(r"(?<!\w)[*_]{1,3}|[*_]{1,3}(?!\w)", "", text) if "*" in text or "_" in text else text
