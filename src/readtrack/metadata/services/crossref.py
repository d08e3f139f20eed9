"""Crossref, the DOI registration agency of most publishers."""

import re
from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import quote

from readtrack.infra.http.types import Http, HttpResponse
from readtrack.infra.i18n import N_
from readtrack.metadata.parsing import answers, dois, json_fields, reference_lists, venues
from readtrack.metadata.sites import doi
from readtrack.metadata.types import BibliographyItem, FetchResult, Metadata, PaperDescription, Ref, Service, WebLink

LABEL = "Crossref"
_OF_DATACITE = frozenset(
    {
        "10.3929", "10.4230", "10.5061", "10.5281", "10.6084", "10.7910", "10.17605", "10.17632", "10.17863",
        "10.48550", "10.57967",
    }
)  # fmt: skip
_BULK = frozenset(
    "license funder assertion content-domain affiliation indexed deposited created issn-type isbn-type "  # noqa: SIM905 - a list of names
    "ISSN ISBN role sequence ORCID authenticated-orcid journal-issue update-policy score editor sponsor subject".split()
)
_STAGES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "journal-article", "proceedings-article", "book-chapter", "book-section", "book-part", "book", "monograph",
            "edited-book", "reference-book", "reference-entry", "book-track", "proceedings", "dissertation", "report",
            "report-component", "standard",
        ),
        "published",
    ),
    "posted-content": "preprint",
}  # fmt: skip
_PUBLICATION_TYPES: Mapping[str, str] = {
    "journal-article": "journal_article",
    "proceedings-article": "conference_paper",
    **dict.fromkeys(("book", "monograph", "edited-book", "reference-book", "proceedings"), "book"),
    **dict.fromkeys(("book-chapter", "book-section", "book-part", "reference-entry"), "chapter"),
    "dissertation": "thesis",
    "report": "report",
}
_NO_PAPERS = frozenset(
    {"dataset", "database", "component", "journal", "journal-issue", "journal-volume", "grant", "peer-review"}
)
_IN_BOOKS = frozenset({"proceedings-article", "book-chapter", "book-section", "book-part", "reference-entry"})
_SAME_WORK = frozenset(
    {"is-preprint-of", "has-preprint", "is-version-of", "has-version", "is-same-as", "is-identical-to"}
)
_OF_ENTRY = ("DOI", "article-title", "volume-title", "year")  # Stored fields of a cited work.
_DATES = ("published", "issued", "published-print", "published-online", "posted")
_TAKEN_BACK = re.compile(
    r"[\[(]?\s*(?P<how>retracted|withdrawn|removed)(?:\s+(?:article|paper|chapter|manuscript|publication))?\s*"
    r"(?:[\])]\s*:?|[:：])\s*",
    re.IGNORECASE,
)


def asks(description: PaperDescription) -> tuple[str, ...]:
    return tuple(key for key in dois.registered_dois(description) if key.partition("/")[0] not in _OF_DATACITE)


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    return answers.fetch_one_by_one(keys, lambda key: _ask(http, key))


def _ask(http: Http, key: str) -> Metadata | str | None:
    if reason := dois.refusal_reason(key):
        return reason
    answer = http.get(f"{http.base('crossref')}/works/{dois.quote_for_path(key)}", answers.ASK)
    if _is_unknown(answer):
        return None
    if answer.status == 400:
        answers.parse_error(answer, LABEL)
        return answers.rejected_identifier(LABEL, key)
    work = json_fields.as_mapping(json_fields.value_at(answers.parse_answer(answer, LABEL), "message"))
    if not work or not _is_of(key, work):
        raise answers.unexpected_answer(LABEL, "not this work")
    return read(key, _stored(work))


def _stored(work: Mapping[str, object]) -> str:
    """Serialize a work for storage; references are reduced to the fields that are read."""
    cites = [
        {name: json_fields.short_text(entry[name]) for name in _OF_ENTRY if name in entry}
        for entry in json_fields.as_mappings(work.get("reference"))[: reference_lists.MAX_ENTRIES]
        if json_fields.short_text(entry.get("DOI"))
    ]
    return answers.serialize_answer({**work, "reference": cites}, _BULK)


def works_cited(raw: str) -> list[BibliographyItem]:
    """Return the works cited in a stored response. Entries without a DOI are skipped."""
    entries = json_fields.as_mappings(answers.parse_stored(raw, LABEL).get("reference"))
    return reference_lists.deduplicate_cited(
        reference_lists.parse_cited_work(
            [f"doi:{json_fields.short_text(entry.get('DOI'))}"],
            entry.get("article-title") or entry.get("volume-title"),
            entry.get("year"),
        )
        for entry in entries
        if json_fields.short_text(entry.get("DOI"))
    )


def _is_unknown(answer: HttpResponse) -> bool:
    """Return True if Crossref does not know the DOI.

    It says so in plain text; any other 404 comes from a server in front of it.
    """
    return answer.status == 404 and answer.body.strip().lower() == b"resource not found."


def _is_of(key: str, work: Mapping[str, object]) -> bool:
    """Return True if the response is about that DOI; a work can have several."""
    texts = (
        json_fields.short_text(work.get("DOI")),
        *map(json_fields.short_text, json_fields.as_list(work.get("aliases"))),
    )
    keys = {
        doi.recognize(text)
        for text in (*texts, *map(json_fields.short_text, json_fields.as_list(work.get("alternative-id"))))
    }
    return key in keys or (not texts[0] and "title" in work)


def read(key: str, raw: str) -> Metadata:
    """Read a work from the API's JSON."""
    work = answers.parse_stored(raw, LABEL)
    kind, ref = json_fields.short_text(work.get("type")), Ref("doi", key)
    title, retraction = _title(work)
    year, day = _published(work)
    return Metadata(
        ref=ref,
        service="crossref",
        stage=_stage(kind, key),
        kind="page" if kind in _NO_PAPERS else "paper",
        title=title,
        authors=json_fields.author_names([_author(author) for author in json_fields.as_mappings(work.get("author"))]),
        year=year,
        published_on=day,
        venue=_venue(work, kind, year),
        publication_type=_publication_type(work, kind),
        abstract=json_fields.prose(work.get("abstract")),
        language=json_fields.parse_language(work.get("language")),
        links=_links(key, work),
        identifiers=dois.other_refs(ref, _same_works(work)),
        remark=_remark(retraction, work),
        raw=raw,
    )


def _stage(kind: str, key: str) -> str:
    return "preprint" if dois.is_preprint(key) else _STAGES.get(kind, "page")


def _title(work: Mapping[str, object]) -> tuple[str, str]:
    """Return the first title with its subtitle, and the word that marks it as retracted, if any."""
    first_title = next(filter(None, map(json_fields.line, json_fields.as_list(work.get("title")))), "")
    full_title = first_title or next(
        filter(None, map(json_fields.line, json_fields.as_list(work.get("original-title")))), ""
    )
    match = _TAKEN_BACK.match(full_title)
    title = full_title[match.end() :] if match else full_title
    full_title = json_fields.join_title(title, json_fields.line(work.get("subtitle")))
    return full_title, match["how"].lower() if match else ""


def _author(author: Mapping[str, object]) -> str:
    """Return the name of a person in two parts, or of an organization or literal name in one."""
    parts = json_fields.person_name(author.get("given"), author.get("family"), author.get("suffix"))
    return parts or json_fields.organization_name(author.get("name"), author.get("literal"))


def _published(work: Mapping[str, object]) -> tuple[int | None, date | None]:
    """Return year and date of the first date field that has a year; fields are never combined."""
    dates = (json_fields.parse_day(_parts(work.get(name))) for name in _DATES)
    return next((parsed for parsed in dates if parsed[0]), (None, None))


def _parts(value: object) -> object:
    """Convert [[2021, 6, 9]] to [2021, 6, 9]."""
    return next(iter(json_fields.as_list(json_fields.value_at(value, "date-parts"))), None)


def _venue(work: Mapping[str, object], kind: str, year: int | None) -> str:
    """Return the venue.

    For chapters, the last container title is the book (the first is the series); for bilingual journals, the first
    title is the original one.
    """
    containers = [title for title in map(json_fields.line, json_fields.as_list(work.get("container-title"))) if title]
    event = json_fields.as_mapping(work.get("event"))
    event_year, _ = json_fields.parse_day(_parts(event.get("start")))
    container = containers[-1 if kind in _IN_BOOKS else 0] if containers else ""
    name = container or json_fields.line(event.get("name")) or _institution(work)
    return venues.short_venue(name, event_year or year, event=_event(event)) if name else ""


def _publication_type(work: Mapping[str, object], kind: str) -> str:
    """Return the publication type; "" for a chapter that may be a conference paper, as in Lecture Notes."""
    series = " ".join(map(json_fields.line, json_fields.as_list(work.get("container-title"))))
    publication_type = _PUBLICATION_TYPES.get(kind, "")
    is_unsure = publication_type == "chapter" and (work.get("event") or "Lecture Notes in" in series)
    return "" if is_unsure else publication_type


def _event(event: Mapping[str, object]) -> str:
    name, acronym = json_fields.line(event.get("name")), json_fields.line(event.get("acronym"))
    return ": ".join(part for part in ("" if acronym in name else acronym, name) if part)


def _institution(work: Mapping[str, object]) -> str:
    return next(
        (json_fields.line(institution.get("name")) for institution in json_fields.as_mappings(work.get("institution"))),
        "",
    )


def _links(key: str, work: Mapping[str, object]) -> tuple[WebLink, ...]:
    """Return landing page and PDFs for readers, without those for plagiarism checkers and text mining APIs."""
    files = [
        (link.get("URL"), "pdf")
        for link in json_fields.as_mappings(work.get("link"))
        if json_fields.short_text(link.get("content-type")) == "application/pdf"
        and json_fields.short_text(link.get("intended-application")) != "similarity-checking"
        and "://api." not in json_fields.short_text(link.get("URL"))
    ]
    return json_fields.build_links([(doi.url(key), "landing"), *files[:3]])


def _same_works(work: Mapping[str, object]) -> list[str]:
    relation = json_fields.as_mapping(work.get("relation"))
    related = [item for name in sorted(_SAME_WORK) for item in json_fields.as_mappings(relation.get(name))]
    return [json_fields.short_text(work.get("DOI")), *(json_fields.short_text(item.get("id")) for item in related)]


def _remark(retraction: str, work: Mapping[str, object]) -> str:
    """Return a remark if the work was retracted or is itself a retraction notice."""
    update_types = {
        json_fields.short_text(update.get("type")) for update in json_fields.as_mappings(work.get("updated-by"))
    }
    notices = [
        " of doi ".join(
            filter(
                None,
                (json_fields.short_text(update.get("type")), doi.recognize(json_fields.short_text(update.get("DOI")))),
            )
        )
        for update in json_fields.as_mappings(work.get("update-to"))
        if json_fields.short_text(update.get("type"))
        in {"retraction", "withdrawal", "removal", "correction", "erratum"}
    ]
    labels = {"retraction": N_("retracted"), "withdrawal": N_("withdrawn"), "removal": N_("removed")}
    remarks = [retraction, *(label for name, label in labels.items() if name in update_types)]
    return "; ".join(dict.fromkeys(part for part in (*remarks, *notices[:3]) if part))


def search(http: Http, title: str) -> Sequence[Metadata]:
    """Search works by bibliographic data similar to the title, most likely first."""
    query = quote(json_fields.short_text(title), safe="")
    answer = http.get(
        f"{http.base('crossref')}/works?query.bibliographic={query}&rows={answers.MAX_RESULTS}", answers.ASK
    )
    works = json_fields.as_mappings(json_fields.value_at(answers.parse_answer(answer, LABEL), "message", "items"))[
        : answers.MAX_RESULTS
    ]
    keyed_works = [(doi.recognize(json_fields.short_text(work.get("DOI"))), work) for work in works]
    records = (read(key, _stored(work)) for key, work in keyed_works if key)
    return answers.rank_by_title(title, (work for work in records if work.kind == "paper"))


SERVICE = Service(
    name="crossref",
    label=LABEL,
    order=20,
    select_keys=asks,
    fetch=fetch,
    read=read,
    own_schemes=frozenset({"doi"}),
    interval=0.5,
    search=search,
    cited=works_cited,
)
