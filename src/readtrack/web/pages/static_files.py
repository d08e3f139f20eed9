"""Static files, addressed by the hash of their content."""

from starlette.responses import FileResponse, Response

from readtrack.infra.errors import NotFound
from readtrack.web.routing import page_router
from readtrack.web.templating.environment import STATIC, asset_url

router = page_router()
_NAMES = frozenset(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*") if path.is_file())


@router.get("/static/{digest}/{name:path}")
async def show_asset(digest: str, name: str) -> Response:
    """Return a file known since start; paths from requests never reach the file system."""
    if name not in _NAMES or asset_url(name) != f"/static/{digest}/{name}":
        message = "File not found."
        raise NotFound(message)
    return FileResponse(STATIC / name, headers={"Cache-Control": "public, max-age=31536000, immutable"})
