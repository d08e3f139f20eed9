"""Semantic Scholar: recognition of its 40-digit hashes, and batch queries by any identifier."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from urllib.parse import quote

from readtrack.infra.http.types import Http, HttpResponse
from readtrack.infra.text.urls import split_url
from readtrack.metadata.parsing import answers, dois, json_fields, reference_lists, venues
from readtrack.metadata.types import (
    BibliographyItem,
    FetchResult,
    Metadata,
    PaperDescription,
    Ref,
    Service,
    Source,
    WebLink,
)

LABEL = "Semantic Scholar"
_HOSTS = ("semanticscholar.org",)
_PAPER = re.compile(r"(?:/.*)?/paper/(?:.*/)?([0-9a-f]{40})(?:/.*)?")
_HASH = re.compile(r"[0-9a-f]{40}")
_KEY = re.compile(r"[0-9a-f]{40}|(?:ARXIV|DOI|CorpusId):[^\s,]{1,1000}")
_ASKED = "title,abstract,authors.name,year,venue,publicationVenue,journal,publicationDate,externalIds,openAccessPdf"
_BULK = frozenset({"authorId", "alternate_urls", "issn", "alternate_issns", "disclaimer"})
_ACRONYM = re.compile(r"(?=(?:[A-Za-z]*[A-Z]){2})[A-Za-z]{2,12}")
_MAX_IDS_PER_REQUEST = 100  # Keys per request.


def recognize(text: str) -> str | None:
    parts = split_url(text)
    match = _PAPER.fullmatch(parts.path) if parts and parts.is_under(*_HOSTS) else None
    return match[1] if match else None


def url(key: str) -> str:
    return f"https://www.semanticscholar.org/paper/{key}"


def asks(description: PaperDescription) -> tuple[str, ...]:
    """Return the keys: its own first, then arXiv's, nearly all of which it knows."""
    arxiv = (f"ARXIV:{key}" for key in description.keys("arxiv"))
    doi_keys = (f"DOI:{key}" for key in description.keys("doi"))
    return (*description.keys("s2"), *arxiv, *doi_keys)


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    unique_keys = list(dict.fromkeys(keys))
    valid_keys = [key for key in unique_keys if _KEY.fullmatch(key)]
    kind = "Semantic Scholar identifier"
    result = FetchResult(
        errors={key: answers.invalid_identifier(key, kind) for key in unique_keys if key not in valid_keys}
    )
    for start in range(0, len(valid_keys), _MAX_IDS_PER_REQUEST):
        result = answers.merge_results(result, _ask(http, valid_keys[start : start + _MAX_IDS_PER_REQUEST]))
    return result


def _ask(http: Http, keys: Sequence[str]) -> FetchResult:
    """Fetch a batch.

    The whole batch is rejected for one invalid identifier, so bisect to find it.
    """
    address = f"{http.base('semanticscholar')}/graph/v1/paper/batch?fields={_ASKED}"
    answer = http.post(address, {"ids": list(keys)}, answers.ASK)
    if answer.status != 400:
        return _assign_to_keys(keys, answers.parse_answer(answer, LABEL))
    error = json_fields.short_text(answers.parse_error(answer, LABEL).get("error"))
    if "fields" in error.lower():
        raise answers.unexpected_answer(LABEL, "unknown fields")
    if len(keys) == 1:
        return FetchResult(errors={keys[0]: answers.rejected_identifier(LABEL, keys[0])})
    middle = len(keys) // 2
    return answers.merge_results(_ask(http, keys[:middle]), _ask(http, keys[middle:]))


def _assign_to_keys(keys: Sequence[str], answer: object) -> FetchResult:
    """Assign papers to keys. The response has the order of the keys, with null for unknown ones."""
    if not isinstance(answer, list) or len(answer) != len(keys):
        raise answers.unexpected_answer(LABEL, "wrong number of papers")
    papers = {key: json_fields.as_mapping(paper) for key, paper in zip(keys, answer, strict=True) if paper is not None}
    if not all(json_fields.short_text(paper.get("paperId")) for paper in papers.values()):
        raise answers.unexpected_answer(LABEL, "not a list of papers")
    mismatched = {key for key, paper in papers.items() if not _is_of(key, paper)}
    reason = "Semantic Scholar returned a different paper for {}. Check it there."
    works = {
        key: read(key, answers.serialize_answer(paper, _BULK)) for key, paper in papers.items() if key not in mismatched
    }
    return FetchResult(works, frozenset(keys) - papers.keys(), {key: reason.format(key) for key in mismatched})


def _is_of(key: str, paper: Mapping[str, object]) -> bool:
    """Return True if the paper has the requested identifier, as far as it lists any.

    Only one of several DOIs is listed.
    """
    if _HASH.fullmatch(key):
        return True  # Merged papers are returned under the remaining hash.
    ref, names = _ref(key, paper), _names(paper)
    arxiv = [name for name in names if name.scheme == "arxiv"]
    return ref.scheme != "arxiv" or not arxiv or ref in arxiv


def read(key: str, raw: str) -> Metadata:
    """Read a paper from the API's JSON."""
    paper = answers.parse_stored(raw, LABEL)
    ref, names = _ref(key, paper), _names(paper)
    venue_name = _venue_name(paper)
    stage = _stage(venue_name, names)
    year, day = json_fields.parse_year(paper.get("year")), json_fields.parse_day(paper.get("publicationDate"))[1]
    if stage == "published" and _is_of_preprint(year, day, names):
        # With a later venue: year and authors are those of the preprint, not of the published version.
        stage = "preprint"
    return Metadata(
        ref=ref,
        service="semanticscholar",
        stage=stage,
        kind="paper",
        title=json_fields.line(paper.get("title")),
        authors=json_fields.author_names(
            [json_fields.line(author.get("name")) for author in json_fields.as_mappings(paper.get("authors"))]
        ),
        year=year,
        published_on=None if day and day.year != year else day,
        venue=_venue(paper, year) if stage == "published" else "",
        abstract=json_fields.prose(paper.get("abstract")),
        links=json_fields.build_links([(json_fields.value_at(paper, "openAccessPdf", "url"), "pdf")]),
        identifiers=tuple(name for name in names if name != ref),
        raw=raw,
    )


def _ref(key: str, paper: Mapping[str, object]) -> Ref:
    """Return the reference for a key.

    CorpusId is not one of our schemes, so the hash is used instead.
    """
    scheme, _, name = key.partition(":")
    ref = dois.parse_work_ref(f"{scheme}:{name}") if scheme in {"ARXIV", "DOI"} else None
    return ref or Ref("s2", json_fields.short_text(paper.get("paperId")) if scheme == "CorpusId" else key)


def _names(paper: Mapping[str, object]) -> tuple[Ref, ...]:
    """Return its other identifiers, without its own hash, which is not needed if there are others."""
    return tuple(dict.fromkeys(ref for ref in map(dois.parse_work_ref, _identifier_texts(paper)) if ref))


def _identifier_texts(paper: Mapping[str, object]) -> tuple[str, ...]:
    identifiers = json_fields.as_mapping(paper.get("externalIds"))
    arxiv, doi, acl = (json_fields.short_text(identifiers.get(name)) for name in ("ArXiv", "DOI", "ACL"))
    return (
        arxiv and f"arxiv:{arxiv}",
        doi and f"doi:{doi}",
        acl and f"https://aclanthology.org/{acl}/",
    )


def _venue_name(paper: Mapping[str, object]) -> str:
    names = (
        json_fields.value_at(paper, "publicationVenue", "name"),
        paper.get("venue"),
        json_fields.value_at(paper, "journal", "name"),
    )
    return next(filter(None, map(json_fields.line, names)), "")


def _venue(paper: Mapping[str, object], year: int | None) -> str:
    """Return the venue, using an acronym among its alternate names.

    Conferences are listed without the word, as in "Neural Information Processing Systems", also called NeurIPS.
    """
    publication_venue = json_fields.as_mapping(paper.get("publicationVenue"))
    alternate_names = json_fields.as_list(
        publication_venue.get("alternate_names")
        if json_fields.short_text(publication_venue.get("type")) == "conference"
        else None
    )
    acronym = next((name for name in map(json_fields.short_text, alternate_names) if _ACRONYM.fullmatch(name)), "")
    venue_name = _venue_name(paper)
    return venues.short_venue(venue_name, year, event=acronym) if venue_name else ""


def _stage(venue_name: str, names: Sequence[Ref]) -> str:
    """Return "published" for a venue that is no preprint server; a DOI alone proves nothing."""
    doi_keys = [name.key for name in names if name.scheme == "doi"]
    if dois.is_place_of_preprints(venue_name) or (doi_keys and all(map(dois.is_preprint, doi_keys))):
        return "preprint"
    schemes = {name.scheme for name in names}
    if venue_name or "acl" in schemes:
        return "published"
    return "preprint" if "arxiv" in schemes else "page"


def _is_of_preprint(year: int | None, day: date | None, names: Sequence[Ref]) -> bool:
    """Return True if the date is that of the arXiv version.

    Semantic Scholar often combines it with a later venue.
    """
    numbers = [name.key for name in names if name.scheme == "arxiv" and name.key[:4].isdecimal()]
    months = [12 * (2000 + int(number[:2])) + int(number[2:4]) - 1 for number in numbers]
    if day is None:
        return any(month // 12 == year for month in months)
    # arXiv numbers papers a day or two after submission.
    return any(abs(month - (12 * day.year + day.month - 1)) <= 1 for month in months)


def search(http: Http, title: str) -> Sequence[Metadata]:
    """Return the work with exactly that title, else works with its words, most likely first."""
    base = f"{http.base('semanticscholar')}/graph/v1/paper/search"
    # Hyphens prevent matches.
    query = quote(" ".join(json_fields.short_text(title).replace("-", " ").split()), safe="")
    match = http.get(f"{base}/match?query={query}&fields={_ASKED}", answers.ASK)
    is_unknown = match.status == 404 and bool(answers.parse_error(match, LABEL).get("error"))
    if not is_unknown and (works := _works(match)):
        return works
    works = _works(http.get(f"{base}?query={query}&limit={answers.MAX_RESULTS}&fields={_ASKED}", answers.ASK))
    return answers.rank_by_title(title, works)


def works_cited(http: Http, key: str) -> Sequence[BibliographyItem] | None:
    """Return the works a paper cites, with one request.

    Return None if the paper is unknown, empty if its publisher forbids it.
    """
    address = f"{http.base('semanticscholar')}/graph/v1/paper/{quote(key, safe=':/')}/references"
    answer = http.get(f"{address}?fields=externalIds,title,year&limit={reference_lists.MAX_ENTRIES}", answers.ASK)
    if answer.status == 404 and answers.parse_error(answer, LABEL).get("error"):
        return None
    data = json_fields.as_mapping(answers.parse_answer(answer, LABEL))
    if "data" not in data:
        raise answers.unexpected_answer(LABEL, "not a list of references")
    papers = [json_fields.as_mapping(entry.get("citedPaper")) for entry in json_fields.as_mappings(data["data"])]
    return reference_lists.deduplicate_cited(
        reference_lists.parse_cited_work(_identifier_texts(paper), paper.get("title"), paper.get("year"))
        for paper in papers
    )


def _works(answer: HttpResponse) -> list[Metadata]:
    data = json_fields.as_mapping(answers.parse_answer(answer, LABEL))
    if "data" not in data and "total" not in data:
        raise answers.unexpected_answer(LABEL, "not a list of papers")
    papers = json_fields.as_mappings(data.get("data"))[: answers.MAX_RESULTS]
    keyed_papers = [(json_fields.short_text(paper.get("paperId")), paper) for paper in papers]
    return [
        _best_named(read(key, answers.serialize_answer(paper, _BULK)))
        for key, paper in keyed_papers
        if _HASH.fullmatch(key)
    ]


def _best_named(work: Metadata) -> Metadata:
    """Replace the hash by an identifier that other services know, if there is one."""
    first, *others = (*work.identifiers, work.ref)
    return replace(work, ref=first, identifiers=tuple(others))


SOURCE = Source(
    name="s2",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"Semantic Scholar {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://www.semanticscholar.org/paper/Attention-is-All-you-Need/204e3073870fae3d05bcbc2f6a8e263d9b72e776": (
            "204e3073870fae3d05bcbc2f6a8e263d9b72e776"
        ),
        "https://semanticscholar.org/paper/204e3073870fae3d05bcbc2f6a8e263d9b72e776?utm_source=x": (
            "204e3073870fae3d05bcbc2f6a8e263d9b72e776"
        ),
        "https://www.semanticscholar.org/author/A.-Vaswani/40348417": None,
        "https://api.semanticscholar.org/CorpusID:13756489": None,
    },
)

SERVICE = Service(
    name="semanticscholar",
    label=LABEL,
    order=40,
    select_keys=asks,
    fetch=fetch,
    read=read,
    own_schemes=frozenset({"s2"}),
    adds=frozenset({"abstract", "venue", "year", "published", "preprint"}),
    batch=_MAX_IDS_PER_REQUEST,
    interval=1.5,
    search=search,
    fetch_cited=works_cited,
)
