"""Who may use which route, of what: the table that tests/web/test_permissions.py holds every route against.

A group is (what it needs, what it is about): an act of readtrack.policy, or one of OPEN, BROWSER; and a key of THINGS.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

OPEN, BROWSER, FEED = "open", "browser", "feed"  # to everybody; to who is signed in, not to tokens; to feed tokens
IN, ABSENT, MOVED, REFUSED, SIGN_IN = "in", "absent", "moved", "refused", "sign in"

# What there is of each thing, and what becomes of it; after a bar: for whom else it is there.
THINGS: Mapping[str, Mapping[str, str]] = {
    "-": {"there": IN},
    "paper": {"there": IN, "deleted": ABSENT, "merged": MOVED, "missing": ABSENT},
    "deleted paper": {"deleted": IN, "there": IN, "merged": MOVED, "missing": ABSENT},
    "paper to merge": {"there": IN, "deleted": IN, "merged": IN, "missing": ABSENT},  # IN: 409, with the reason
    "merged paper": {"merged": IN, "there": ABSENT, "missing": ABSENT},
    "summary": {"there": IN, "private": f"{ABSENT}|owner", "deleted": ABSENT, "missing": ABSENT},
    "import": {"there": IN, "missing": ABSENT},
    "own import": {"there": f"{REFUSED}|owner editor admin", "missing": ABSENT},
    "token": {"there": f"{ABSENT}|owner", "missing": ABSENT},
    "person": {"there": IN, "missing": ABSENT},
    "topic": {"there": IN, "missing": ABSENT},
    "other": {"there": IN, "missing": ABSENT},
}

TABLE = {
    (OPEN, "-"): """
        GET  /
        GET  /healthz
        GET  /readyz
        GET  /static/{digest}/{name}
        GET  /sign-in
        POST /sign-in
        POST /sign-out
        GET  /set-up/{code}
        POST /set-up/{code}
        GET  /join/{code}
        POST /join/{code}
    """,
    ("see", "-"): """
        GET  /api/docs
        GET  /api/openapi.json
        GET  /help/keys
        GET  /help/search
        GET  /papers
        GET  /topics
        GET  /people
        GET  /notes
        GET  /imports
        GET  /imports/rules
        GET  /look
        GET  /settings
        GET  /settings/appearance
        GET  /settings/hosts
        GET  /settings/password
        GET  /settings/profile
        GET  /settings/sessions
        GET  /settings/tokens
        GET  /api/v1/closed-hosts
        GET  /api/v1/duplicates
        GET  /api/v1/export
        GET  /api/v1/imports/rules
        GET  /api/v1/jobs
        GET  /api/v1/leads
        GET  /api/v1/looks
        GET  /api/v1/me
        GET  /api/v1/notes
        GET  /api/v1/papers
        GET  /api/v1/papers/lookup
        GET  /api/v1/people
        GET  /api/v1/proposals
        GET  /api/v1/readings
        GET  /api/v1/tokens
        GET  /api/v1/topics
        POST /api/v1/render
        POST /summaries/preview
    """,
    ("see", "paper"): """
        GET  /papers/{paper_id}
        GET  /api/v1/papers/{paper_id}
        GET  /api/v1/papers/{paper_id}.bib
        GET  /api/v1/papers/{paper_id}/entries
        GET  /api/v1/papers/{paper_id}/events
        GET  /api/v1/papers/{paper_id}/links
        GET  /api/v1/papers/{paper_id}/records
        GET  /api/v1/papers/{paper_id}/relations
        GET  /api/v1/papers/{paper_id}/reading
        GET  /api/v1/papers/{paper_id}/readings
        GET  /api/v1/papers/{paper_id}/summary
        GET  /api/v1/papers/{paper_id}/summaries
        GET  /papers/{paper_id}/summary/versions
        GET  /papers/{paper_id}/summary/edit
        POST /papers/{paper_id}/summary/preview
    """,
    ("keep", "paper"): """
        POST   /papers/{paper_id}/summary/edit
        POST   /papers/{paper_id}/summary/delete
        PUT    /api/v1/papers/{paper_id}/summary
        DELETE /api/v1/papers/{paper_id}/summary
        POST   /papers/{paper_id}/reading
        POST   /papers/{paper_id}/reading/undo
        PUT    /api/v1/papers/{paper_id}/reading
        DELETE /api/v1/papers/{paper_id}/reading
    """,
    ("see", "summary"): """
        GET  /summaries/{summary_id}/versions
        GET  /api/v1/summaries/{summary_id}/versions
        GET  /api/v1/summaries/{summary_id}/versions/{number}
    """,
    ("add", "-"): """
        GET  /papers/new
        POST /papers
        POST /papers/refresh
        POST /topics
        POST /api/v1/papers
        POST /api/v1/refresh
        POST /api/v1/topics
    """,
    ("edit", "paper"): """
        GET    /papers/{paper_id}/edit
        POST   /papers/{paper_id}/edit
        POST   /papers/{paper_id}/fields/{field}
        POST   /papers/{paper_id}/fields/{field}/release
        POST   /papers/{paper_id}/records/{record_id}
        POST   /papers/{paper_id}/records/{record_id}/reopen
        POST   /papers/{paper_id}/refresh
        POST   /papers/{paper_id}/relations
        POST   /papers/{paper_id}/relations/{kind}/{to}/remove
        POST   /papers/{paper_id}/topics
        POST   /papers/{paper_id}/topics/{slug}/remove
        PATCH  /api/v1/papers/{paper_id}
        POST   /api/v1/papers/{paper_id}/records/{record_id}
        POST   /api/v1/papers/{paper_id}/refresh
        POST   /api/v1/papers/{paper_id}/relations
        DELETE /api/v1/papers/{paper_id}/relations
        DELETE /api/v1/papers/{paper_id}/fields/{field}
        PUT    /api/v1/papers/{paper_id}/fields/{field}
        DELETE /api/v1/papers/{paper_id}/topics/{slug}
        PUT    /api/v1/papers/{paper_id}/topics/{slug}
    """,
    ("delete", "paper"): """
        POST   /papers/{paper_id}/delete
        DELETE /api/v1/papers/{paper_id}
    """,
    ("delete", "deleted paper"): """
        POST /papers/{paper_id}/restore
        POST /api/v1/papers/{paper_id}/restore
    """,
    ("merge", "paper"): """
        GET  /papers/{paper_id}/merge
    """,
    ("merge", "paper to merge"): """
        POST /papers/{paper_id}/merge
        POST /api/v1/papers/{paper_id}/merge
    """,
    ("merge", "merged paper"): """
        POST /papers/{paper_id}/unmerge
        POST /api/v1/papers/{paper_id}/unmerge
    """,
    ("edit", "other"): """
        POST  /duplicates/{duplicate_id}
        POST  /duplicates/{duplicate_id}/reopen
        POST  /leads/{lead_id}
        POST  /leads/{lead_id}/reopen
        POST  /proposals/{proposal_id}
        POST  /proposals/{proposal_id}/reopen
        POST  /api/v1/duplicates/{duplicate_id}
        POST  /api/v1/proposals/{proposal_id}
        PATCH /api/v1/leads/{lead_id}
    """,
    ("see", "other"): """
        GET  /api/v1/proposals/{proposal_id}
        GET  /notes/{note_id}
        GET  /api/v1/notes/{note_id}
        GET  /api/v1/jobs/{job_id}
    """,
    ("see", "topic"): """
        GET  /topics/{slug}
        GET  /api/v1/topics/{slug}
    """,
    ("edit", "topic"): """
        GET   /topics/{slug}/edit
        POST  /topics/{slug}/edit
        PATCH /api/v1/topics/{slug}
    """,
    ("delete", "topic"): """
        POST   /topics/{slug}/delete
        POST   /topics/{slug}/merge
        DELETE /api/v1/topics/{slug}
        POST   /api/v1/topics/{slug}/merge
    """,
    ("import", "-"): """
        GET  /imports/new
        POST /imports
        POST /imports/rules
        POST /api/v1/imports
        POST /api/v1/imports/rules
    """,
    ("see", "import"): """
        GET  /imports/{import_id}
        GET  /imports/{import_id}/report
        GET  /api/v1/imports/{import_id}
        GET  /api/v1/imports/{import_id}/entries
        GET  /api/v1/imports/{import_id}/report
    """,
    ("import", "own import"): """
        POST  /imports/{import_id}
        POST  /api/v1/imports/{import_id}/commit
        POST  /api/v1/imports/{import_id}/decide
        POST  /api/v1/imports/{import_id}/join
        PATCH /api/v1/imports/{import_id}/entries/{position}
        POST  /api/v1/imports/{import_id}/entries/{position}/reset
        POST  /api/v1/imports/{import_id}/entries/{position}/split
    """,
    ("import", "other"): """
        POST   /imports/rules/{rule_id}/delete
        DELETE /api/v1/imports/rules/{rule_id}
    """,
    ("close-hosts", "-"): """
        POST /settings/hosts
        POST /api/v1/closed-hosts
    """,
    ("close-hosts", "other"): """
        POST   /settings/hosts/{host_id}/remove
        DELETE /api/v1/closed-hosts/{host_id}
    """,
    ("keep", "-"): """
        POST  /settings/appearance
        PATCH /api/v1/me
    """,
    (BROWSER, "-"): """
        POST /settings/password
        POST /settings/profile
        POST /settings/sessions/sign-out-others
        POST /settings/tokens
        POST /api/v1/tokens
    """,
    (BROWSER, "token"): """
        POST   /settings/tokens/{token_id}/revoke
        DELETE /api/v1/tokens/{token_id}
    """,
    ("manage-people", "-"): """
        POST /people/invitations
    """,
    ("manage-people", "person"): """
        POST /people/{person_id}/disable
        POST /people/{person_id}/enable
        POST /people/{person_id}/link
        POST /people/{person_id}/role
    """,
    ("manage-jobs", "other"): """
        POST /api/v1/jobs/{job_id}/retry
    """,
}


class Row(NamedTuple):
    method: str
    path: str
    needs: str
    about: str


def rows() -> Iterator[Row]:
    """The table, a route a row."""
    for (needs, about), routes in TABLE.items():
        for line in routes.split("\n"):
            if line.strip():
                method, path = line.split()
                yield Row(method, path, needs, about)
