"""Imports and notes as JSON: what lines become and why, every decision on it, the commit, and each line's fate."""

from fastapi import APIRouter, Depends

from readtrack.imports.api import decisions, imports, notes, rules
from readtrack.web.parameters import refuse_unknown

router = APIRouter(dependencies=[Depends(refuse_unknown)])
for part in (rules, imports, decisions, notes):  # /imports/rules before /imports/{import_id}
    router.include_router(part.router)
