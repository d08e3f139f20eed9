"""Parsing of arXiv's query API with the `arxiv` package.

The package opens no socket here and is slow to import.
"""

import io
from collections.abc import Callable, Iterator, Mapping, Sequence

import arxiv  # type: ignore[import-untyped] # has no type stubs
import requests
from lxml import etree
from lxml.etree import _Element as Element

from readtrack.infra.http.types import HttpResponse
from readtrack.metadata.parsing import arxiv_fields, atom, json_fields, plain_text
from readtrack.metadata.services.arxiv import key_of, links, version
from readtrack.metadata.types import DatedVersion, Metadata, Ref


def fetch_by_keys(session: "FeedSession", keys: Sequence[str], base: str) -> Mapping[str, Metadata]:
    """Fetch papers by identifier in one request."""
    return _results(session, arxiv.Search(id_list=list(keys), max_results=None), base, size=len(keys))


def fetch_by_query(session: "FeedSession", query: str, base: str, *, limit: int) -> Mapping[str, Metadata]:
    """Fetch the papers that match a query."""
    return _results(session, arxiv.Search(query=query, max_results=limit), base, size=limit)


def _results(session: "FeedSession", query: arxiv.Search, base: str, *, size: int) -> Mapping[str, Metadata]:
    """Run the arxiv package with our session, which checks each response before it is parsed."""
    client = arxiv.Client(page_size=size, delay_seconds=0, num_retries=0)
    client.query_url_format = base + "?{}"
    client._session = session  # noqa: SLF001 - the package has no public setting
    results = {key_of(result.entry_id): result for result in client.results(query)}
    return {key: _metadata(key, results[key], session.raw[key]) for key in results}


class FeedSession(requests.Session):
    """A session that sends requests through our HTTP client instead of opening sockets.

    It passes on only valid entries that were requested.
    """

    def __init__(self, fetch: Callable[[str], HttpResponse], keys: frozenset[str] | None = None) -> None:
        super().__init__()
        self._ask, self._keys = fetch, keys  # None: any paper.
        self.total = self.entry_count = 0  # Number of entries according to arXiv, and number received.
        self.raw: dict[str, str] = {}

    def get(self, url: str | bytes, **_given: object) -> requests.Response:
        feed = atom.whole_feed(self._ask(str(url)))
        entries = feed.findall("atom:entry", atom.NAMES)
        total = atom.get_total_results(feed)
        for entry in entries:
            self._keep_or_drop(feed, entry)
        self.total, self.entry_count = int(total.text or 0), len(entries)
        total.text = str(len(self.raw))  # Otherwise the package would request further pages itself.
        response = requests.Response()
        response.status_code, response.raw = 200, io.BytesIO(etree.tostring(feed))
        return response

    def _keep_or_drop(self, feed: Element, entry: Element) -> None:
        key = key_of(entry.findtext("atom:id", "", atom.NAMES))
        is_wanted = bool(key) if self._keys is None else key in self._keys
        if not is_wanted or key in self.raw:
            feed.remove(entry)
            return
        self.raw[key] = plain_text.without_mail(etree.tostring(entry, encoding="unicode", with_tail=False))
        atom.repair_dates(entry)


def _metadata(key: str, result: arxiv.Result, raw: str) -> Metadata:
    published = result.published if result.published > atom.UNDATED else None
    return Metadata(
        ref=Ref("arxiv", key),
        stage="preprint",
        kind="paper",
        title=arxiv_fields.line(result.title),
        authors=json_fields.author_names([arxiv_fields.line(author.name) for author in result.authors]),
        year=published.year if published else None,
        published_on=published.date() if published else None,
        venue=arxiv_fields.venue(result.journal_ref),
        abstract=arxiv_fields.prose(result.summary),
        arxiv_class=json_fields.short_text(result.primary_category),
        links=links(key),
        identifiers=arxiv_fields.find_published_dois(result.doi, result.journal_ref),
        versions=tuple(_versions(result)),
        remark=arxiv_fields.remark(result.comment, result.summary),
        raw=raw,
    )


def _versions(result: arxiv.Result) -> Iterator[DatedVersion]:
    """Yield the first and the latest version; arXiv gives no dates for others."""
    dates = {"v1": result.published}
    latest = version(result.entry_id)
    if latest not in {"", "v1"}:
        dates[latest] = result.updated
    for label, moment in dates.items():
        yield DatedVersion(label, moment if moment > atom.UNDATED else None)
