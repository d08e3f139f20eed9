"""MLSys papers: abstract page and PDF share a hash; virtual conference pages have a number."""

from readtrack.infra.text.urls import abstract_page, lacks_year, proceedings_key, proceedings_url, split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.parsing.page_titles import without_session
from readtrack.metadata.types import Source, WebLink

_HOSTS = ("mlsys.org",)


def recognize(text: str) -> str | None:
    parts = split_url(text)
    return proceedings_key(parts.path) if parts is not None and parts.is_under(*_HOSTS) else None


def url(key: str) -> str:
    return proceedings_url("mlsys.org", key)


SOURCE = Source(
    name="mlsys",
    recognise=recognize,
    url=url,
    order=40,
    hosts=_HOSTS,
    label=lambda key: f"MLSys {key.removeprefix('virtual/')}",
    links=lambda key: () if lacks_year(key) else (WebLink(url(key), "landing"),),
    shortened=lacks_year,
    examples={
        "https://proceedings.mlsys.org/paper/2020/file/f7177163c833dff4b38fc8d2872f1ec6-Paper.pdf": (
            "f7177163c833dff4b38fc8d2872f1ec6"
        ),
        "https://proceedings.mlsys.org/paper_files/paper/2024/hash/f7177163c833dff4b38fc8d2872f1ec6-Abstract-Conference.html": (  # noqa: E501 - an address
            "f7177163c833dff4b38fc8d2872f1ec6"
        ),
        "https://mlsys.org/virtual/2024/poster/2645": "virtual/2024/2645",
        "https://proceedings.mlsys.org/book/271.pdf": None,
        "https://mlsys.org/Conferences/2024": None,
    },
)

# The URL of a hash also needs the year, so the page that belongs to the original link is requested.
SERVICE = page_service(
    SOURCE, label="MLSys", stage="published", order=40, correct=without_session, to_page=abstract_page
)
