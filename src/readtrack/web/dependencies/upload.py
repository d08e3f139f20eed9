"""Image uploads, decoded and re-encoded before any transaction begins."""

from typing import Annotated, NamedTuple

from fastapi import Depends

from readtrack.infra import permissions
from readtrack.infra.errors import FieldError, Invalid, ReadtrackError
from readtrack.infra.i18n import gettext as _
from readtrack.library.images.encode import EncodedImage, encode_image
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.forms import Form


class ImageUpload(NamedTuple):
    """An uploaded image, or why it was rejected. `file_name`: as sent by the browser."""

    file_name: str
    image: EncodedImage | None
    error: ReadtrackError | None = None

    def require_image(self) -> EncodedImage:
        """Return the image, or raise the error."""
        if self.image is None:
            raise self.error or _missing_file_error()
        return self.image


def decode_image(me: Me, fields: Form) -> ImageUpload:
    """Re-encode the image in a thread while no transaction is open."""
    permissions.require(me, "keep")
    file_name, content = fields.files.get("image", ("", b""))
    try:
        return ImageUpload(file_name, encode_image(content) if content else None)
    except ReadtrackError as error:
        return ImageUpload(file_name, None, error)


def _missing_file_error() -> Invalid:
    detail = _("Choose an image file.")
    return Invalid(detail, [FieldError("/image", "missing", detail)])


# One at a time, because decoding takes up to 180 MB.
Upload = Annotated[ImageUpload, Depends(decode_image, max_concurrency=1)]
