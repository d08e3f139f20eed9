"""OpenAlex, an index of works, queried by DOI for abstracts, venues and other versions."""

import re
from collections.abc import Mapping, Sequence
from datetime import date

from readtrack.infra.http.types import Http, HttpResponse
from readtrack.metadata.parsing import answers, dois, json_fields, plain_text, venues
from readtrack.metadata.sites import doi
from readtrack.metadata.types import FetchResult, Metadata, Ref, Service, WebLink

LABEL = "OpenAlex"
_ASKED = (
    "id,doi,title,display_name,publication_year,publication_date,ids,type,primary_location,best_oa_location,locations,"
    "authorships,is_retracted,abstract_inverted_index"
)
_BULK = frozenset(
    "institutions affiliations raw_affiliation_strings countries raw_orcid orcid host_organization_lineage "  # noqa: SIM905 - a list of names
    "host_organization_lineage_names referenced_works related_works concepts topics keywords mesh counts_by_year "
    "awards funders sustainable_development_goals primary_topic".split()
)
_NO_PAPERS = frozenset({"dataset", "paratext", "grant", "other", "peer-review", "supplementary-materials", "software"})
_PUBLICATION_TYPES: Mapping[str, str] = {
    "article in journal": "journal_article",
    "article in conference": "conference_paper",
    "conference-paper": "conference_paper",
    "book": "book",
    "book-chapter": "chapter",
    "book-chapter in book series": "",  # often a conference paper, of Lecture Notes in Computer Science
    "dissertation": "thesis",
    "report": "report",
}
_NOT_FOUND = re.compile(rb"<title>404 Not Found</title>", re.IGNORECASE)
_WORDS, _LAST_PLACE = 10_000, 20_000  # Maximum words and highest position in an abstract.


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    return answers.fetch_one_by_one(keys, lambda key: _ask(http, key))


def _ask(http: Http, key: str) -> Metadata | str | None:
    if reason := dois.refusal_reason(key):
        return reason
    address = f"{http.base('openalex')}/works/https://doi.org/{dois.quote_for_path(key)}?select={_ASKED}"
    answer = http.get(address, answers.ASK)
    if _is_unknown(answer):
        return None
    work = json_fields.as_mapping(answers.parse_answer(answer, LABEL))
    answered_key = doi.recognize(json_fields.short_text(work.get("doi")))
    if not json_fields.short_text(work.get("id")) or (answered_key and answered_key != key):
        raise answers.unexpected_answer(LABEL, "not this work")
    return read(key, answers.serialize_answer(work, _BULK))


def _is_unknown(answer: HttpResponse) -> bool:
    """Return True if OpenAlex does not know the DOI.

    It answers with a JSON error or its framework's bare 404 page; a proxy's page is neither.
    """
    if answer.status != 404:
        return False
    if answers.is_page(answer):
        return _NOT_FOUND.search(answer.body[:2_000]) is not None and b"<center>" not in answer.body
    return bool(answers.parse_error(answer, LABEL))


def read(key: str, raw: str) -> Metadata:
    """Read a work from the API's JSON."""
    work = answers.parse_stored(raw, LABEL)
    ref = dois.parse_work_ref(f"doi:{key}") or Ref("doi", key)
    stage = _stage(work, key)
    year, day = _published(work)
    return Metadata(
        ref=ref,
        service="openalex",
        stage=stage,
        kind="page" if json_fields.short_text(work.get("type")) in _NO_PAPERS else "paper",
        title=json_fields.line(work.get("title")) or json_fields.line(work.get("display_name")),
        authors=json_fields.author_names(
            [_author(authorship) for authorship in json_fields.as_mappings(work.get("authorships"))]
        ),
        year=year,
        published_on=day,
        venue=_venue(work, year) if stage == "published" else "",
        publication_type=_publication_type(work) if stage == "published" else "",
        abstract=_abstract(json_fields.as_mapping(work.get("abstract_inverted_index"))),
        links=_links(key, work),
        identifiers=dois.other_refs(ref, _same_works(work)),
        remark="retracted" if work.get("is_retracted") is True else "",
        raw=raw,
    )


def _stage(work: Mapping[str, object], key: str) -> str:
    kind, first = json_fields.short_text(work.get("type")), work.get("primary_location")
    if not kind or kind in _NO_PAPERS:
        return "page"
    in_repository = json_fields.short_text(json_fields.value_at(first, "source", "type")) == "repository"
    return "preprint" if kind == "preprint" or dois.is_preprint(key) or in_repository else "published"


def _publication_type(work: Mapping[str, object]) -> str:
    """Return the publication type. Papers of conferences may be articles, too: the source tells."""
    kind = json_fields.short_text(work.get("type"))
    source = json_fields.short_text(json_fields.value_at(work.get("primary_location"), "source", "type"))
    return _PUBLICATION_TYPES.get(f"{kind} in {source}", _PUBLICATION_TYPES.get(kind, ""))


def _published(work: Mapping[str, object]) -> tuple[int | None, date | None]:
    """Return year and date.

    OpenAlex uses the first of the month, or January 1, for unknown days, so such dates are dropped.
    """
    year = json_fields.parse_year(work.get("publication_year"))
    _, day = json_fields.parse_day(work.get("publication_date"))
    is_exact_day = day is not None and day.day != 1 and day.year == year
    return year, day if is_exact_day else None


def _author(authorship: Mapping[str, object]) -> str:
    """Return the author's name as printed.

    The profile's name is a fallback, as it may be of another person.
    """
    return json_fields.whole_name(authorship.get("raw_author_name")) or json_fields.line(
        json_fields.value_at(authorship, "author", "display_name")
    )


def _venue(work: Mapping[str, object], year: int | None) -> str:
    """Return the journal's own name, or the name of the conference proceedings, which contains the year."""
    first = work.get("primary_location")
    source, book = (
        json_fields.line(json_fields.value_at(first, "source", "display_name")),
        json_fields.line(json_fields.value_at(first, "raw_source_name")),
    )
    journal = json_fields.short_text(json_fields.value_at(first, "source", "type")) == "journal"
    name = (source or book) if journal else (book or source)
    return venues.short_venue(name, year) if name else ""


def _abstract(index: Mapping[str, object]) -> str:
    """Rebuild the abstract from its inverted index of words and positions."""
    word_by_position = {
        position: word
        for word, positions in list(index.items())[:_WORDS]
        for position in json_fields.as_list(positions)
        if type(position) is int and 0 <= position < _LAST_PLACE
    }
    text = " ".join(word for _, word in sorted(word_by_position.items()) if word)
    return plain_text.without_mail(json_fields.prose(text))


def _links(key: str, work: Mapping[str, object]) -> tuple[WebLink, ...]:
    return json_fields.build_links(
        [(doi.url(key), "landing"), (json_fields.value_at(work, "best_oa_location", "pdf_url"), "pdf")]
    )


def _same_works(work: Mapping[str, object]) -> list[str]:
    """Return the other locations: preprint servers, or the publisher of a preprint."""
    locations = json_fields.as_mappings(work.get("locations"))[:50]
    return [
        json_fields.short_text(work.get("doi")),
        *(json_fields.short_text(location.get("landing_page_url")) for location in locations),
    ]


SERVICE = Service(
    name="openalex",
    label=LABEL,
    order=50,
    select_keys=dois.registered_dois,
    fetch=fetch,
    read=read,
    adds=frozenset({"abstract", "venue", "year", "preprint"}),
    interval=1.0,
)
