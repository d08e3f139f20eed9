"""Pages for images: show, list and upload."""

from fastapi import Request
from starlette.responses import Response

from readtrack.infra import permissions
from readtrack.infra.db import Read
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.i18n import gettext as _
from readtrack.infra.permissions import CurrentUser
from readtrack.library.images import queries
from readtrack.library.images.commands import remove_image, store_image
from readtrack.library.images.queries import ImageRow
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import ReadTx, WriteTx
from readtrack.web.dependencies.upload import Upload
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import redirect_with_flash, render

router = page_router()
# Limit what an image can do if it is opened directly.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "Content-Disposition": "inline",
    "Cache-Control": "private, max-age=31536000, immutable",
    "Vary": "Authorization, Cookie",
}


@router.get("/images")
def list_page(request: Request, me: Me, tx: ReadTx) -> Response:
    """Show my latest images with their Markdown, and the upload form."""
    return _page(request, me, tx)


@router.post("/images")
def upload(request: Request, me: Me, uploaded: Upload, tx: WriteTx) -> Response:
    """Store an image and show its Markdown; show the form with the reason if it is rejected."""
    try:
        name = store_image(tx, me, uploaded.require_image())
    except ReadtrackError as error:  # raised before anything is written
        return _page(request, me, tx, failure=error)
    return _page(request, me, tx, new_image=queries.get_image(tx, name), file_name=uploaded.file_name)


@router.get("/images/{image}")
def show(image: str, me: Me, tx: ReadTx) -> Response:  # noqa: ARG001
    """Return an image."""
    media_type, content = queries.get_content(tx, image)
    return Response(content, media_type=media_type, headers=HEADERS)


@router.post("/images/{image}/remove")
def remove(request: Request, image: str, me: Me, tx: WriteTx) -> Response:
    """Remove an image of mine."""
    remove_image(tx, me, image)
    return redirect_with_flash(request, "/images", _("Image deleted. Texts that used it show its alt text."))


def _page(
    request: Request,
    me: CurrentUser,
    tx: Read,
    *,
    new_image: ImageRow | None = None,
    file_name: str = "",
    failure: ReadtrackError | None = None,
) -> Response:
    images = queries.list_my_images(tx, me)
    error = failure.message if failure else ""
    can_add = permissions.has_permission(me, "keep")
    context = {"added": new_image, "file_name": file_name, "error": error, "mine": images, "may_add": can_add}
    return render(request, "images/list.html", failure.status if failure else 200, **context)
