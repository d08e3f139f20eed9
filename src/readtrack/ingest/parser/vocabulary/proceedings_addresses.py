"""Venue and year in the address of a paper: `…/osdi20/…`, `…_CVPR_2019_paper.pdf`, `2022.emnlp-main.1`.

Only addresses that name the proceedings count. An arXiv number tells when a paper was sent, not where it appeared.
"""

import re

from readtrack.infra.text.titles.vocabulary import VENUES, VENUES_IN_ANY_CASE
from readtrack.ingest.parser.vocabulary.venues import full_year
from readtrack.metadata.types import WebLink

_SPELLED = {name.casefold(): name for name in VENUES.replace("\\", "").split("|")} | {
    "usenixsecurity": "USENIX Security", "usenixatc": "USENIX ATC", "atc": "USENIX ATC", "sec": "USENIX Security",
    "fast": "FAST", "lisa": "LISA", "rss": "RSS",
}  # fmt: skip
_PREPRINTS = frozenset({"arxiv", "biorxiv", "medrxiv", "techrxiv", "corr", "preprint"})
_NAME_AND_YEAR = re.compile(
    rf"(?<![a-z])(?P<name>{VENUES_IN_ANY_CASE})[._-]?(?P<year>(?:19|20)\d\d|[0-2]\d)(?![a-z\d])"
)
_KEY = re.compile(rf"(?<![a-z])(?P<name>{VENUES_IN_ANY_CASE})[.:/_-]?(?P<year>(?:19|20)\d\d|\d\d)(?![a-z\d])")
_USENIX = re.compile(r"usenix\.org/.*?/(?P<name>[a-z]+)(?P<year>\d\d)(?:/|[-_])")
_NEURIPS = re.compile(r"(?:neurips\.cc|nips\.cc)/paper(?:_files/paper)?/(?P<year>(?:19|20)\d\d)/")
_MLSYS = re.compile(r"mlsys\.org/paper(?:_files/paper)?/(?P<year>20\d\d)/")
_ACL = re.compile(
    r"(?:aclanthology\.org|aclweb\.org/anthology|10\.18653/v1)/(?:(?P<year>20\d\d)\.(?P<name>[a-z]+)[-.]|"
    r"(?P<letter>[acdeknpq])(?P<short>\d\d)-\d{4})"
)
_ACL_LETTERS = {"c": "COLING", "d": "EMNLP", "e": "EACL", "k": "CoNLL", "n": "NAACL", "p": "ACL", "q": "TACL"}
_IEEE = re.compile(r"/10\.1109/(?P<name>[a-z]{3,9})\d{0,6}\.(?P<year>(?:19|20)\d\d)\.")
_JOURNALS = frozenset(
    "tacl tmlr tpami tkde tkdd tods tocs todaes toplas tosem tpds tvcg tvlsi tnnls tifs tdsc tcad tcsvt taco tois "  # noqa: SIM905 - a list of words
    "jsac jssc cviu".split()
)
_PMLR = re.compile(r"proceedings\.mlr\.press/v(?P<volume>\d{1,3})/")
_PMLR_VOLUMES = {
    "ICML": {28: 2013, 32: 2014, 37: 2015, 48: 2016, 70: 2017, 80: 2018, 97: 2019, 119: 2020, 139: 2021, 162: 2022,
             202: 2023, 235: 2024},
    "AISTATS": {9: 2010, 15: 2011, 22: 2012, 31: 2013, 33: 2014, 38: 2015, 51: 2016, 54: 2017, 84: 2018, 89: 2019,
                108: 2020, 130: 2021, 151: 2022, 206: 2023, 238: 2024},
    "COLT": {65: 2017, 75: 2018, 99: 2019, 125: 2020, 134: 2021},
    "CoRL": {78: 2017, 87: 2018, 100: 2019, 155: 2020, 164: 2021, 205: 2022, 229: 2023},
}  # fmt: skip
_OWN_ROLES = frozenset({"landing", "pdf"})


def venue_of_links(links: tuple[WebLink, ...]) -> tuple[str, int | None]:
    """Return the venue and year that the first telling address names, "" and None if there is none."""
    for link in links:
        if link.role in _OWN_ROLES and (found := _venue_of(link.url.casefold())):
            return found
    return "", None


def venue_of_key(key: str) -> tuple[str, int | None]:
    """Return the venue and year in the key of a volume: `ecoop2002`, `DBLP:conf/icse/2019`."""
    match = _KEY.search(key.casefold())
    return (_SPELLED[match["name"]], full_year(match["year"])) if match else ("", None)


def _venue_of(address: str) -> tuple[str, int | None] | None:
    if volume := _PMLR.search(address):
        number = int(volume["volume"])
        return next(((name, years[number]) for name, years in _PMLR_VOLUMES.items() if number in years), None)
    for pattern, name in ((_NEURIPS, "NeurIPS"), (_MLSYS, "MLSys")):
        if match := pattern.search(address):
            return name, int(match["year"])
    if match := _ACL.search(address):
        name = _ACL_LETTERS[match["letter"]] if match["letter"] else _spelled_part(match["name"])
        return (name, full_year(match["year"] or match["short"])) if name else None
    if match := _USENIX.search(address) or _IEEE.search(address) or _NAME_AND_YEAR.search(address):
        name = _SPELLED.get(match["name"], "")
        if name and match["name"] not in _PREPRINTS:
            return name, None if match["name"] in _JOURNALS else full_year(match["year"])
    return None


def _spelled_part(name: str) -> str:
    return "Findings" if name == "findings" else _SPELLED.get(name, "")
