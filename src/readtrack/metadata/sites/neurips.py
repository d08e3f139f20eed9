"""NeurIPS papers since 2020: abstract page, PDF and supplement share a hash.

Virtual pages have a number.
"""

from readtrack.infra.text.urls import abstract_page, lacks_year, proceedings_key, proceedings_url, split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.parsing.page_titles import without_session
from readtrack.metadata.types import Source, WebLink

HOSTS = ("neurips.cc", "nips.cc")


def recognize(text: str) -> str | None:
    parts = split_url(text)
    return proceedings_key(parts.path) if parts is not None and parts.is_under(*HOSTS) else None


def url(key: str) -> str:
    return proceedings_url("neurips.cc", key)


SOURCE = Source(
    name="neurips",
    recognise=recognize,
    url=url,
    order=40,
    hosts=HOSTS,
    label=lambda key: f"NeurIPS {key.removeprefix('virtual/')}",
    links=lambda key: () if lacks_year(key) else (WebLink(url(key), "landing"),),
    shortened=lacks_year,
    examples={
        "https://proceedings.neurips.cc/paper/2020/hash/1457c0d6bfcb4967418bfb8ac142f64a-Abstract.html": (
            "1457c0d6bfcb4967418bfb8ac142f64a"
        ),
        "https://proceedings.neurips.cc/paper_files/paper/2020/file/1457c0d6bfcb4967418bfb8ac142f64a-Paper.pdf": (
            "1457c0d6bfcb4967418bfb8ac142f64a"
        ),
        "http://papers.neurips.cc/paper_files/paper/2022/file/67d57c32e20fd0a7a302cb81d36e40d5-Paper-Conference.pdf": (
            "67d57c32e20fd0a7a302cb81d36e40d5"
        ),
        "https://neurips.cc/virtual/2023/poster/71234": "virtual/2023/71234",
        "https://nips.cc/virtual/2022/oral/55432": "virtual/2022/55432",
        "https://papers.nips.cc/paper/7181-attention-is-all-you-need": None,
        "https://neurips.cc/virtual/2023/papers.html": None,
        "https://neurips.cc/Conferences/2023": None,
    },
)

# The URL of a hash also needs the year, so the page that belongs to the original link is requested.
SERVICE = page_service(
    SOURCE, label="NeurIPS", stage="published", order=40, correct=without_session, to_page=abstract_page
)
