"""Imports and notes in a browser: paste, check what each line becomes, watch it being done, look it up later."""

from fastapi import APIRouter

from readtrack.imports.pages import imports, notes, preview, rules

router = APIRouter()
for part in (imports, preview, rules, notes):
    router.include_router(part.router)
