"""Imports and notes as JSON: what lines become and why, every decision on it, the commit, and each line's fate."""

from fastapi import APIRouter

from readtrack.imports.api import decisions, imports, notes, rules

router = APIRouter()
for part in (rules, imports, decisions, notes):  # /imports/rules before /imports/{import_id}
    router.include_router(part.router)
