"""DBLP, the computer science bibliography, queried by title for venues and identifiers."""

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import urlencode

from readtrack.infra.http.types import Http
from readtrack.infra.text.titles import compare
from readtrack.metadata import sources
from readtrack.metadata.parsing import answers, authors, dois, json_fields, latex, venues
from readtrack.metadata.types import FetchResult, Metadata, PaperDescription, Ref, Service

LABEL = "DBLP"
_FEW, _MANY = 10, 100  # Hits requested first, and if a title of common words is not among them.
_MAX_QUERY_WORDS = 25  # Maximum words of a title in a query.
_NO_WORDS = re.compile(r"\$[^$]{1,1000}\$|['’]\w{1,2}\b")  # Formulas and the endings of "it's" and "Amdahl's".
_NO_WORKS = frozenset({"Editorship", "Data and Artifacts"})
_CORR = ("journals/corr/", "journals/iacr/")
_ABBREVIATED = re.compile(r"(?:\.\.|\b(?:inc|ltd|corp|jr|sr|etc|et al|vs)\.|\b(?:[a-z]\.){2,})$", re.IGNORECASE)
_PUBLICATION_TYPES: Mapping[str, str] = {
    "Journal Articles": "journal_article",
    "Conference and Workshop Papers": "conference_paper",
    "Parts in Books or Collections": "chapter",
    "Books and Theses": "book",
}
Info = Mapping[str, object]


def asks(description: PaperDescription) -> tuple[str, ...]:
    """Return the title if it is distinctive and in Latin script, like the titles in DBLP."""
    letters = compare.title_letters(description.title)
    is_latin = 2 * sum(letter.isascii() for letter in letters) > len(letters)
    return (description.title,) if description.kind == "paper" and is_latin and compare.is_distinctive(letters) else ()


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    return answers.fetch_one_by_one(keys, lambda key: _ask(http, key))


def _ask(http: Http, title: str, limit: int = _FEW) -> Metadata | str | None:
    """Return the work with that title. Only a complete result list proves that there is none."""
    hits, total = _hits(http, title, limit)
    if matches := _matching_works(title, hits):
        return _one_work(title, matches)
    if total <= len(hits):
        return None
    if limit < _MANY:
        return _ask(http, title, _MANY)
    return (
        f"DBLP has {total} works with the words of {title!r}, but none of the first {_MANY} has this title. "
        "Add the DOI, if there is one."
    )


def _hits(http: Http, title: str, limit: int) -> tuple[Sequence[Info], int]:
    """Return the first hits and the total number."""
    words = re.findall(r"\w+", _NO_WORDS.sub(" ", latex.decode_latex(title)))[:_MAX_QUERY_WORDS]
    if not words:
        return (), 0
    query = urlencode({"q": " ".join(words), "format": "json", "h": limit})
    answer = http.get(f"{http.base('dblp').rstrip('/')}/search/publ/api?{query}", answers.ASK)
    tree = answers.parse_answer(answer, LABEL)
    hits = json_fields.value_at(tree, "result", "hits")
    total = json_fields.short_text(json_fields.value_at(hits, "@total"))
    code = json_fields.short_text(json_fields.value_at(tree, "result", "status", "@code"))
    if code not in {"200", ""} or not re.fullmatch(r"\d{1,12}", total, re.ASCII):
        raise answers.unexpected_answer(LABEL, "no number of results")
    return [
        json_fields.as_mapping(hit.get("info")) for hit in json_fields.as_mappings(json_fields.value_at(hits, "hit"))
    ], int(total)


def _matching_works(title: str, hits: Iterable[Info]) -> list[Info]:
    """Return the works with that title, preferring those with exactly the same letters."""
    works = [hit for hit in hits if json_fields.short_text(hit.get("type")) not in _NO_WORKS]
    same_title = [hit for hit in works if compare.is_same_title(title, title_of(hit.get("title")))]
    exact = [
        hit for hit in same_title if compare.title_letters(title_of(hit.get("title"))) == compare.title_letters(title)
    ]
    return exact or same_title


def _one_work(title: str, hits: Sequence[Info]) -> Metadata | str:
    first, *rest = hits
    if any(compare.are_same_authors(_authors(first), _authors(other)) is False for other in rest):
        return f"DBLP has several works titled {title!r} by different authors. Add the DOI."
    return read(title, answers.serialize_answer({"hit": [{"info": hit} for hit in hits]}))


def read(_key: str, raw: str) -> Metadata:
    """Read one hit, `{"info": …}`, or all hits of one work.

    The metadata is from the published hit; the others add identifiers.
    """
    stored = answers.parse_stored(raw, LABEL)
    infos = [json_fields.as_mapping(hit.get("info")) for hit in json_fields.as_mappings(stored.get("hit", stored))]
    works = sorted((info for info in infos if title_of(info.get("title"))), key=_rank)
    if not works:
        raise answers.unexpected_answer(LABEL, "works without titles")
    best, names = works[0], tuple(dict.fromkeys(ref for info in works for ref in _refs(info)))
    ref = names[0] if names else _page(best)
    year = json_fields.parse_year(best.get("year"))
    return Metadata(
        ref=ref,
        service="dblp",
        stage="preprint" if _is_preprint(best) else "published",
        title=title_of(best.get("title")),
        authors=_authors(best),
        year=year,
        venue=_venue(best, year),
        publication_type=_publication_type(best),
        identifiers=tuple(name for name in names if name != ref),
        raw=raw,
    )


def _rank(info: Info) -> tuple[bool, bool, int]:
    """Return the sort key for the hits of one work.

    Published versions come before preprints, conferences before the extended journal version, earlier before later.
    """
    return _is_preprint(info), not _is_gathering(info), json_fields.parse_year(info.get("year")) or 9999


def _venue(info: Info, year: int | None) -> str:
    """Return the venue. DBLP's conference names are already short, so only the year is added."""
    venue = venues.short_venue(json_fields.line(info.get("venue")), year)
    lacks_year = venue and year and _is_gathering(info) and str(year) not in venue
    return f"{venue} {year}" if lacks_year else venue


def _publication_type(info: Info) -> str:
    if _is_preprint(info):
        return ""
    is_thesis = json_fields.short_text(info.get("key")).startswith("phd/")
    return "thesis" if is_thesis else _PUBLICATION_TYPES.get(json_fields.short_text(info.get("type")), "")


def _is_gathering(info: Info) -> bool:
    return json_fields.short_text(info.get("type")).startswith("Conference")


def _is_preprint(info: Info) -> bool:
    key, kind = json_fields.short_text(info.get("key")), json_fields.short_text(info.get("type"))
    return key.startswith(_CORR) or kind.startswith("Informal") or json_fields.short_text(info.get("venue")) == "CoRR"


def title_of(value: object) -> str:
    """Return a title without the full stop DBLP appends."""
    title = json_fields.line(value)
    return title.removesuffix(".") if not _ABBREVIATED.search(title) else title


def _authors(info: Info) -> tuple[str, ...]:
    """Return authors, given as a list or a single object, without DBLP's numbers for namesakes."""
    members = json_fields.as_list(json_fields.value_at(info, "authors", "author"))
    names = [json_fields.line(author.get("text") if isinstance(author, dict) else author) for author in members]
    return json_fields.author_names([authors.without_number(name) for name in names])


def _refs(info: Info) -> Iterable[Ref]:
    """Return the identifiers of a work.

    They are its electronic editions, its DOI and, for CoRR, the arXiv identifier in the volume field.
    """
    texts = [*json_fields.as_list(info.get("ee")), info.get("doi")]
    if json_fields.short_text(info.get("key")).startswith(_CORR[0]):
        texts.append(json_fields.short_text(info.get("volume")).removeprefix("abs/"))
    refs = [dois.parse_work_ref(json_fields.short_text(text)) for text in texts]
    return [ref for ref in refs if ref is not None]


def _page(info: Info) -> Ref:
    """Return its page on DBLP, for works without a better identifier."""
    key = json_fields.short_text(info.get("key"))
    page = sources.recognize(json_fields.short_text(info.get("url"))) or sources.recognize(
        f"https://dblp.org/rec/{key}"
    )
    return page or Ref("url", "dblp.org")


def search(http: Http, title: str) -> Sequence[Metadata]:
    """Search by title. Each hit is a separate work, for a person to choose from."""
    hits, _ = _hits(http, title, _FEW)
    works = [
        hit for hit in hits if json_fields.short_text(hit.get("type")) not in _NO_WORKS and title_of(hit.get("title"))
    ]
    return answers.rank_by_title(title, (read(title, answers.serialize_answer({"info": hit})) for hit in works[:_FEW]))


SERVICE = Service(
    name="dblp",
    label=LABEL,
    order=30,
    select_keys=asks,
    fetch=fetch,
    read=read,
    adds=frozenset({"published", "preprint", "venue", "year"}),
    interval=2.0,
    search=search,
    by_title=True,
)
