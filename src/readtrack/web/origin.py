"""Cross-site requests change nothing: unsafe methods must come from our own pages, or carry a token of their own."""

from urllib.parse import urlsplit

from starlette.requests import Request

from readtrack.errors import NotAllowed

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


def check_origin(request: Request) -> None:
    """Raises NotAllowed for an unsafe request from another site."""
    if request.method in SAFE:
        return
    site = request.headers.get("sec-fetch-site")
    if site is not None:
        if site == "same-origin":
            return
    elif _same_origin(request):
        return
    message = "This request came from another site. Nothing was changed; open readtrack itself and try there."
    raise NotAllowed(message, code="cross-site")


def _same_origin(request: Request) -> bool:
    """For browsers that do not send Sec-Fetch-Site: Origin must be ours. Without either, the request is refused."""
    origin = request.headers.get("origin", "")
    ours = request.app.state.settings.base_url or f"{request.url.scheme}://{request.headers.get('host', '')}"
    return bool(origin) and _plain(origin) == _plain(ours)


def _plain(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
    except ValueError:  # a bracket that is never closed
        return "", address
    return parts.scheme, parts.netloc.lower()
