"""DataCite, the DOI registration agency of repositories: Zenodo, figshare, Dagstuhl, OSF, arXiv."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime

from readtrack.infra.http.types import Http, HttpResponse
from readtrack.metadata.parsing import answers, dois, json_fields, venues
from readtrack.metadata.sites import doi
from readtrack.metadata.types import DatedVersion, FetchResult, Metadata, Ref, Service

LABEL = "DataCite"
_BULK = frozenset(
    "xml viewsOverTime downloadsOverTime citationsOverTime contributors nameIdentifiers affiliation subjects "  # noqa: SIM905 - a list of names
    "rightsList geoLocations fundingReferences sizes formats created registered updated".split()
)
_STAGES: Mapping[str, str] = {
    **dict.fromkeys(
        (
            "ConferencePaper", "ConferenceProceeding", "JournalArticle", "Journal", "Book", "BookChapter",
            "Dissertation", "Report", "Standard", "DataPaper",
        ),
        "published",
    ),
    "Preprint": "preprint",
}  # fmt: skip
_KINDS: Mapping[str, str] = {
    **dict.fromkeys((*_STAGES, "Text", "OutputManagementPlan", "PeerReview", "StudyRegistration"), "paper"),
    **dict.fromkeys(("Software", "ComputationalNotebook"), "code"),
    **dict.fromkeys(("Audiovisual", "Film"), "video"),
    **dict.fromkeys(("Dataset", "Collection", "Image", "Model", "Service", "Sound", "InteractiveResource"), "page"),
}
_OF_TEXTS = frozenset({"CPAPER", "CONF", "JOUR", "CHAP", "BOOK", "THES"})  # RIS types for which "Text" is a paper.
_SAME_WORK = frozenset(
    {"IsVersionOf", "HasVersion", "IsIdenticalTo", "IsVariantFormOf", "IsOriginalFormOf", "IsPreprintOf", "HasPreprint"}
)
_DATES = ("Issued", "Available", "Submitted", "Created")


def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
    return answers.fetch_one_by_one(keys, lambda key: _ask(http, key))


def _ask(http: Http, key: str) -> Metadata | str | None:
    if reason := dois.refusal_reason(key):
        return reason
    answer = http.get(
        f"{http.base('datacite')}/dois/{dois.quote_for_path(key)}", {"accept": "application/vnd.api+json"}
    )
    if _is_unknown(answer):
        return None
    work = json_fields.as_mapping(json_fields.value_at(answers.parse_answer(answer, LABEL), "data", "attributes"))
    answered_key = doi.recognize(json_fields.short_text(work.get("doi")))
    if not (answered_key or "titles" in work) or (answered_key and answered_key != key):
        raise answers.unexpected_answer(LABEL, "not this work")
    return read(key, answers.serialize_answer(work, _BULK))


def _is_unknown(answer: HttpResponse) -> bool:
    """Return True if DataCite does not know the DOI.

    It answers with a list of errors; any other 404 comes from a server in front of it.
    """
    return answer.status == 404 and bool(json_fields.as_mappings(answers.parse_error(answer, LABEL).get("errors")))


def read(key: str, raw: str) -> Metadata:
    """Read the attributes of a DOI from the API's JSON."""
    work = answers.parse_stored(raw, LABEL)
    resource_type = json_fields.short_text(json_fields.value_at(work, "types", "resourceTypeGeneral"))
    ref = dois.parse_work_ref(f"doi:{key}") or Ref("doi", key)
    year, day = _published(work)
    return Metadata(
        ref=ref,
        service="datacite",
        stage=_stage(resource_type, key, work),
        kind=_KINDS.get(resource_type, ""),
        title=_title(work),
        authors=json_fields.author_names(
            [_creator(creator) for creator in json_fields.as_mappings(work.get("creators"))]
        ),
        year=year,
        published_on=day,
        venue=_venue(work, year),
        abstract=_abstract(work),
        language=json_fields.parse_language(work.get("language")),
        links=json_fields.build_links(
            [(doi.url(key), "landing"), (work.get("url"), "landing"), (work.get("contentUrl"), "pdf")]
        ),
        identifiers=dois.other_refs(ref, _same_works(work)),
        versions=tuple(_versions(work)),
        raw=raw,
    )


def _stage(resource_type: str, key: str, work: Mapping[str, object]) -> str:
    if dois.is_preprint(key):
        return "preprint"
    if resource_type == "Text" and json_fields.short_text(json_fields.value_at(work, "types", "ris")) in _OF_TEXTS:
        return "published"
    return _STAGES.get(resource_type, "page")


def _title(work: Mapping[str, object]) -> str:
    """Return the title without a type, plus its subtitle.

    Other titles are translations and alternatives.
    """
    titles = [
        (json_fields.short_text(item.get("titleType")), json_fields.line(item.get("title")))
        for item in json_fields.as_mappings(work.get("titles"))
    ]
    title = next((text for kind, text in titles if text and not kind), "")
    subtitle = next((text for kind, text in titles if text and kind == "Subtitle"), "")
    return json_fields.join_title(title, subtitle)


def _creator(creator: Mapping[str, object]) -> str:
    if json_fields.short_text(creator.get("nameType")) == "Organizational":
        return json_fields.organization_name(creator.get("name"))
    if json_fields.short_text(creator.get("familyName")):
        return json_fields.person_name(creator.get("givenName"), creator.get("familyName"))
    return json_fields.whole_name(creator.get("name"))


def _published(work: Mapping[str, object]) -> tuple[int | None, date | None]:
    """Return the publication year and the first date within that year."""
    dates = [
        (json_fields.short_text(item.get("dateType")), json_fields.parse_day(item.get("date")))
        for item in json_fields.as_mappings(work.get("dates"))
    ]
    days = [day for name in _DATES for kind, (_, day) in dates if kind == name and day]
    year = json_fields.parse_year(work.get("publicationYear")) or next((day.year for day in days), None)
    return year, next((day for day in days if day.year == year), None)


def _venue(work: Mapping[str, object], year: int | None) -> str:
    """Return the series or journal; the publisher is not a venue."""
    books = [
        item
        for item in json_fields.as_mappings(work.get("relatedItems"))
        if json_fields.short_text(item.get("relationType")) == "IsPublishedIn"
    ]
    titles = [
        json_fields.line(title.get("title"))
        for book in books[:3]
        for title in json_fields.as_mappings(book.get("titles"))[:3]
    ]
    container = json_fields.line(json_fields.value_at(work, "container", "title")) or next(filter(None, titles), "")
    event = next((title for title in titles if "onference" in title or "orkshop" in title or "ymposium" in title), "")
    return venues.short_venue(container, year, event=event) if container else ""


def _abstract(work: Mapping[str, object]) -> str:
    descriptions = json_fields.as_mappings(work.get("descriptions"))
    texts = (
        json_fields.prose(description.get("description"))
        for description in descriptions
        if description.get("descriptionType") == "Abstract"
    )
    return next(filter(None, texts), "")


def _same_works(work: Mapping[str, object]) -> list[str]:
    related = [
        json_fields.short_text(item.get("relatedIdentifier"))
        for item in json_fields.as_mappings(work.get("relatedIdentifiers"))
        if json_fields.short_text(item.get("relationType")) in _SAME_WORK
    ]
    own_identifiers = [
        json_fields.short_text(item.get("identifier"))
        for item in json_fields.as_mappings(work.get("identifiers"))
        if json_fields.short_text(item.get("identifierType")).lower() in {"doi", "arxiv"}
    ]
    return [*own_identifiers, *related]


def _versions(work: Mapping[str, object]) -> Iterator[DatedVersion]:
    """Yield the dated versions of a preprint, or else the described version."""
    versions: dict[str, datetime | None] = {}
    for item in json_fields.as_mappings(work.get("dates")):
        label = json_fields.short_text(item.get("dateInformation"))
        if json_fields.short_text(item.get("dateType")) == "Submitted" and re.fullmatch(r"v\d{1,3}", label):
            versions.setdefault(label, _moment(item.get("date")))
    label = json_fields.line(work.get("version"))
    if label and not versions:
        versions[label[:40]] = None
    yield from (DatedVersion(label, moment) for label, moment in versions.items())


def _moment(value: object) -> datetime | None:
    try:
        moment = datetime.fromisoformat(json_fields.short_text(value))
    except ValueError:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


SERVICE = Service(
    name="datacite",
    label=LABEL,
    order=25,
    select_keys=dois.registered_dois,
    fetch=fetch,
    read=read,
    own_schemes=frozenset({"doi"}),
    interval=1.0,
)
