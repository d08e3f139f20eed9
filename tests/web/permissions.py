"""Who may use which route, of what: the table that tests/web/test_permissions.py holds every route against.

A group is (what it needs, what it is about): an act of infra.permissions, or one of OPEN, BROWSER; and a key of THINGS
(tests/web/states.py).
"""

from collections.abc import Iterator
from typing import NamedTuple

from readtrack.web.pages.moved import MOVED
from tests.web.permissions_of_team import BROWSER, OF_THE_TEAM, TOKEN

OPEN, FEED = "open", "feed"  # to everybody; to feed tokens
FEED_OF_VIEW = "feed of a view"  # to who sees it, and to tokens made for it alone

TABLE = {
    (OPEN, "-"): """
        GET  /healthz
        GET  /readyz
        GET  /metrics
        GET  /manifest.webmanifest
        GET  /opensearch.xml
        GET  /static/{digest}/{name}
        GET  /sign-in
        POST /sign-in
        GET  /setup/{code}
        POST /setup/{code}
        GET  /invitations/accept/{code}
        POST /invitations/accept/{code}
        POST /invitations/accept/{code}/provider
        POST /invitations/accept/{code}/proxy
        GET  /sign-in/code
        POST /sign-in/code
        POST /sign-in/provider
        GET  /sign-in/provider/answer
        GET  /password-reset
        POST /password-reset
    """,
    (f"{OPEN}, {BROWSER}", "-"): """
        POST /sign-out
    """,
    (FEED, "-"): """
        GET  /meetings.ics
    """,
    (FEED_OF_VIEW, "view"): """
        GET  /feeds/{view_id}.atom
    """,
    ("see", "view"): """
        GET  /views/{view_id}/feed
        GET  /api/v1/views/{view_id}
    """,
    (f"see, {BROWSER}", "view"): """
        POST /views/{view_id}/feed
    """,
    ("see", "place of a view"): """
        GET  /views/{view_id}
    """,
    ("keep", "own view"): """
        GET    /views/{view_id}/edit
        POST   /views/{view_id}/edit
        POST   /views/{view_id}/share
        POST   /views/{view_id}/delete
        PATCH  /api/v1/views/{view_id}
        DELETE /api/v1/views/{view_id}
    """,
    ("keep", "my view"): """
        POST /views/{view_id}/move
        POST /api/v1/views/{view_id}/move
    """,
    ("keep", "put away view"): """
        POST /views/{view_id}/restore
        POST /api/v1/views/{view_id}/restore
    """,
    (f"see, {TOKEN}", "-"): """
        POST /mcp
    """,
    ("see", "-"): """
        GET  /
        GET  /home
        GET  /views
        GET  /views/counts
        GET  /api/v1/views
        GET  /export/markdown
        GET  /api/v1/export/markdown.zip
        GET  /api/docs
        GET  /api/openapi.json
        GET  /help/keys
        GET  /palette
        GET  /api/v1/palette
        GET  /help/search
        GET  /search/complete
        GET  /search/nearby
        GET  /api/v1/search/complete
        GET  /api/v1/search/nearby
        GET  /papers
        GET  /papers/facets
        GET  /papers/named
        GET  /citations
        GET  /api/v1/citations/missing
        GET  /board
        GET  /graph
        GET  /api/v1/graph
        GET  /topics
        GET  /people
        GET  /notes
        GET  /imports
        GET  /imports/rules
        GET  /review
        GET  /unresolved
        GET  /settings
        GET  /settings/appearance
        GET  /settings/browser
        GET  /settings/blocked-hosts
        GET  /settings/macros
        GET  /templates
        GET  /drafts
        GET  /api/v1/templates
        GET  /api/v1/drafts
        GET  /images
        GET  /settings/password
        GET  /settings/profile
        GET  /settings/sessions
        GET  /settings/tokens
        GET  /api/v1/blocked-hosts
        GET  /api/v1/duplicates
        GET  /api/v1/export
        GET  /api/v1/imports/rules
        GET  /jobs
        GET  /api/v1/jobs
        GET  /api/v1/sources
        GET  /api/v1/imports/progress
        GET  /api/v1/unresolved
        GET  /api/v1/review
        GET  /api/v1/me
        GET  /api/v1/notes
        GET  /api/v1/papers
        GET  /api/v1/papers/lookup
        GET  /api/v1/papers/groups
        GET  /api/v1/papers/facets
        GET  /api/v1/board
        GET  /api/v1/people
        GET  /api/v1/proposals
        GET  /api/v1/readings
        GET  /api/v1/tokens
        GET  /api/v1/topics
        POST /api/v1/render
        POST /summaries/preview
        POST /comments/preview
        GET  /activity
        GET  /assignments
        GET  /bulk
        GET  /history
        GET  /bulk/export
        GET  /trash
        GET  /api/v1/bulk
        GET  /api/v1/trash
        GET  /notifications
        GET  /meetings
        GET  /meetings/calendar
        GET  /questions
        GET  /queue
        GET  /settings/identities
        GET  /settings/notifications
        GET  /settings/second-factor
        GET  /api/v1/assignments
        GET  /api/v1/events
        GET  /api/v1/changes
        GET  /api/v1/home
        GET  /api/v1/macros
        GET  /api/v1/meetings
        GET  /api/v1/notifications
        GET  /api/v1/notification-settings
        GET  /api/v1/people/complete
        GET  /api/v1/references/complete
        GET  /progress
        GET  /progress/coverage
        GET  /progress/{figure}.csv
        GET  /api/v1/progress
        GET  /api/v1/progress/coverage
        GET  /api/v1/questions
        GET  /api/v1/queue
        GET  /api/v1/series
        GET  /api/v1/sessions
    """,
    ("see", "paper"): """
        GET  /papers/{paper_id}
        GET  /papers/{paper_id}/graph
        GET  /api/v1/papers/{paper_id}/graph
        GET  /papers/{paper_id}/mentions
        GET  /api/v1/papers/{paper_id}/mentions
        GET  /api/v1/papers/{paper_id}
        GET  /api/v1/papers/{paper_id}.bib
        GET  /api/v1/papers/{paper_id}.ris
        GET  /api/v1/papers/{paper_id}.md
        GET  /api/v1/papers/{paper_id}/entries
        GET  /api/v1/papers/{paper_id}/events
        GET  /api/v1/papers/{paper_id}/links
        GET  /api/v1/papers/{paper_id}/records
        GET  /api/v1/papers/{paper_id}/relations
        GET  /api/v1/papers/{paper_id}/relations/suggested
        GET  /papers/{paper_id}/relations/suggested
        GET  /papers/{paper_id}/relations/{kind}/{to}/edit
        GET  /api/v1/papers/{paper_id}/citations
        GET  /papers/{paper_id}/similar
        GET  /papers/{paper_id}/cite
        GET  /api/v1/papers/{paper_id}/citation
        GET  /api/v1/papers/{paper_id}/similar
        GET  /api/v1/papers/{paper_id}/translations
        GET  /api/v1/papers/{paper_id}/reading
        GET  /api/v1/papers/{paper_id}/readings
        GET  /api/v1/papers/{paper_id}/summary
        GET  /api/v1/papers/{paper_id}/summaries
        GET  /papers/{paper_id}/summary/versions
        GET  /papers/{paper_id}/assignments
        GET  /api/v1/papers/{paper_id}/comments
        GET  /papers/{paper_id}/summary/edit
        POST /papers/{paper_id}/summary/preview
    """,
    ("keep", "own image"): """
        POST   /images/{image}/remove
        DELETE /api/v1/images/{image}
    """,
    ("keep", "draft"): """
        POST   /drafts/{draft_id}/discard
        DELETE /api/v1/drafts/{draft_id}
    """,
    ("see", "template"): """
        GET /api/v1/templates/{template_id}
    """,
    ("edit", "template"): """
        GET    /templates/{template_id}/edit
        POST   /templates/{template_id}/edit
        POST   /templates/{template_id}/delete
        PATCH  /api/v1/templates/{template_id}
        DELETE /api/v1/templates/{template_id}
    """,
    ("keep", "paper"): """
        POST   /papers/{paper_id}/summary/edit
        POST   /papers/{paper_id}/summary/draft
        PUT    /api/v1/papers/{paper_id}/summary/drafts/{tab}
        POST   /papers/{paper_id}/summary/delete
        PUT    /api/v1/papers/{paper_id}/summary
        DELETE /api/v1/papers/{paper_id}/summary
        POST   /papers/{paper_id}/reading
        POST   /papers/{paper_id}/reading/undo
        PUT    /api/v1/papers/{paper_id}/reading
        DELETE /api/v1/papers/{paper_id}/reading
        POST   /papers/{paper_id}/reading/position
        PUT    /api/v1/papers/{paper_id}/reading/position
        POST   /api/v1/papers/{paper_id}/reading/undo
        POST   /papers/{paper_id}/read-marker
        POST   /api/v1/papers/{paper_id}/read-marker
    """,
    ("see", "summary"): """
        GET  /summaries/{summary_id}/versions
        GET  /api/v1/summaries/{summary_id}/versions
        GET  /api/v1/summaries/{summary_id}/versions/{number}
    """,
    ("add", "-"): """
        GET  /papers/new
        POST /papers
        GET  /save
        POST /save
        POST /topics
        POST /api/v1/papers
        POST /api/v1/topics
    """,
    ("keep", "nothing"): """
        POST /papers/{paper_id}/ai-draft
        POST /api/v1/papers/{paper_id}/ai-draft
    """,
    ("add", "other"): """
        POST /citations/{work_id}/add
    """,
    ("edit", "paper"): """
        POST   /papers/{paper_id}/translations
        PUT    /api/v1/papers/{paper_id}/translations/{language}
        DELETE /api/v1/papers/{paper_id}/translations/{language}
        GET    /papers/{paper_id}/edit
        POST   /papers/{paper_id}/edit
        POST   /papers/{paper_id}/fields/{field}
        POST   /papers/{paper_id}/fields/{field}/release
        POST   /papers/{paper_id}/records/{record_id}
        POST   /papers/{paper_id}/records/{record_id}/reopen
        POST   /papers/{paper_id}/refresh
        POST   /papers/{paper_id}/mentions
        POST   /papers/{paper_id}/relations
        POST   /papers/{paper_id}/relations/{kind}/{to}/edit
        POST   /papers/{paper_id}/relations/{kind}/{to}/offer
        POST   /papers/{paper_id}/relations/{kind}/{to}/dismiss
        POST   /papers/{paper_id}/relations/{kind}/{to}/remove
        POST   /papers/{paper_id}/citations/ask
        POST   /api/v1/papers/{paper_id}/citations/ask
        PATCH  /api/v1/papers/{paper_id}/relations/{kind}/{to}
        PUT    /api/v1/papers/{paper_id}/relations/{kind}/{to}/dismissal
        DELETE /api/v1/papers/{paper_id}/relations/{kind}/{to}/dismissal
        POST   /papers/{paper_id}/topics
        POST   /papers/{paper_id}/topics/{slug}/remove
        POST   /topics/{slug}/order/{paper_id}/position
        PUT    /api/v1/topics/{slug}/order/{paper_id}/position
        DELETE /api/v1/topics/{slug}/order/{paper_id}/position
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
        GET    /comparisons/{comparison_id}/edit
        POST   /comparisons/{comparison_id}/edit
        POST   /comparisons/{comparison_id}/delete
        PATCH  /api/v1/comparisons/{comparison_id}
        DELETE /api/v1/comparisons/{comparison_id}
        POST   /notes/entries/{entry_id}/table
        POST   /api/v1/entries/{entry_id}/table
        POST  /citations/{work_id}/dismiss
        POST  /citations/{work_id}/reopen
        PUT   /api/v1/citations/{work_id}/dismissal
        DELETE /api/v1/citations/{work_id}/dismissal
        POST  /duplicates/{duplicate_id}
        POST  /duplicates/{duplicate_id}/reopen
        POST  /unresolved/{lead_id}
        POST  /unresolved/{lead_id}/reopen
        POST  /proposals/{proposal_id}
        POST  /proposals/{proposal_id}/reopen
        POST  /api/v1/duplicates/{duplicate_id}
        POST  /api/v1/proposals/{proposal_id}
        PATCH /api/v1/unresolved/{lead_id}
    """,
    ("see", "other"): """
        GET  /unresolved/{lead_id}
        GET  /comparisons/{comparison_id}
        GET  /comparisons/{comparison_id}.csv
        GET  /comparisons/{comparison_id}.md
        GET  /api/v1/comparisons/{comparison_id}
        GET  /api/v1/comparisons/{comparison_id}.csv
        GET  /api/v1/comparisons/{comparison_id}.md
        GET  /api/v1/proposals/{proposal_id}
        GET  /notes/{note_id}
        GET  /api/v1/notes/{note_id}
        GET  /api/v1/jobs/{job_id}
        GET  /meetings/{meeting_id}
        GET  /meetings/series/{series_id}
        GET  /api/v1/meetings/{meeting_id}
        GET  /api/v1/meetings/{meeting_id}.ics
        GET  /api/v1/meetings/{meeting_id}.md
        GET  /api/v1/series/{series_id}
        GET  /api/v1/series/{series_id}/candidates
    """,
    ("see", "topic"): """
        GET  /api/v1/topics/{slug}/export/markdown.zip
        GET  /topics/{slug}
        GET  /topics/{slug}/graph
        GET  /api/v1/topics/{slug}/graph
        GET  /topics/{slug}/mentions
        GET  /api/v1/topics/{slug}/mentions
        GET  /topics/{slug}/coverage
        GET  /api/v1/topics/{slug}/coverage
        GET  /api/v1/topics/{slug}/order
        GET  /api/v1/topics/{slug}/links
        GET  /api/v1/topics/{slug}
        GET  /api/v1/topics/{slug}/comments
        GET  /topics/{slug}/versions
        GET  /api/v1/topics/{slug}/versions
        GET  /api/v1/topics/{slug}/versions/{number}
        GET  /api/v1/topics/{slug}/comparisons
    """,
    ("edit", "topic"): """
        GET   /topics/{slug}/comparisons/new
        POST  /topics/{slug}/comparisons
        POST  /api/v1/topics/{slug}/comparisons
        POST  /topics/{slug}/citations/ask
        POST  /api/v1/topics/{slug}/citations/ask
        POST  /topics/{slug}/order
        POST  /topics/{slug}/links
        POST  /api/v1/topics/{slug}/links
        GET   /topics/{slug}/edit
        POST  /topics/{slug}/edit
        POST  /topics/{slug}/preview
        POST  /topics/{slug}/draft
        PUT   /api/v1/topics/{slug}/drafts/{tab}
        POST  /topics/{slug}/mentions
        PATCH /api/v1/topics/{slug}
        POST  /topics/{slug}/versions/{number}/restore
        POST  /api/v1/topics/{slug}/versions/{number}/restore
    """,
    ("edit", "topic link"): """
        GET    /topics/{slug}/links/{link_id}/edit
        POST   /topics/{slug}/links/{link_id}/edit
        POST   /topics/{slug}/links/{link_id}/delete
        PATCH  /api/v1/topics/{slug}/links/{link_id}
        DELETE /api/v1/topics/{slug}/links/{link_id}
    """,
    ("delete", "topic"): """
        POST   /topics/{slug}/delete
        GET    /topics/{slug}/merge
        POST   /topics/{slug}/merge
        GET    /topics/{slug}/split
        POST   /topics/{slug}/split
        POST   /topics/{slug}/split/preview
        POST   /api/v1/topics/{slug}/split
        POST   /api/v1/topics/{slug}/split/preview
        POST   /api/v1/topics/{slug}/merge/preview
        DELETE /api/v1/topics/{slug}
        POST   /api/v1/topics/{slug}/merge
    """,
    ("import", "-"): """
        POST /imports/markdown
        POST /api/v1/imports/markdown
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
        POST  /imports/{import_id}/cancel
        POST  /imports/{import_id}/columns
        POST  /imports/{import_id}/columns/forget
        PUT   /api/v1/imports/{import_id}/columns
        POST  /imports/{import_id}/retry
        POST  /api/v1/imports/{import_id}/cancel
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
    ("edit", "-"): """
        POST /settings/macros
        POST /templates
        POST /api/v1/templates
        POST /api/v1/macros
    """,
    ("edit", "macro"): """
        POST   /settings/macros/{macro}/remove
        PUT    /api/v1/macros/{macro}
        DELETE /api/v1/macros/{macro}
    """,
    ("see", "image"): """
        GET  /images/{image}
    """,
}


class Row(NamedTuple):
    method: str
    path: str
    needs: str
    about: str


def plain(path: str) -> str:
    """A route's path as it stands in the table."""
    return path.replace(":int", "").replace(":path", "")


def rows() -> Iterator[Row]:
    """The table, a route a row."""
    for (needs, about), routes in (*TABLE.items(), *OF_THE_TEAM.items()):
        for line in routes.split("\n"):
            if line.strip():
                method, path = line.split()
                yield Row(method, path, needs, about)
    for old in MOVED:
        yield Row("GET", plain(old), OPEN, "-")
