"""Summaries in a browser."""

from fastapi import APIRouter

from readtrack.summaries.pages import editing, versions

router = APIRouter()
for part in (editing, versions):
    router.include_router(part.router)
