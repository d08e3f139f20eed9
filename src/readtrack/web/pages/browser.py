"""What makes readtrack part of a browser or phone: an app to install, a search engine, a bookmarklet that saves."""

from fastapi import Request
from starlette.responses import Response

from readtrack.web.dependencies.auth import Me
from readtrack.web.responses.json import JsonResponse
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import asset_url, render

router = page_router()
ICON_SIZES = (192, 512)
# Opens a small window, so that the page one reads stays where it is.
BOOKMARKLET = (
    "javascript:void open({address!r}+'/save?url='+encodeURIComponent(location.href)"
    "+'&title='+encodeURIComponent(document.title),'readtrack','width=560,height=640')"
)
OPENSEARCH = "http://a9.com/-/spec/opensearch/1.1/"


@router.get("/manifest.webmanifest")
def show_manifest() -> Response:
    """Return what a browser needs to install readtrack as an app that pages can be shared with."""
    images = [
        {"src": asset_url(f"icon-{size}.png"), "sizes": f"{size}x{size}", "type": "image/png"} for size in ICON_SIZES
    ]
    manifest = {
        "name": "readtrack",
        "short_name": "readtrack",
        "id": "/",
        "start_url": "/home",
        "display": "standalone",
        "background_color": "#ffffff",
        "theme_color": "#1f5f5b",
        "icons": [*images, {"src": asset_url("icon.svg"), "sizes": "any", "type": "image/svg+xml"}],
        "share_target": {"action": "/save", "params": {"title": "title", "text": "text", "url": "url"}},
    }
    return JsonResponse(manifest, media_type="application/manifest+json")


@router.get("/opensearch.xml")
def show_search_engine(request: Request) -> Response:
    """Return the description by which the address bar can search the library (OpenSearch 1.1)."""
    from lxml import etree

    address = _own_address(request)
    description = etree.Element("OpenSearchDescription", nsmap={None: OPENSEARCH})
    for name, text in (("ShortName", "readtrack"), ("Description", "Papers of your team"), ("InputEncoding", "UTF-8")):
        etree.SubElement(description, name).text = text
    etree.SubElement(description, "Image", type="image/svg+xml").text = f"{address}{asset_url('icon.svg')}"
    etree.SubElement(description, "Url", type="text/html", template=f"{address}/papers?q={{searchTerms}}")
    document = etree.tostring(description, xml_declaration=True, encoding="UTF-8")
    return Response(document, media_type="application/opensearchdescription+xml")


@router.get("/settings/browser")
def show_settings(request: Request, _me: Me) -> Response:
    """Show how to save pages and search from the browser."""
    address = _own_address(request)
    return render(request, "browser/settings.html", address=address, bookmarklet=BOOKMARKLET.format(address=address))


def _own_address(request: Request) -> str:
    return (request.app.state.settings.base_url or str(request.base_url)).rstrip("/")
