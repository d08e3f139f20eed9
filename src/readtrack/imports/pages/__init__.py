"""Imports and notes in a browser: paste, check what each line becomes, watch it being done, look it up later."""

from readtrack.imports.pages import imports, notes, preview, rules
from readtrack.web.routers import join_routers

router = join_routers(part.router for part in (imports, preview, rules, notes))
