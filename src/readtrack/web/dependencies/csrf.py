"""Protection against cross-site requests (CSRF), based on Sec-Fetch-Site and Origin.

Unsafe methods must come from our own pages or carry a token. Safe ones from other sites are limited to navigation, so
that other sites cannot probe for information (XS-Leaks).
"""

from urllib.parse import urlsplit

from starlette.requests import Request

from readtrack.infra.errors import NotAllowed
from readtrack.infra.i18n import gettext as _

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
OTHER_SITES = frozenset({"cross-site", "same-site"})


def check_origin(request: Request) -> None:
    """Raise NotAllowed for an unsafe cross-site request, and for a safe one that is not a navigation."""
    fetch_site = request.headers.get("sec-fetch-site")
    if request.method in SAFE:
        if fetch_site not in OTHER_SITES or _is_page_navigation(request):
            return
    elif fetch_site is not None:
        if fetch_site == "same-origin":
            return
    elif _same_origin(request):
        return
    message = _("This request came from another site. Open readtrack and try again there.")
    raise NotAllowed(message, code="cross-site")


def _is_page_navigation(request: Request) -> bool:
    """Return True if the request navigates the top-level window, and is not for an image, script or frame."""
    mode, destination = request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")
    return (mode, destination) == ("navigate", "document")


def _same_origin(request: Request) -> bool:
    """Compare the Origin header, for browsers without Sec-Fetch-Site.

    A request without both is refused.
    """
    origin = request.headers.get("origin", "")
    own_origin = request.app.state.settings.base_url or f"{request.url.scheme}://{request.headers.get('host', '')}"
    return bool(origin) and _scheme_and_host(origin) == _scheme_and_host(own_origin)


def _scheme_and_host(address: str) -> tuple[str, str]:
    try:
        parts = urlsplit(address)
    except ValueError:  # unclosed bracket of an IPv6 address
        return "", address
    return parts.scheme, parts.netloc.lower()
