"""Cross-site requests change nothing: unsafe methods must come from our own pages, or carry a token of their own.

Nor do they find anything out: another site may lead somebody here, but not ask for a page to see how it is answered.
"""

from urllib.parse import urlsplit

from starlette.requests import Request

from readtrack.infra.errors import NotAllowed
from readtrack.infra.i18n import gettext as _

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OTHER_SITES = frozenset({"cross-site", "same-site"})


def check_origin(request: Request) -> None:
    """Raises NotAllowed for an unsafe request from another site, and for a safe one that nobody would see a page of."""
    site = request.headers.get("sec-fetch-site")
    if request.method in SAFE:
        if site not in OTHER_SITES or _is_page_navigation(request):
            return
    elif site is not None:
        if site == "same-origin":
            return
    elif _same_origin(request):
        return
    message = _("This request came from another site. Nothing was changed; open readtrack itself and try there.")
    raise NotAllowed(message, code="cross-site")


def _is_page_navigation(request: Request) -> bool:
    """Whether the whole window goes to the page: no picture, script or frame of another one."""
    mode, shown_in = request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")
    return (mode, shown_in) == ("navigate", "document")


def _same_origin(request: Request) -> bool:
    """For browsers that do not send Sec-Fetch-Site: Origin must be ours. Without either, the request is refused."""
    origin = request.headers.get("origin", "")
    ours = request.app.state.settings.base_url or f"{request.url.scheme}://{request.headers.get('host', '')}"
    return bool(origin) and _scheme_and_host(origin) == _scheme_and_host(ours)


def _scheme_and_host(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
    except ValueError:  # a bracket that is never closed
        return "", address
    return parts.scheme, parts.netloc.lower()
