"""Images as JSON: one is uploaded, and told how to put it into a text."""

from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from readtrack.library.images import queries
from readtrack.library.images.commands import remove_image, store_image
from readtrack.library.images.encode import FORMATS
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.upload import Upload
from readtrack.web.responses.json import JsonResponse
from readtrack.web.routing import api_router

router = api_router("images")
_FORM: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["image"],
                    "properties": {"image": {"type": "string", "format": "binary", "description": ", ".join(FORMATS)}},
                }
            }
        },
    }
}


class ImageRead(BaseModel):
    """An image. `markdown` puts it into a text; width and height are in pixels."""

    name: str
    url: str
    markdown: str
    width: int
    height: int


@router.post("/images", responses={201: {"model": ImageRead}}, openapi_extra=_FORM)
def upload(me: Me, uploaded: Upload, tx: WriteTx) -> Response:
    """Keeps an image, encoded anew. The same file again is the same image."""
    row = queries.get_image(tx, store_image(tx, me, uploaded.kept()))
    shown = {"name": row.name, "url": row.url, "markdown": row.markdown(uploaded.file_name)}
    return JsonResponse({**shown, "width": row.width, "height": row.height}, 201, {"Location": row.url})


@router.delete("/images/{image}", status_code=204)
def remove(image: str, me: Me, tx: WriteTx) -> Response:
    """Takes one of mine away; texts that showed it have its words instead."""
    remove_image(tx, me, image)
    return Response(status_code=204)
