"""API endpoints for images in texts."""

from typing import Annotated

from pydantic import WithJsonSchema
from starlette.responses import Response

from readtrack.library.images import commands, queries
from readtrack.library.images.encode import FORMATS
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.database import WriteTx
from readtrack.web.dependencies.upload import Upload
from readtrack.web.openapi import request_body_schema
from readtrack.web.responses.json import JsonResponse, ResponseModel
from readtrack.web.routing import api_router

router = api_router("images")


class ImageUpload(ResponseModel):
    """The form with which an image is sent."""

    image: Annotated[
        bytes, WithJsonSchema({"type": "string", "format": "binary", "minLength": 1, "description": ", ".join(FORMATS)})
    ]


class ImageRead(ResponseModel):
    """An image. `markdown`: embeds it in a text; width and height are in pixels."""

    name: str
    url: str
    markdown: str
    width: int
    height: int


@router.post(
    "/images",
    responses={201: {"model": ImageRead}},
    openapi_extra=request_body_schema(ImageUpload, media_type="multipart/form-data"),
)
def upload_image(me: Me, uploaded: Upload, tx: WriteTx) -> Response:
    """Upload an image.

    It is encoded anew. The same file again is the same image. An image that no text uses is deleted after 30 days.
    """
    row = queries.get_image(tx, commands.store_image(tx, me, uploaded.require_image()))
    data = {"name": row.name, "url": row.url, "markdown": row.markdown(uploaded.file_name)}
    return JsonResponse({**data, "width": row.width, "height": row.height}, 201, {"Location": row.url})


@router.delete("/images/{image}", status_code=204)
def remove_image(image: str, me: Me, tx: WriteTx) -> Response:
    """Remove an image of mine.

    Texts that showed it show its alternative text instead.
    """
    commands.remove_image(tx, me, image)
    return Response(status_code=204)
