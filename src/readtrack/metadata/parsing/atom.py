"""Validation of arXiv's Atom feeds."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from readtrack.infra.http.types import HttpResponse
from readtrack.metadata.parsing import answers

if TYPE_CHECKING:
    from lxml.etree import _Element as Element

ATOM = "http://www.w3.org/2005/Atom"
NAMES = {"atom": ATOM, "opensearch": "http://a9.com/-/spec/opensearch/1.1/"}
UNDATED = datetime(1, 1, 1, tzinfo=UTC)  # Replaces invalid dates, so that the package parses the other fields.
LABEL = "arXiv"


class BadIdentifierError(Exception):
    """The response reports an invalid identifier instead of papers."""


def whole_feed(answer: HttpResponse) -> Element:
    """Return the feed if the response is complete and valid.

    The package would treat anything else as an empty result. Raise SourceUnavailable, or BadIdentifierError if arXiv
    rejects an identifier.
    """
    from lxml import etree

    if answer.status == 400:
        raise BadIdentifierError
    if answer.status != 200:
        raise answers.unexpected_answer(LABEL, f"status {answer.status}")
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
    try:
        feed = etree.fromstring(answer.body, parser)
    except etree.XMLSyntaxError as error:
        raise answers.unexpected_answer(LABEL, "invalid or truncated feed") from error
    if feed.tag != f"{{{ATOM}}}feed" or feed.getroottree().docinfo.internalDTD is not None:
        raise answers.unexpected_answer(LABEL, "not a feed")
    if any("/api/errors" in entry.findtext("atom:id", "", NAMES) for entry in feed.iterfind("atom:entry", NAMES)):
        raise BadIdentifierError
    return feed


def get_total_results(feed: Element) -> Element:
    """Return the element with the number of results.

    Raise SourceUnavailable if it is missing or not a number.
    """
    count = feed.find("opensearch:totalResults", NAMES)
    if count is None or not re.fullmatch(r"\s*\d{1,12}\s*", count.text or "", re.ASCII):
        raise answers.unexpected_answer(LABEL, "feed without a number of results")
    return count


def repair_dates(entry: Element) -> None:
    """Replace invalid dates, for which the arxiv package would drop the entry or fail."""
    from lxml import etree

    for name in ("published", "updated"):
        dates = entry.findall(f"atom:{name}", NAMES) or [etree.SubElement(entry, f"{{{ATOM}}}{name}")]
        if not _is_date(dates[0].text):
            dates[0].text = UNDATED.isoformat()


def _is_date(text: str | None) -> bool:
    try:
        return 1900 < datetime.fromisoformat((text or "").strip()).year < 9000
    except ValueError:
        return False
