"""An Http of prepared pages by their whole address, which remembers what it was asked."""

from collections.abc import Mapping

from readtrack.infra.errors import ReadtrackError
from readtrack.infra.http.types import HttpResponse

HTML = "text/html; charset=utf-8"


def page(body: bytes | str, *, status: int = 200, kind: str = HTML, at: str = "") -> HttpResponse:
    """An answer; `at`: where it came from when that is not where it was asked for."""
    return HttpResponse(
        status, {"content-type": kind} if kind else {}, body.encode() if isinstance(body, str) else body, at
    )


class Browsing:
    """Whatever is not prepared is a page that says 404."""

    def __init__(self, pages: Mapping[str, HttpResponse | ReadtrackError]):
        self.pages, self.asked = pages, list[str]()

    def get(self, url: str, headers: Mapping[str, str] | None = None) -> HttpResponse:
        self.asked.append(url)
        there = self.pages.get(url) or page("<html><head><title>404 Not Found</title></head></html>", status=404)
        if isinstance(there, ReadtrackError):
            raise there
        return HttpResponse(there.status, there.headers, there.body, there.url or url)

    def post(self, url: str, body: object, headers: Mapping[str, str] | None = None) -> HttpResponse:
        raise AssertionError(f"{url} was sent {body!r}: pages are only read.")

    def base(self, name: str) -> str:
        return f"https://{name}.example.org/inside/"
