"""Where a work appeared, as people note it below its title or behind it: `Altschul et al., J Mol Biol 1990`."""

import re
from typing import NamedTuple

from readtrack.ingest.parser.vocabulary.author_names import names_in, surnames_in
from readtrack.ingest.parser.vocabulary.venues import split_venue

_YEAR = r"(?P<year>(?:19|20)\d\d)"
_VOLUME = r"(?:\s\d{1,4}(?:,\s\d{1,6}(?:[-–]\d{1,6})?)?)?"
_STATED = re.compile(
    rf"(?P<names>[^\W\d_a-z][^,:;()]{{1,60}},\s)?(?P<venue>[^\W\d_a-z][^,:;()]{{1,60}}?){_VOLUME},?\s(?:['’]\d\d|\(?{_YEAR}\)?)(?:[.,;]\s.{{0,500}}|\.?)"
)
_LAST = re.compile(
    rf"\s(?:\((?:(?P<names>[^(),]{{2,60}}),\s)?(?P<inside>[^\W\d_a-z][^(),]{{1,60}}?),?\s(?P<year_inside>(?:19|20)\d\d)\)|"
    rf"(?<=,\s)(?P<short>[A-Z]{{2,6}}){_VOLUME}\s\(?{_YEAR}\)?)$"
)


class Publication(NamedTuple):
    """The venue, "" if only authors are stated, and the year."""

    venue: str
    year: int | None


def read_publication(text: str) -> Publication | None:
    """Return the venue and year if the first sentence of a text states nothing else."""
    match = _STATED.fullmatch(text)
    if match is None:
        return None
    year = int(match["year"]) if match["year"] else None
    names = "" if match["names"] else match["venue"]
    if surnames_in(names) and ("&" in names or names_in(names)):
        return Publication("", year)
    return Publication(split_venue(match["venue"])[0], year)


def take_publication(title: str) -> tuple[str, Publication | None]:
    """Split `(Kac, Amer. Math. Monthly 1966)` or `, PRL 95 (2005)` from the end of a title."""
    match = _LAST.search(title, max(len(title) - 140, 0))
    if match is None:
        return title, None
    year = match["year_inside"] or match["year"]
    return title[: match.start()].rstrip(" ,"), Publication(match["inside"] or match["short"], int(year))
