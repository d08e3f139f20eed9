"""The part of tests/web/permissions.py about people, what they say and plan, and what is each one's own."""

BROWSER = "browser"  # to who is signed in, not to tokens
TOKEN = "token"  # to tokens alone

OF_THE_TEAM = {
    ("close-hosts", "-"): """
        POST /settings/blocked-hosts
        POST /api/v1/blocked-hosts
    """,
    ("close-hosts", "other"): """
        POST   /settings/blocked-hosts/{host_id}/remove
        DELETE /api/v1/blocked-hosts/{host_id}
    """,
    ("keep", "-"): """
        POST  /home/checklist/hide
        POST  /graph
        POST  /api/v1/graph
        POST  /settings/appearance
        POST  /images
        POST  /api/v1/images
        POST  /papers/density
        POST  /views
        POST  /api/v1/views
        POST  /settings/notifications
        POST  /progress/goal
        PUT   /api/v1/progress/goal
        POST  /notifications/read
        POST  /bulk
        PATCH /api/v1/me
        PATCH /api/v1/notification-settings
        POST  /api/v1/notifications/read
        POST  /api/v1/bulk
    """,
    ("keep", "own summary"): """
        POST  /summaries/{summary_id}/versions/{number}/restore
        POST  /api/v1/summaries/{summary_id}/versions/{number}/restore
    """,
    ("keep", "deed"): """
        POST  /bulk/{deed_id}/undo
        POST  /api/v1/bulk/{deed_id}/undo
        POST  /bulk/{deed_id}/retry
        POST  /api/v1/bulk/{deed_id}/retry
    """,
    ("keep", "thrown"): """
        POST  /trash/{shelf}/{thing_id}/restore
        POST  /api/v1/trash/{shelf}/{thing_id}/restore
    """,
    ("see", "deed"): """
        GET   /bulk/{deed_id}
        GET   /api/v1/bulk/{deed_id}
    """,
    ("keep", "notice"): """
        POST  /notifications/{notice_id}/open
        POST  /notifications/{notice_id}/read
        POST  /api/v1/notifications/{notice_id}/read
    """,
    ("keep", "topic"): """
        POST  /topics/{slug}/read-marker
        POST  /api/v1/topics/{slug}/read-marker
    """,
    ("keep", "question"): """
        POST  /questions/{question_id}/read-marker
        POST  /api/v1/questions/{question_id}/read-marker
    """,
    ("keep", "asked of me"): """
        POST  /assignments/{assignment_id}/answer
        POST  /api/v1/assignments/{assignment_id}/answer
    """,
    ("see", "assignment"): """
        GET   /api/v1/assignments/{assignment_id}
    """,
    ("discuss", "asked by me"): """
        GET    /assignments/{assignment_id}/edit
        POST   /assignments/{assignment_id}/edit
        POST   /assignments/{assignment_id}/withdraw
        PATCH  /api/v1/assignments/{assignment_id}
        DELETE /api/v1/assignments/{assignment_id}
    """,
    ("discuss", "paper"): """
        POST  /papers/{paper_id}/assignments
        POST  /papers/{paper_id}/comments
        POST  /api/v1/papers/{paper_id}/comments
    """,
    ("discuss", "topic"): """
        POST  /topics/{slug}/comments
        POST  /api/v1/topics/{slug}/comments
    """,
    ("discuss", "-"): """
        POST  /questions
        POST  /api/v1/questions
        POST  /api/v1/assignments
        POST  /meetings/candidates
    """,
    ("see", "question"): """
        GET   /questions/{question_id}
        GET   /api/v1/questions/{question_id}
        GET   /api/v1/questions/{question_id}/comments
    """,
    ("discuss", "question"): """
        GET   /questions/{question_id}/edit
        POST  /questions/{question_id}/edit
        POST  /questions/{question_id}/assign-to-me
        POST  /questions/{question_id}/answer
        POST  /questions/{question_id}/close
        POST  /questions/{question_id}/reopen
        POST  /questions/{question_id}/comments
        PATCH /api/v1/questions/{question_id}
        POST  /api/v1/questions/{question_id}/comments
    """,
    ("discuss", "own question"): """
        POST   /questions/{question_id}/delete
        DELETE /api/v1/questions/{question_id}
    """,
    ("see", "place of a comment"): """
        GET   /comments/{comment_id}
    """,
    ("see", "comment"): """
        GET   /threads/{thread_id}
        GET   /api/v1/comments/{comment_id}
    """,
    ("discuss", "comment"): """
        GET   /comments/{comment_id}/reply
        POST  /comments/{comment_id}/resolve
        POST  /comments/{comment_id}/reopen
        POST  /api/v1/comments/{comment_id}/resolve
        POST  /api/v1/comments/{comment_id}/reopen
    """,
    ("discuss", "own comment"): """
        GET    /comments/{comment_id}/edit
        POST   /comments/{comment_id}/edit
        POST   /comments/{comment_id}/delete
        PATCH  /api/v1/comments/{comment_id}
        DELETE /api/v1/comments/{comment_id}
    """,
    ("discuss", "put away"): """
        POST  /comments/{comment_id}/restore
        POST  /api/v1/comments/{comment_id}/restore
    """,
    ("hide", "comment"): """
        POST  /comments/{comment_id}/hide
        POST  /comments/{comment_id}/show
        POST  /api/v1/comments/{comment_id}/hide
        POST  /api/v1/comments/{comment_id}/show
    """,
    ("see", "candidate"): """
        GET   /api/v1/candidates/{candidate_id}
    """,
    ("discuss", "candidate"): """
        POST  /meetings/candidates/{candidate_id}/vote
        PUT   /api/v1/candidates/{candidate_id}/vote
    """,
    ("discuss", "own candidate"): """
        POST   /meetings/candidates/{candidate_id}/withdraw
        DELETE /api/v1/candidates/{candidate_id}
    """,
    ("discuss", "other"): """
        GET   /meetings/{meeting_id}/notes
        POST  /meetings/{meeting_id}/notes
        PUT   /api/v1/meetings/{meeting_id}/notes
        POST  /api/v1/series/{series_id}/candidates
    """,
    ("schedule", "-"): """
        GET   /meetings/new
        POST  /meetings
        GET   /meetings/series/new
        POST  /meetings/series
        POST  /api/v1/meetings
        POST  /api/v1/series
    """,
    ("schedule", "other"): """
        GET    /meetings/{meeting_id}/edit
        POST   /meetings/{meeting_id}/edit
        POST   /meetings/{meeting_id}/state
        POST   /meetings/{meeting_id}/delete
        POST   /meetings/{meeting_id}/agenda
        POST   /meetings/{meeting_id}/agenda/{item_id}
        POST   /meetings/{meeting_id}/agenda/{item_id}/move
        POST   /meetings/{meeting_id}/agenda/{item_id}/remove
        GET    /meetings/series/{series_id}/edit
        POST   /meetings/series/{series_id}/edit
        POST   /meetings/series/{series_id}/next
        POST   /meetings/series/{series_id}/end
        POST   /meetings/series/{series_id}/resume
        PATCH  /api/v1/meetings/{meeting_id}
        DELETE /api/v1/meetings/{meeting_id}
        PUT    /api/v1/meetings/{meeting_id}/state
        POST   /api/v1/meetings/{meeting_id}/agenda
        PATCH  /api/v1/meetings/{meeting_id}/agenda/{item_id}
        DELETE /api/v1/meetings/{meeting_id}/agenda/{item_id}
        POST   /api/v1/meetings/{meeting_id}/agenda/{item_id}/move
        PATCH  /api/v1/series/{series_id}
        DELETE /api/v1/series/{series_id}
        POST   /api/v1/series/{series_id}/meetings
        POST   /api/v1/series/{series_id}/resume
    """,
    ("send-webhooks", "-"): """
        GET  /settings/webhooks
        GET  /settings/webhooks/new
        POST /settings/webhooks
        GET  /api/v1/webhooks
        POST /api/v1/webhooks
    """,
    ("send-webhooks", "webhook"): """
        GET    /settings/webhooks/{webhook_id}
        POST   /settings/webhooks/{webhook_id}
        POST   /settings/webhooks/{webhook_id}/delete
        POST   /settings/webhooks/{webhook_id}/test
        GET    /api/v1/webhooks/{webhook_id}
        PATCH  /api/v1/webhooks/{webhook_id}
        DELETE /api/v1/webhooks/{webhook_id}
        GET    /api/v1/webhooks/{webhook_id}/deliveries
        POST   /api/v1/webhooks/{webhook_id}/test
    """,
    ("send-webhooks", "delivery"): """
        POST   /settings/webhooks/{webhook_id}/deliveries/{delivery_id}/resend
        POST   /api/v1/webhooks/{webhook_id}/deliveries/{delivery_id}/resend
    """,
    (BROWSER, "-"): """
        GET  /settings/my-data
        POST /settings/password
        POST /settings/profile
        POST /settings/sessions/sign-out-others
        POST /settings/tokens
        POST /settings/second-factor
        POST /settings/second-factor/codes
        POST /settings/second-factor/new
        POST /settings/second-factor/off
        POST /meetings/calendar
        POST /api/v1/tokens
        DELETE /api/v1/sessions
    """,
    (BROWSER, "nothing"): """
        POST /settings/identities
        POST /settings/identities/proxy
    """,
    (BROWSER, "session"): """
        POST   /settings/sessions/{sign_in_id}/end
        DELETE /api/v1/sessions/{session_id}
    """,
    (BROWSER, "identity"): """
        POST   /settings/identities/{identity_id}/unlink
    """,
    (BROWSER, "token"): """
        POST   /settings/tokens/{token_id}/revoke
        DELETE /api/v1/tokens/{token_id}
    """,
    ("manage-backups", "-"): """
        GET  /settings/backups
        POST /settings/backups
    """,
    (f"manage-backups, {BROWSER}", "nothing"): """
        POST /settings/backups/{backup}
    """,
    ("manage-people", "-"): """
        GET  /admin/audit
        GET  /api/v1/audit
        GET  /people/invitations
        GET  /api/v1/invitations
    """,
    (f"manage-people, {BROWSER}", "-"): """
        POST /people/invitations
        POST /api/v1/invitations
    """,
    (f"manage-people, {BROWSER}", "person"): """
        POST /people/{person_id}/link
        POST /api/v1/people/{person_id}/link
    """,
    ("manage-people", "invitation"): """
        POST   /people/invitations/{invitation_id}/revoke
        DELETE /api/v1/invitations/{invitation_id}
    """,
    ("see", "person"): """
        GET  /people/{person_id}
        GET  /api/v1/people/{person_id}
    """,
    ("manage-people", "person"): """
        POST   /people/{person_id}/disable
        POST   /people/{person_id}/enable
        POST   /people/{person_id}/role
        GET    /people/{person_id}/erase
        POST   /people/{person_id}/erase
        PATCH  /api/v1/people/{person_id}
        DELETE /api/v1/people/{person_id}
    """,
    ("manage-jobs", "-"): """
        GET  /settings/system
    """,
    ("manage-jobs", "other"): """
        POST /jobs/{job_id}/retry
        POST /api/v1/jobs/{job_id}/retry
    """,
    ("manage-jobs", "source"): """
        POST /jobs/sources/{source}/pause
        POST /jobs/sources/{source}/resume
        POST /jobs/sources/{source}/retry
        POST /jobs/sources/{source}/cancel
        POST /jobs/sources/{source}/restore
        POST /api/v1/sources/{source}/pause
        POST /api/v1/sources/{source}/resume
        POST /api/v1/sources/{source}/retry
        POST /api/v1/sources/{source}/cancel
        POST /api/v1/sources/{source}/restore
    """,
    ("see", "source"): """
        GET  /api/v1/sources/{source}
    """,
}
