"""What the walk through all routes sends, and the things that it is about, in each of their states."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any

from readtrack.infra.clock import now
from readtrack.infra.db import Write
from readtrack.infra.models import Identity, Invitation, SavedSearch, Token, UserSession
from readtrack.infra.permissions import CurrentUser
from readtrack.library.duplicates.merge import merge_papers
from readtrack.reading.readings.schemas import ReadingUpdate
from readtrack.team.questions.commands import delete_question
from readtrack.web.app import all_routes
from readtrack.web.openapi import ApiRoute
from readtrack.workspace.bulk_actions.actions import BulkRequest
from readtrack.workspace.bulk_actions.commands import run_bulk_action
from tests import make
from tests.sample_library import Library
from tests.web.permissions import Row, plain

MISSING = 987_654
NOW = {"If-Match": '"0.0"'}
MISSING_OF = {  # where the name of what is missing is not that of the thing
    "source": ("source",),
    "topic": ("slug",),
    "topic link": ("link_id",),
    "own summary": ("summary_id",),
    "macro": ("macro",),
    "image": ("image",),
    "own image": ("image",),
    "deed": ("deed_id",),
    "thrown": ("thing_id",),
    "session": ("session_id", "sign_in_id"),
    "comment": ("comment_id", "thread_id"),
    "place of a comment": ("comment_id",),
    "put away": ("comment_id",),
    "asked by me": ("assignment_id",),
    "asked of me": ("assignment_id",),
    "paper to merge": ("paper_id",),
}
Numbers = Mapping[str, object]
FORMS: Mapping[str, Mapping[str, str]] = {  # what a form must have to be a good one; what is not here needs nothing
    "/papers": {"text": "2402.00002"},
    "/save": {"url": "https://arxiv.org/abs/2402.00003"},
    "/topics": {"name": "Further"},
    "/papers/{paper_id}/edit": {"title": "Other", "version": "1", "kind": "paper"},
    "/papers/{paper_id}/relations": {"paper": "/papers/3", "kind": "cites"},
    "/papers/{paper_id}/mentions": {"subject": "topic", "text": "1", "version": "1"},
    "/topics/{slug}/mentions": {"subject": "topic", "text": "1", "version": "1"},
    "/papers/{paper_id}/relations/{kind}/{to}/edit": {"kind": "compares"},
    "/papers/{paper_id}/topics": {"name": "training"},
    "/papers/{paper_id}/translations": {"language": "ja", "title": "訓練"},
    "/papers/{paper_id}/ai-draft": {"of": "tldr"},
    "/papers/{paper_id}/merge": {"into": "3"},
    "/papers/{paper_id}/reading": {"status": "reading"},
    "/papers/{paper_id}/summary/edit": {"markdown": "Text."},
    "/papers/{paper_id}/fields/{field}": {"record": "1"},
    "/papers/{paper_id}/records/{record_id}": {"decision": "refuse"},
    "/duplicates/{duplicate_id}": {"decision": "distinct"},
    "/proposals/{proposal_id}": {"decision": "reject"},
    "/unresolved/{lead_id}": {"decision": "drop"},
    "/topics/{slug}/edit": {"name": "Training", "markdown": "Text.", "version": "1"},
    "/topics/{slug}/merge": {"into": "elsewhere"},
    "/topics/{slug}/split": {"into": "Apart", "alias": "train"},
    "/topics/{slug}/split/preview": {"into": "Apart", "alias": "train"},
    "/topics/{slug}/order": {"paper": "1"},
    "/topics/{slug}/order/{paper_id}/position": {"to": "top"},
    "/topics/{slug}/links": {"url": "https://example.org/new"},
    "/topics/{slug}/links/{link_id}/edit": {"url": "https://example.org/other"},
    "/topics/{slug}/comparisons": {"title": "Runtimes", "columns": "2", "c0": "Of", "c1": "Speed"},
    "/comparisons/{comparison_id}/edit": {
        "title": "Runtimes",
        "columns": "2",
        "c0": "Of",
        "c1": "Speed",
        "version": "1",
    },
    "/notes/entries/{entry_id}/table": {"topic": "training"},
    "/imports": {"text": "2403.00001"},
    "/imports/rules": {"pattern": "heading", "value": "Infos", "says": "no_topic"},
    "/imports/{import_id}": {"do-1": "skip"},
    "/settings/macros": {"name": "grad", "body": "\\nabla"},
    "/settings/blocked-hosts": {"host": "example.org"},
    "/settings/appearance": {"theme": "dark"},
    "/progress/goal": {"goal": "2"},
    "/papers/density": {"density": "dense"},
    "/settings/password": {"current": "an old one, and long", "password": "correct horse battery"},
    "/settings/profile": {"name": "Renamed"},
    "/settings/webhooks": {"url": "https://chat.example.org/hook"},
    "/settings/webhooks/{webhook_id}": {"url": "https://chat.example.org/other"},
    "/settings/tokens": {"name": "ci", "scopes": "read"},
    "/people/invitations": {"role": "member"},
    "/people/{person_id}/role": {"role": "editor"},
    "/summaries/preview": {"markdown": "*a*"},
    "/papers/{paper_id}/summary/preview": {"markdown": "*a*"},
    "/comments/preview": {"markdown": "*a*"},
    "/comments/{comment_id}/edit": {"markdown": "Again.", "version": "1"},
    "/papers/{paper_id}/comments": {"markdown": "Hm."},
    "/topics/{slug}/comments": {"markdown": "Hm."},
    "/questions/{question_id}/comments": {"markdown": "Hm."},
    "/papers/{paper_id}/read-marker": {"comment": "1"},
    "/topics/{slug}/read-marker": {"comment": "1"},
    "/questions/{question_id}/read-marker": {"comment": "1"},
    "/papers/{paper_id}/assignments": {"person": "Member", "depth": "read"},
    "/assignments/{assignment_id}/edit": {"note": "Soon.", "version": "1"},
    "/assignments/{assignment_id}/answer": {"answer": "accept"},
    "/questions": {"text": "Why?"},
    "/questions/{question_id}/edit": {"text": "Why so?", "version": "1"},
    "/questions/{question_id}/answer": {"comment": "1"},
    "/meetings": {"title": "Once", "date": "2030-01-07"},
    "/meetings/series": {"name": "Monthly"},
    "/meetings/series/{series_id}/edit": {"name": "Monthly", "version": "1"},
    "/meetings/{meeting_id}/edit": {"title": "Once", "date": "2030-01-07", "version": "1"},
    "/meetings/{meeting_id}/state": {"state": "cancelled"},
    "/meetings/{meeting_id}/notes": {"notes": "Said.", "version": "1"},
    "/meetings/{meeting_id}/agenda": {"paper": "3"},
    "/meetings/{meeting_id}/agenda/{item_id}": {"note": "First."},
    "/meetings/{meeting_id}/agenda/{item_id}/move": {"where": "up"},
    "/meetings/candidates": {"series": "1", "paper": "3"},
    "/meetings/candidates/{candidate_id}/vote": {"vote": "for"},
    "/papers/{paper_id}/reading/position": {"to": "top"},
    "/bulk": {"do": "to_read", "paper": "3"},
    "/people/{person_id}/erase": {"name": "Viewer"},
    "/views": {"name": "To read", "q": "status:to_read"},
    "/templates": {"name": "Surveys", "markdown": "## What"},
    "/templates/{template_id}/edit": {"name": "Runs", "markdown": "## Runs", "version": "1"},
    "/papers/{paper_id}/summary/draft": {"markdown": "Half a thought"},
    "/topics/{slug}/draft": {"markdown": "Half a thought"},
    "/views/{view_id}/edit": {"name": "Ours", "shared": "1", "version": "1"},
    "/views/{view_id}/move": {"to": "top"},
}


def _examples() -> Iterator[tuple[str, Mapping[str, object]]]:
    for route in all_routes():
        body = (getattr(route, "openapi_extra", None) or {}).get("requestBody", {}).get("content", {})
        if isinstance(route, ApiRoute) and "example" in (content := body.get("application/json", {})):
            yield f"{''.join(route.methods or ())} {plain(route.path)}", content["example"]


BODIES: Mapping[str, Mapping[str, object]] = dict(_examples())  # the same of the API: the examples in its description


def number(value: object) -> int:
    return int(str(value))


def body_of(row: Row) -> dict[str, Any]:
    """For a request by this route."""
    if row.method in {"GET", "HEAD"}:
        return {}
    if row.path in {"/images", "/api/v1/images"}:
        return {"files": {"image": ("a.png", make.png())}}
    if row.path.startswith("/api/"):
        return {"json": BODIES.get(f"{row.method} {row.path}"), "headers": NOW}
    return {"data": FORMS.get(row.path, {})}


def things(tx: Write, library: Library, eve: CurrentUser) -> dict[tuple[str, str], Numbers]:
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
    wanted = BulkRequest(papers=[number(whole.id)], act="reading", reading=ReadingUpdate(status="to_read"))
    done = run_bulk_action(tx, owner, wanted)
    said: dict[tuple[str, str], Numbers] = {
        ("deleted paper", "there"): {},
        ("merged paper", "there"): {},
        ("summary", "private"): {"summary_id": private.id},
        ("summary", "deleted"): {"summary_id": deleted.id},
        ("own summary", "private"): {"summary_id": private.id},
        ("own summary", "deleted"): {"summary_id": deleted.id},
        ("token", "there"): {"token_id": token.id},
        ("deed", "there"): {"deed_id": done.undo_id},
        ("thrown", "there"): {"thing_id": delete_question(tx, owner, make.question(tx, created_by=owner.id).id)},
    }
    said |= kept(tx, owner)
    said |= webhooks(tx, owner)
    said |= looked_at(tx, owner)
    said |= talked(tx, library, eve, gone.id)
    for about in ("paper", "deleted paper", "merged paper", "paper to merge"):
        said |= {(about, "deleted"): {"paper_id": gone.id}, (about, "merged"): {"paper_id": part.id}}
    return said


def kept(tx: Write, owner: CurrentUser) -> dict[tuple[str, str], Numbers]:
    """What is the owner's alone."""
    until = now() + timedelta(days=1)
    signed_in = make.added(tx, UserSession(person_id=owner.id, secret_hash="none", expires_at=until))
    identity = make.added(tx, Identity(person_id=owner.id, issuer="https://id.example.org", subject="1"))
    notice = make.notice(tx, owner.id, "job")
    invitation = make.added(tx, Invitation(kind="join", code_hash="none", expires_at=until))
    return {
        ("session", "there"): {"session_id": signed_in.id, "sign_in_id": signed_in.id},
        ("identity", "there"): {"identity_id": identity.id},
        ("notice", "there"): {"notice_id": notice.id},
        ("invitation", "there"): {"invitation_id": invitation.id},
    }


def webhooks(tx: Write, owner: CurrentUser) -> dict[tuple[str, str], Numbers]:
    """A webhook of the owner's with a delivery, beside the team's that is in `library.of`."""
    webhook = make.webhook(tx, owner.id)
    delivery = make.delivery(tx, webhook.id, state="failed")
    return {
        ("webhook", "there"): {"webhook_id": webhook.id},
        ("webhook", "team"): {},
        ("delivery", "there"): {"webhook_id": webhook.id, "delivery_id": delivery.id},
    }


def looked_at(tx: Write, owner: CurrentUser) -> dict[tuple[str, str], Numbers]:
    """Views of the owner's besides the team's that is in `library.of`."""
    private = make.added(tx, SavedSearch(person_id=owner.id, name="Private", q="status:to_read"))
    deleted = make.added(tx, SavedSearch(person_id=owner.id, name="Gone", shared=True, deleted_at=now()))
    said: dict[tuple[str, str], Numbers] = {}
    for about in ("view", "own view", "place of a view", "my view", "put away view"):
        said |= {(about, "private"): {"view_id": private.id}, (about, "deleted"): {"view_id": deleted.id}}
    return said


def talked(tx: Write, library: Library, eve: CurrentUser, gone_id: int) -> dict[tuple[str, str], Numbers]:
    """Comments, questions, assignments, proposals, a meeting: all by the owner, whom Eve asks to read something."""
    owner, paper_id = library.member, number(library.of["paper_id"])
    said: dict[tuple[str, str], Numbers] = {}
    series = make.series(tx)
    meeting = make.meeting(tx, now(), series_id=series.id)
    item = make.item(tx, meeting.id, paper_id=paper_id)
    question = make.question(tx, created_by=owner.id)
    library.of |= {"series_id": series.id, "meeting_id": meeting.id, "item_id": item.id, "question_id": question.id}
    for state, of in (("there", paper_id), ("of deleted", gone_id), ("deleted", paper_id)):
        put_away = now() if state == "deleted" else None
        comment = make.comment(tx, owner.id, paper_id=of, deleted_at=put_away)
        for about in ("comment", "place of a comment", "own comment", "put away"):
            said[about, state] = {"comment_id": comment.id, "thread_id": comment.id}
    for state, of in (("there", paper_id), ("of deleted", gone_id)):
        assignment = make.assignment(tx, owner.id, of, created_by=eve.id)
        candidate = make.candidate(tx, series.id, of, proposed_by=owner.id)
        for about in ("assignment", "asked by me", "asked of me"):
            said[about, state] = {"assignment_id": assignment.id}
        for about in ("candidate", "own candidate"):
            said[about, state] = {"candidate_id": candidate.id}
    library.of |= said["candidate", "there"]
    return said
