"""Services for sites that describe their videos and slides by oEmbed."""

from collections.abc import Sequence
from urllib.parse import quote

from readtrack.infra.http.types import Http, HttpResponse
from readtrack.metadata.parsing import answers, json_fields
from readtrack.metadata.types import FetchResult, Metadata, Ref, Service, Source

_BULK = frozenset({"html"})  # The embed code, which is not used.


def service(source: Source, address: str, *, label: str, unknown_statuses: Sequence[int] = (404,)) -> Service:
    """Build the service of a site with an oEmbed endpoint at `address`.

    If the operator set READTRACK_OEMBED_URL, {base}/<site name> is requested instead, e.g. {base}/youtube.
    `unknown_statuses` lists the statuses that mean, without an HTML page, that the work does not exist.
    """

    def ask(http: Http, key: str) -> Metadata | str | None:
        base = http.base("oembed")
        endpoint = f"{base}/{source.name}" if base else address
        answer = http.get(f"{endpoint}?url={quote(source.url(key), safe='')}&format=json", answers.ASK)
        if answer.status in unknown_statuses and not answers.is_page(answer):
            return None
        if answer.status in {401, 403} and not answers.is_page(answer):
            return f"Access on {label} is restricted. Ask the owner."
        return read(key, _stored(answer))

    def _stored(answer: HttpResponse) -> str:
        data = answers.parse_answer(answer, label)
        if not json_fields.short_text(json_fields.value_at(data, "title")):
            raise answers.unexpected_answer(label, "no title")
        return answers.serialize_answer(data, _BULK)

    def read(key: str, raw: str) -> Metadata:
        data = answers.parse_stored(raw, label)
        title = json_fields.line(data.get("title"))
        return Metadata(
            ref=Ref(source.name, key),
            kind=source.kind(key),
            title="" if title.casefold() in _site_names(data, label) else title,
            authors=json_fields.author_names([json_fields.line(data.get("author_name"))]),
            links=source.links(key),
            raw=raw,
        )

    def fetch(http: Http, keys: Sequence[str]) -> FetchResult:
        return answers.fetch_one_by_one(keys, lambda key: ask(http, key))

    return Service(
        name=source.name,
        label=label,
        order=source.order,
        select_keys=lambda about: about.keys(source.name),
        fetch=fetch,
        read=read,
        own_schemes=frozenset({source.name}),
        interval=2.0,
    )


def _site_names(data: object, label: str) -> set[str]:
    """Return names of the site; a title that equals one of them says nothing."""
    return {label.casefold(), json_fields.line(json_fields.value_at(data, "provider_name")).casefold()}
