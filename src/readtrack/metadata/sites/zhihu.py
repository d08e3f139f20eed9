"""Zhihu columns (p/…) and answers. People and topics are not recognized."""

import re
from dataclasses import replace

from readtrack.infra.text.urls import UrlParts, split_url
from readtrack.metadata.parsing.page_services import page_service
from readtrack.metadata.types import Metadata, Source, WebLink

_HOSTS = ("zhihu.com",)
_COLUMN = re.compile(r"/p/(\d+)(?:/edit)?")
_MOBILE = re.compile(r"/tardis/(?:\w+/)?art/(\d+)")
_ANSWER_BY = re.compile(r"(?<=.) - \S{1,40}的回答$")
_QUESTION = re.compile(r"/(question/\d+(?:/answers?/\d+)?)(?:/.*)?")


def recognize(text: str) -> str | None:
    parts = split_url(text)
    return _key_from_address(parts) if parts and parts.is_under(*_HOSTS) else None


def _key_from_address(parts: UrlParts) -> str | None:
    column = _COLUMN.fullmatch(parts.path) or _MOBILE.fullmatch(parts.path)
    if column:
        return f"p/{column[1]}"
    question = _QUESTION.fullmatch(parts.path)
    if question:
        return question[1].replace("/answers/", "/answer/")
    answer = re.fullmatch(r"/(answer/\d+)", parts.path)
    return answer[1] if answer else None


def url(key: str) -> str:
    return f"https://{'zhuanlan' if key.startswith('p/') else 'www'}.zhihu.com/{key}"


def _correct_metadata(record: Metadata) -> Metadata:
    """Remove the author from an answer's title, which is the question."""
    return replace(record, title=_ANSWER_BY.sub("", record.title))


SOURCE = Source(
    name="zhihu",
    recognise=recognize,
    url=url,
    order=70,
    hosts=_HOSTS,
    kind=lambda _key: "article",
    label=lambda key: f"Zhihu {key}",
    links=lambda key: (WebLink(url(key), "landing"),),
    examples={
        "https://zhuanlan.zhihu.com/p/693671021": "p/693671021",
        "http://zhuanlan.zhihu.com/p/693671021?utm_source=wechat_session": "p/693671021",
        "https://www.zhihu.com/tardis/zm/art/693671021": "p/693671021",
        "https://www.zhihu.com/question/123456/answer/789012": "question/123456/answer/789012",
        "https://www.zhihu.com/question/123456": "question/123456",
        "https://www.zhihu.com/people/james0zan": None,
        "https://www.zhihu.com/search?q=nsdi": None,
        "https://zhuanlan.zhihu.com/some-column": None,
    },
)

SERVICE = page_service(SOURCE, label="Zhihu", stage="page", order=70, tails=(" - 知乎",), correct=_correct_metadata)
