"""A team: what people say to one another, assign, meet about and are told; further ways in."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_DROPPED = (
    "notice",
    "vote",
    "agenda_item",
    "meeting",
    "candidate",
    "assignment",
    "series",
    "comment",
    "seen",
    "identity",
    "half_way",
)
_ALONE: dict[str, Any] = {"reflect_kwargs": {"resolve_fks": False}}  # paper has an index that cannot be read back
_text, _number, _moment = sa.String(), sa.Integer(), sa.DateTime(timezone=True)
_BLANK: dict[str, Any] = {"nullable": False, "server_default": ""}
_ZERO: dict[str, Any] = {"nullable": False, "server_default": "0"}
_ADDED = {
    "event": ("before", "after", "address"),
    "person": (
        "language", "time_zone", "notices", "mailed_on", "totp_salt", "totp_step", "recovery", "erased_at",
    ),
    "reading": ("recommendation", "priority", "place"),
    "reading_event": ("batch",),
    "invitation": ("email",),
    "sign_in": ("address",),
    "token": ("used_from",),
}  # fmt: skip
_QUESTION = ("paper_id", "topic_id", "owner_id", "answer_id", "version", "updated_at", "closed_at", "closed_by")
_question = sa.table("question", *(sa.column(name) for name in ("id", "topic_id")))
_entry = sa.table("entry", sa.column("question_id"), sa.column("topics", sa.JSON()))
_alias = sa.table("topic_alias", sa.column("topic_id"), sa.column("alias"))


def upgrade() -> None:
    _make_people()
    _add_columns()
    _add_to_questions()
    _make_talk()
    _make_meetings()
    _make_notices()
    op.create_index("ix_event_person_id_at", "event", ["person_id", "at"], unique=False)
    latest = ["person_id", "current", "status", "updated_at", "id"]
    op.create_index("ix_reading_person_id_current_status_updated_at_id", "reading", latest, unique=False)
    op.create_index("ix_event_at_id", "event", ["at", "id"], unique=False)
    _file_questions()


def _make_people() -> None:
    op.create_table(
        "half_way",
        sa.Column("id", _number, nullable=False),
        sa.Column("kind", _text, nullable=False),
        sa.Column("secret_hash", _text, nullable=False),
        sa.Column("state_hash", _text, nullable=False),
        sa.Column("nonce", _text, nullable=False),
        sa.Column("verifier", _text, nullable=False),
        sa.Column("person_id", _number, nullable=True),
        sa.Column("invitation_id", _number, nullable=True),
        sa.Column("next", _text, nullable=False),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("until", _moment, nullable=False),
        sa.CheckConstraint("kind IN ('oidc', 'code')", name=op.f("ck_half_way_kind")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_half_way_person_id")),
        sa.ForeignKeyConstraint(["invitation_id"], ["invitation.id"], name=op.f("fk_half_way_invitation_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_half_way")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_half_way_secret_hash")),
    )

    op.create_table(
        "identity",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("issuer", _text, nullable=False),
        sa.Column("subject", _text, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("used_at", _moment, nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_identity_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identity")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_identity_issuer_subject")),
    )
    op.create_index("ix_identity_person_id", "identity", ["person_id"], unique=False)


def _make_talk() -> None:
    op.create_table(
        "seen",
        sa.Column("person_id", _number, nullable=False),
        sa.Column("subject", _text, nullable=False),
        sa.Column("subject_id", _number, nullable=False),
        sa.Column("comment_id", _number, nullable=False),
        sa.Column("seen_at", _moment, nullable=False),
        sa.CheckConstraint("subject IN ('paper', 'question', 'topic')", name=op.f("ck_seen_subject")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_seen_person_id")),
        sa.PrimaryKeyConstraint("person_id", "subject", "subject_id", name=op.f("pk_seen")),
    )

    op.create_table(
        "comment",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=True),
        sa.Column("question_id", _number, nullable=True),
        sa.Column("topic_id", _number, nullable=True),
        sa.Column("parent_id", _number, nullable=True),
        sa.Column("markdown", _text, nullable=False),
        sa.Column("version", _number, nullable=False),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("updated_at", _moment, nullable=False),
        sa.Column("resolved_at", _moment, nullable=True),
        sa.Column("resolved_by", _number, nullable=True),
        sa.Column("hidden_at", _moment, nullable=True),
        sa.Column("hidden_by", _number, nullable=True),
        sa.Column("deleted_at", _moment, nullable=True),
        sa.CheckConstraint(
            "(CASE WHEN paper_id IS NULL THEN 0 ELSE 1 END + CASE WHEN question_id IS NULL THEN 0 ELSE 1 END + CASE WHEN topic_id IS NULL THEN 0 ELSE 1 END) = 1",
            name=op.f("ck_comment_subject"),
        ),
        sa.ForeignKeyConstraint(["hidden_by"], ["person.id"], name=op.f("fk_comment_hidden_by")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_comment_paper_id")),
        sa.ForeignKeyConstraint(["parent_id"], ["comment.id"], name=op.f("fk_comment_parent_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_comment_person_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_comment_question_id")),
        sa.ForeignKeyConstraint(["resolved_by"], ["person.id"], name=op.f("fk_comment_resolved_by")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_comment_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comment")),
    )
    op.create_index("ix_comment_paper_id_id", "comment", ["paper_id", "id"], unique=False)
    op.create_index("ix_comment_parent_id", "comment", ["parent_id"], unique=False)
    op.create_index("ix_comment_person_id_id", "comment", ["person_id", "id"], unique=False)
    op.create_index("ix_comment_question_id_id", "comment", ["question_id", "id"], unique=False)
    op.create_index("ix_comment_topic_id_id", "comment", ["topic_id", "id"], unique=False)


def _make_meetings() -> None:
    op.create_table(
        "series",
        sa.Column("id", _number, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("every", _number, nullable=False),
        sa.Column("weekday", _number, nullable=False),
        sa.Column("at", _text, nullable=False),
        sa.Column("minutes", _number, nullable=False),
        sa.Column("time_zone", _text, nullable=False),
        sa.Column("starts_on", sa.Date(), nullable=True),
        sa.Column("place", _text, nullable=False),
        sa.Column("rota", sa.JSON(), nullable=False),
        sa.Column("version", _number, nullable=False),
        sa.Column("created_by", _number, nullable=True),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("ended_at", _moment, nullable=True),
        sa.CheckConstraint("every >= 0 AND every <= 12", name=op.f("ck_series_every")),
        sa.CheckConstraint("weekday >= 0 AND weekday <= 6", name=op.f("ck_series_weekday")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_series_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_series")),
    )

    op.create_table(
        "assignment",
        sa.Column("id", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("state", _text, nullable=False),
        sa.Column("depth", _text, nullable=False),
        sa.Column("due_on", sa.Date(), nullable=True),
        sa.Column("note", _text, nullable=False),
        sa.Column("reason", _text, nullable=False),
        sa.Column("open_key", _text, nullable=True),
        sa.Column("version", _number, nullable=False),
        sa.Column("created_by", _number, nullable=True),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("decided_at", _moment, nullable=True),
        sa.CheckConstraint("depth = '' OR depth IN ('skimmed', 'read', 'studied')", name=op.f("ck_assignment_depth")),
        sa.CheckConstraint(
            "state IN ('proposed', 'accepted', 'declined', 'withdrawn')", name=op.f("ck_assignment_state")
        ),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_assignment_created_by")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_assignment_paper_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_assignment_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_assignment")),
        sa.UniqueConstraint("open_key", name=op.f("uq_assignment_open_key")),
    )
    op.create_index("ix_assignment_created_by", "assignment", ["created_by"], unique=False)
    op.create_index("ix_assignment_paper_id", "assignment", ["paper_id"], unique=False)
    op.create_index(
        "ix_assignment_person_id_state_due_on", "assignment", ["person_id", "state", "due_on"], unique=False
    )
    op.create_index("ix_assignment_state_due_on_id", "assignment", ["state", "due_on", "id"], unique=False)

    op.create_table(
        "candidate",
        sa.Column("id", _number, nullable=False),
        sa.Column("series_id", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=False),
        sa.Column("state", _text, nullable=False),
        sa.Column("reason", _text, nullable=False),
        sa.Column("proposed_by", _number, nullable=True),
        sa.Column("proposed_at", _moment, nullable=False),
        sa.CheckConstraint("state IN ('open', 'chosen', 'withdrawn')", name=op.f("ck_candidate_state")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_candidate_paper_id")),
        sa.ForeignKeyConstraint(["proposed_by"], ["person.id"], name=op.f("fk_candidate_proposed_by")),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"], name=op.f("fk_candidate_series_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidate")),
        sa.UniqueConstraint("series_id", "paper_id", name=op.f("uq_candidate_series_id_paper_id")),
    )
    op.create_index("ix_candidate_paper_id", "candidate", ["paper_id"], unique=False)

    op.create_table(
        "meeting",
        sa.Column("id", _number, nullable=False),
        sa.Column("series_id", _number, nullable=True),
        sa.Column("title", _text, nullable=False),
        sa.Column("starts_at", _moment, nullable=False),
        sa.Column("minutes", _number, nullable=False),
        sa.Column("time_zone", _text, nullable=False),
        sa.Column("place", _text, nullable=False),
        sa.Column("state", _text, nullable=False),
        sa.Column("presenter_id", _number, nullable=True),
        sa.Column("notes", _text, nullable=False),
        sa.Column("decisions", _text, nullable=False),
        sa.Column("version", _number, nullable=False),
        sa.Column("sequence", _number, nullable=False),
        sa.Column("created_by", _number, nullable=True),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("updated_at", _moment, nullable=False),
        sa.CheckConstraint("state IN ('planned', 'held', 'cancelled')", name=op.f("ck_meeting_state")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_meeting_created_by")),
        sa.ForeignKeyConstraint(["presenter_id"], ["person.id"], name=op.f("fk_meeting_presenter_id")),
        sa.ForeignKeyConstraint(["series_id"], ["series.id"], name=op.f("fk_meeting_series_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_meeting")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_meeting_series_id", "meeting", ["series_id"], unique=False)
    op.create_index("ix_meeting_starts_at_id", "meeting", ["starts_at", "id"], unique=False)

    op.create_table(
        "agenda_item",
        sa.Column("id", _number, nullable=False),
        sa.Column("meeting_id", _number, nullable=False),
        sa.Column("place", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=True),
        sa.Column("question_id", _number, nullable=True),
        sa.Column("presenter_id", _number, nullable=True),
        sa.Column("minutes", _number, nullable=True),
        sa.Column("note", _text, nullable=False),
        sa.Column("state", _text, nullable=False),
        sa.Column("added_by", _number, nullable=True),
        sa.Column("added_at", _moment, nullable=False),
        sa.CheckConstraint("state IN ('planned', 'discussed', 'postponed')", name=op.f("ck_agenda_item_state")),
        sa.CheckConstraint("(paper_id IS NULL) <> (question_id IS NULL)", name=op.f("ck_agenda_item_subject")),
        sa.ForeignKeyConstraint(["added_by"], ["person.id"], name=op.f("fk_agenda_item_added_by")),
        sa.ForeignKeyConstraint(["meeting_id"], ["meeting.id"], name=op.f("fk_agenda_item_meeting_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_agenda_item_paper_id")),
        sa.ForeignKeyConstraint(["presenter_id"], ["person.id"], name=op.f("fk_agenda_item_presenter_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_agenda_item_question_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_agenda_item")),
        sa.UniqueConstraint("meeting_id", "paper_id", name=op.f("uq_agenda_item_meeting_id_paper_id")),
        sa.UniqueConstraint("meeting_id", "question_id", name=op.f("uq_agenda_item_meeting_id_question_id")),
    )
    op.create_index("ix_agenda_item_paper_id", "agenda_item", ["paper_id"], unique=False)
    op.create_index("ix_agenda_item_question_id", "agenda_item", ["question_id"], unique=False)

    op.create_table(
        "vote",
        sa.Column("candidate_id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("value", _number, nullable=False),
        sa.Column("at", _moment, nullable=False),
        sa.CheckConstraint("value >= -1 AND value <= 1", name=op.f("ck_vote_value")),
        sa.ForeignKeyConstraint(["candidate_id"], ["candidate.id"], name=op.f("fk_vote_candidate_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_vote_person_id")),
        sa.PrimaryKeyConstraint("candidate_id", "person_id", name=op.f("pk_vote")),
    )
    op.create_index("ix_vote_person_id", "vote", ["person_id"], unique=False)


def _make_notices() -> None:
    op.create_table(
        "notice",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("kind", _text, nullable=False),
        sa.Column("by_id", _number, nullable=True),
        sa.Column("count", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=True),
        sa.Column("comment_id", _number, nullable=True),
        sa.Column("question_id", _number, nullable=True),
        sa.Column("summary_id", _number, nullable=True),
        sa.Column("topic_id", _number, nullable=True),
        sa.Column("assignment_id", _number, nullable=True),
        sa.Column("meeting_id", _number, nullable=True),
        sa.Column("import_id", _number, nullable=True),
        sa.Column("job_id", _number, nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("open_key", _text, nullable=True),
        sa.Column("at", _moment, nullable=False),
        sa.Column("read_at", _moment, nullable=True),
        sa.Column("mail_due", sa.Boolean(), nullable=False),
        sa.CheckConstraint(
            "kind IN ('mention', 'reply', 'assignment', 'meeting', 'version', 'job')", name=op.f("ck_notice_kind")
        ),
        sa.ForeignKeyConstraint(["assignment_id"], ["assignment.id"], name=op.f("fk_notice_assignment_id")),
        sa.ForeignKeyConstraint(["by_id"], ["person.id"], name=op.f("fk_notice_by_id")),
        sa.ForeignKeyConstraint(["comment_id"], ["comment.id"], name=op.f("fk_notice_comment_id")),
        sa.ForeignKeyConstraint(["import_id"], ["note_revision.id"], name=op.f("fk_notice_import_id")),
        sa.ForeignKeyConstraint(["meeting_id"], ["meeting.id"], name=op.f("fk_notice_meeting_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_notice_paper_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_notice_person_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_notice_question_id")),
        sa.ForeignKeyConstraint(["summary_id"], ["summary.id"], name=op.f("fk_notice_summary_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_notice_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
        sa.UniqueConstraint("person_id", "open_key", name=op.f("uq_notice_person_id_open_key")),
    )
    op.create_index("ix_notice_comment_id", "notice", ["comment_id"], unique=False)
    op.create_index("ix_notice_paper_id", "notice", ["paper_id"], unique=False)
    op.create_index("ix_notice_person_id_read_at_id", "notice", ["person_id", "read_at", "id"], unique=False)


def _add_columns() -> None:
    """With defaults, for what is there already."""
    for name in ("before", "after"):
        op.add_column("event", sa.Column(name, sa.JSON(), nullable=True))
    for table, name in (("event", "address"), ("invitation", "email"), ("sign_in", "address"), ("token", "used_from")):
        op.add_column(table, sa.Column(name, _text, **_BLANK))
    for name in ("language", "time_zone", "totp_salt"):
        op.add_column("person", sa.Column(name, _text, **_BLANK))
    op.add_column("person", sa.Column("notices", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("person", sa.Column("recovery", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("person", sa.Column("totp_step", _number, **_ZERO))
    op.add_column("person", sa.Column("mailed_on", sa.Date(), nullable=True))
    op.add_column("person", sa.Column("erased_at", _moment, nullable=True))
    words = "recommendation = '' OR recommendation IN ('must_read', 'worth_it', 'optional', 'skip')"
    known = sa.CheckConstraint(words, name=op.f("ck_reading_recommendation"))
    op.add_column("reading", sa.Column("recommendation", _text, known, **_BLANK))
    within = sa.CheckConstraint("priority >= -1 AND priority <= 1", name=op.f("ck_reading_priority"))
    op.add_column("reading", sa.Column("priority", _number, within, **_ZERO))
    op.add_column("reading", sa.Column("place", _number, nullable=True))
    op.add_column("reading_event", sa.Column("batch", _number, nullable=True))


def _add_to_questions() -> None:
    for name, table in (("paper_id", "paper"), ("topic_id", "topic"), ("owner_id", "person"), ("closed_by", "person")):
        leads = sa.ForeignKey(f"{table}.id", name=op.f(f"fk_question_{name}"))
        op.add_column("question", sa.Column(name, _number, leads, nullable=True), inline_references=True)
    op.add_column("question", sa.Column("answer_id", _number, nullable=True))
    op.add_column("question", sa.Column("version", _number, nullable=False, server_default="1"))
    op.add_column("question", sa.Column("updated_at", _moment, nullable=False, server_default="2000-01-01 00:00:00"))
    op.add_column("question", sa.Column("closed_at", _moment, nullable=True))
    op.execute("UPDATE question SET updated_at = created_at")
    for name in ("owner_id", "paper_id", "topic_id"):
        op.create_index(f"ix_question_{name}", "question", [name], unique=False)
    op.create_index("ix_question_state_id", "question", ["state", "id"], unique=False)


def _file_questions() -> None:
    """A question from notes belongs to the innermost topic under which it stood."""
    connection = op.get_bind()
    asked = sa.select(_entry.c.question_id, _entry.c.topics).where(_entry.c.question_id.is_not(None))
    for row in connection.execute(asked).all():
        name = row.topics[-1] if row.topics else ""
        topic_id = connection.scalar(sa.select(_alias.c.topic_id).where(_alias.c.alias == name))
        connection.execute(sa.update(_question).where(_question.c.id == row.question_id).values(topic_id=topic_id))


def downgrade() -> None:
    op.drop_index("ix_event_person_id_at", "event")
    op.drop_index("ix_reading_person_id_current_status_updated_at_id", "reading")
    op.drop_index("ix_event_at_id", "event")
    for name in _DROPPED:
        op.drop_table(name)
    for name in ("ix_question_state_id", "ix_question_owner_id", "ix_question_paper_id", "ix_question_topic_id"):
        op.drop_index(name, "question")
    with op.batch_alter_table("reading", **_ALONE) as batch:
        for name in ("recommendation", "priority"):
            batch.drop_constraint(op.f(f"ck_reading_{name}"), type_="check")
    for table, columns in {**_ADDED, "question": _QUESTION}.items():
        with op.batch_alter_table(table, **_ALONE) as batch:
            for column in columns:
                batch.drop_column(column)
