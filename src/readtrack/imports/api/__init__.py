"""Imports and notes as JSON: what lines become and why, every decision on it, the commit, and each line's fate."""

from readtrack.imports.api import decisions, imports, notes, rules
from readtrack.web.routers import join_routers

router = join_routers(
    part.router for part in (rules, imports, decisions, notes)
)  # /imports/rules before /imports/{import_id}
