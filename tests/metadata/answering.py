"""An Http that gives prepared answers and remembers what it was asked."""

import json
from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st

from readtrack.infra.http.types import HttpResponse

Prepared = bytes | str | list[Any] | dict[str, Any] | tuple[int, Any]


class Answering:
    """`answers`: the end of an address, without its query -> a body, or a status and a body; anything else is 404."""

    def __init__(self, answers: Mapping[str, Prepared], headers: Mapping[str, str] | None = None, oembed: str = ""):
        self.answers, self.headers, self.oembed = answers, headers or {}, oembed
        self.asked: list[str] = []
        self.bodies: list[Any] = []

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        self.asked.append(url)
        path = url.partition("?")[0]
        said = next((body for end, body in self.answers.items() if path.endswith(end)), (404, b"nothing here"))
        status, body = said if isinstance(said, tuple) else (200, said)
        return HttpResponse(status, self.headers, _bytes(body), url)

    def post(self, url: str, body: Any, headers: Mapping[str, str] | None = None) -> HttpResponse:
        self.bodies.append(body)
        return self.get(url, headers)

    def base(self, name: str) -> str:
        return self.oembed if name == "oembed" else f"https://{name}.example.org"


def _bytes(body: Any) -> bytes:
    if isinstance(body, bytes):
        return body
    return body.encode() if isinstance(body, str) else json.dumps(body).encode()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.just("a.b@example.org"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def changed(draw: st.DrawFn, answer: Any) -> Any:
    """An answer of which here and there a part is of another type, or gone."""
    fate = draw(st.integers(0, 11))
    if fate == 0:
        return draw(JSON)
    if isinstance(answer, dict):
        kept = [name for name in answer if draw(st.integers(0, 11))]
        return {name: draw(changed(answer[name])) for name in kept}
    if isinstance(answer, list):
        parts = [draw(changed(part)) for part in answer]
        return parts[0] if fate == 1 and parts else parts
    return str(answer) if fate == 1 else answer


def is_sound(work: Any) -> bool:
    """Whether every field is of its type, and no mail address is kept."""
    texts = (work.title, work.venue, work.abstract, work.language, work.remark, *work.authors)
    assert all(isinstance(text, str) for text in texts)
    assert work.year is None or (type(work.year) is int and 1000 <= work.year < 2200)
    assert work.published_on is None or work.year in {None, work.published_on.year}
    assert all(link.url.startswith(("https://", "http://")) for link in work.links)
    assert work.stage in {"published", "preprint", "page"}
    return "@example.org" not in repr(work)
