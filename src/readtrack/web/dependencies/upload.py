"""What both doors of images share: the file of a form, made an image of ours before any transaction begins."""

from typing import Annotated, NamedTuple

from fastapi import Depends

from readtrack.infra import permissions
from readtrack.infra.errors import FieldError, Invalid, ReadtrackError
from readtrack.infra.i18n import gettext as _
from readtrack.library.images.encode import Encoded, encode
from readtrack.web.dependencies.auth import Me
from readtrack.web.dependencies.forms import Form


class Uploaded(NamedTuple):
    """The image, or why there is none; `file_name` as the browser said it."""

    file_name: str
    image: Encoded | None
    refused: ReadtrackError | None = None

    def kept(self) -> Encoded:
        """The image; raises what was wrong."""
        if self.image is None:
            raise self.refused or _nothing()
        return self.image


def decode(me: Me, fields: Form) -> Uploaded:
    """Decodes and encodes in a thread, while no transaction of ours is open."""
    permissions.require(me, "keep")
    file_name, content = fields.files.get("image", ("", b""))
    try:
        return Uploaded(file_name, encode(content) if content else None)
    except ReadtrackError as refused:
        return Uploaded(file_name, None, refused)


def _nothing() -> Invalid:
    detail = _("Choose a file: no image came.")
    return Invalid(_("{detail} Nothing was kept.").format(detail=detail), [FieldError("/image", "missing", detail)])


# One at a time: an image takes up to 180 MB while it is decoded.
Upload = Annotated[Uploaded, Depends(decode, max_concurrency=1)]
