"""Saved views in a browser, and their feeds."""

from fastapi import APIRouter

from readtrack.views.pages import feeds, views

router = APIRouter(include_in_schema=False)
for part in (views, feeds):
    router.include_router(part.router)
