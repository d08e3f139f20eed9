"""What the walk through all routes sends, and the things that it is about, in each of their states."""

from collections.abc import Mapping
from typing import Any

from readtrack.clock import now
from readtrack.db import Write
from readtrack.models import Token
from readtrack.papers.joining.merging import merge_papers
from readtrack.policy import Visitor
from tests import make
from tests.library import Library
from tests.web.permissions import Row
from tests.web.test_routes import DOORS

MISSING = 987_654
Numbers = Mapping[str, object]
FORMS: Mapping[str, Mapping[str, str]] = {  # what a form must have to be a good one; what is not here needs nothing
    "/papers": {"identifier": "2402.00002"},
    "/topics": {"name": "Further"},
    "/papers/{paper_id}/edit": {"title": "Other", "version": "1", "kind": "paper"},
    "/papers/{paper_id}/relations": {"paper": "/papers/3", "kind": "cites"},
    "/papers/{paper_id}/topics": {"name": "training"},
    "/papers/{paper_id}/merge": {"into": "3"},
    "/papers/{paper_id}/reading": {"status": "reading"},
    "/papers/{paper_id}/summary/edit": {"markdown": "Text."},
    "/papers/{paper_id}/fields/{field}": {"record": "1"},
    "/papers/{paper_id}/records/{record_id}": {"decision": "refuse"},
    "/duplicates/{duplicate_id}": {"decision": "distinct"},
    "/proposals/{proposal_id}": {"decision": "reject"},
    "/leads/{lead_id}": {"decision": "drop"},
    "/topics/{slug}/edit": {"name": "Training", "markdown": "Text.", "version": "1"},
    "/topics/{slug}/merge": {"into": "elsewhere"},
    "/imports": {"text": "2403.00001"},
    "/imports/rules": {"pattern": "heading", "value": "Infos", "says": "no_topic"},
    "/imports/{import_id}": {"do-1": "skip"},
    "/settings/hosts": {"host": "example.org"},
    "/settings/appearance": {"theme": "dark"},
    "/settings/password": {"current": "an old one, and long", "password": "correct horse battery"},
    "/settings/profile": {"name": "Renamed"},
    "/settings/tokens": {"name": "ci", "scopes": "read"},
    "/people/invitations": {"role": "member"},
    "/people/{person_id}/role": {"role": "editor"},
    "/summaries/preview": {"markdown": "*a*"},
    "/papers/{paper_id}/summary/preview": {"markdown": "*a*"},
}
_BODIES = {(method, path.replace(":int", "")): body for (method, path), (_, _, body) in DOORS.items()} | {
    ("POST", "/api/v1/papers/{paper_id}/merge"): {"into": 3},
    ("POST", "/api/v1/topics/{slug}/merge"): {"into": "elsewhere"},
}


def number(value: object) -> int:
    return int(str(value))


def body_of(row: Row) -> dict[str, Any]:
    """For a request by this route."""
    if row.method in {"GET", "HEAD"}:
        return {}
    if row.path.startswith("/api/"):
        return {"json": _BODIES.get((row.method, row.path)), "headers": {"If-Match": '"0.0"'}}
    return {"data": FORMS.get(row.path, {})}


def things(tx: Write, library: Library, eve: Visitor) -> dict[tuple[str, str], Numbers]:
    """What stands in the addresses for each state of each thing; what is not said is as in `library.of`."""
    owner, editor = library.member, library.editor
    gone, whole = make.paper(tx, "Put away", deleted_at=now()), make.paper(tx, "The whole")
    part = make.paper(tx, "A part")
    merge_papers(tx, editor, part.id, into_id=whole.id)
    make.topic(tx, "Elsewhere")
    private = make.summary(tx, owner.id, whole.id, "Secret.", private=True)
    deleted = make.summary(tx, owner.id, make.paper(tx).id, "Gone.", deleted_at=now())
    for someone in (library.viewer, library.editor, library.admin, eve):
        make.reading(tx, someone.id, number(library.of["paper_id"]))
    for someone in (library.viewer, library.editor, eve):
        make.summary(tx, someone.id, number(library.of["paper_id"]))
    token = make.added(tx, Token(person_id=owner.id, name="mine", secret_hash="none", hint="rt_", scopes=["read"]))
    said: dict[tuple[str, str], Numbers] = {
        ("deleted paper", "there"): {},
        ("merged paper", "there"): {},
        ("summary", "private"): {"summary_id": private.id},
        ("summary", "deleted"): {"summary_id": deleted.id},
        ("token", "there"): {"token_id": token.id},
    }
    for about in ("paper", "deleted paper", "merged paper", "paper to merge"):
        said |= {(about, "deleted"): {"paper_id": gone.id}, (about, "merged"): {"paper_id": part.id}}
    return said
