"""The first tables."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "attempt",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_attempt")),
    )
    op.create_index("ix_attempt_subject_at", "attempt", ["subject", "at"], unique=False)
    op.create_table(
        "pace",
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("next_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("holder", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("host", name=op.f("pk_pace")),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("email", sa.String(), nullable=False),
        sa.Column("email_key", sa.String(), nullable=True),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("password_hash", sa.String(), nullable=False),
        sa.Column("theme", sa.String(), nullable=False),
        sa.Column("single_keys", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("disabled_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("role IN ('viewer', 'member', 'editor', 'admin')", name=op.f("ck_person_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_person")),
        sa.UniqueConstraint("email_key", name=op.f("uq_person_email_key")),
        sa.UniqueConstraint("name_key", name=op.f("uq_person_name_key")),
    )
    op.create_table(
        "idempotency",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("method", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("body_hash", sa.String(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("headers", sa.JSON(), nullable=False),
        sa.Column("body", sa.String(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_idempotency_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_idempotency")),
        sa.UniqueConstraint(
            "person_id", "key", "method", "path", name=op.f("uq_idempotency_person_id_key_method_path")
        ),
    )
    op.create_index(op.f("ix_idempotency_until"), "idempotency", ["until"], unique=False)
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("code_hash", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('set-up', 'join')", name=op.f("ck_invitation_kind")),
        sa.CheckConstraint("role IN ('viewer', 'member', 'editor', 'admin')", name=op.f("ck_invitation_role")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_invitation_created_by")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_invitation_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("code_hash", name=op.f("uq_invitation_code_hash")),
    )
    op.create_table(
        "job",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("payload", sa.JSON(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("priority", sa.Integer(), nullable=False),
        sa.Column("run_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("fence", sa.String(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("total", sa.Integer(), nullable=True),
        sa.Column("dedup", sa.String(), nullable=True),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('queued', 'running', 'done', 'failed')", name=op.f("ck_job_state")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_job_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job")),
        sa.UniqueConstraint("dedup", name=op.f("uq_job_dedup")),
    )
    op.create_index("ix_job_state_priority_run_at_id", "job", ["state", "priority", "run_at", "id"], unique=False)
    op.create_table(
        "note",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("title_key", sa.String(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_note_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note")),
    )
    op.create_index(op.f("ix_note_title_key"), "note", ["title_key"], unique=False)
    op.create_table(
        "paper",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("title_key", sa.String(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("published_on", sa.Date(), nullable=True),
        sa.Column("venue", sa.String(), nullable=False),
        sa.Column("abstract", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("triage", sa.String(), nullable=False),
        sa.Column("record_id", sa.Integer(), nullable=True),
        sa.Column("locked", sa.JSON(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_by", sa.Integer(), nullable=True),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("merged_into", sa.Integer(), nullable=True),
        sa.CheckConstraint(
            "kind IN ('paper', 'article', 'video', 'slides', 'code', 'course', 'documentation', 'page')",
            name=op.f("ck_paper_kind"),
        ),
        sa.CheckConstraint("triage IN ('inbox', 'library', 'rejected')", name=op.f("ck_paper_triage")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_paper_created_by")),
        sa.ForeignKeyConstraint(["merged_into"], ["paper.id"], name=op.f("fk_paper_merged_into")),
        sa.ForeignKeyConstraint(["updated_by"], ["person.id"], name=op.f("fk_paper_updated_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper")),
    )
    op.create_index("ix_paper_kind_id", "paper", ["kind", "id"], unique=False)
    op.create_index("ix_paper_title_key_id", "paper", ["title_key", "id"], unique=False)
    op.create_index("ix_paper_updated_at_id", "paper", ["updated_at", "id"], unique=False)
    op.create_index("ix_paper_year_order_id", "paper", [sa.literal_column("coalesce(year, 0)"), "id"], unique=False)
    op.create_table(
        "question",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('open', 'answered', 'dropped')", name=op.f("ck_question_state")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_question_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_question")),
    )
    op.create_table(
        "sign_in",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("agent", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_sign_in_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sign_in")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_sign_in_secret_hash")),
    )
    op.create_index(op.f("ix_sign_in_person_id"), "sign_in", ["person_id"], unique=False)
    op.create_table(
        "token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("secret_hash", sa.String(), nullable=False),
        sa.Column("hint", sa.String(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_token_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_token_secret_hash")),
    )
    op.create_index(op.f("ix_token_person_id"), "token", ["person_id"], unique=False)
    op.create_table(
        "topic",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("slug", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("parent_id", sa.Integer(), nullable=True),
        sa.Column("markdown", sa.String(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_topic_created_by")),
        sa.ForeignKeyConstraint(["parent_id"], ["topic.id"], name=op.f("fk_topic_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic")),
        sa.UniqueConstraint("slug", name=op.f("uq_topic_slug")),
    )
    op.create_index(op.f("ix_topic_parent_id"), "topic", ["parent_id"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("token_id", sa.Integer(), nullable=True),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("data", sa.JSON(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_event_paper_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_event_person_id")),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_event_token_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_event")),
    )
    op.create_index(op.f("ix_event_paper_id"), "event", ["paper_id"], unique=False)
    op.create_index(op.f("ix_event_person_id"), "event", ["person_id"], unique=False)
    op.create_table(
        "identifier",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("scheme", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("fetch_state", sa.String(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", sa.String(), nullable=False),
        sa.CheckConstraint(
            "fetch_state IN ('none', 'waiting', 'fetched', 'unknown', 'refused')",
            name=op.f("ck_identifier_fetch_state"),
        ),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_identifier_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identifier")),
        sa.UniqueConstraint("scheme", "value", name=op.f("uq_identifier_scheme_value")),
    )
    op.create_index("ix_identifier_fetch_state_scheme_id", "identifier", ["fetch_state", "scheme", "id"], unique=False)
    op.create_index(op.f("ix_identifier_paper_id"), "identifier", ["paper_id"], unique=False)
    op.create_table(
        "lead",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('open', 'found', 'dropped')", name=op.f("ck_lead_state")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_lead_created_by")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_lead_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lead")),
    )
    op.create_table(
        "link",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("url", sa.String(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.CheckConstraint(
            "role IN ('landing', 'pdf', 'html', 'video', 'slides', 'code', 'commentary')", name=op.f("ck_link_role")
        ),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_link_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_link")),
    )
    op.create_index(op.f("ix_link_paper_id"), "link", ["paper_id"], unique=False)
    op.create_table(
        "note_revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("note_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("sha256", sa.String(), nullable=False),
        sa.Column("line_count", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("job_id", sa.Integer(), nullable=True),
        sa.Column("defaults", sa.JSON(), nullable=False),
        sa.Column("created_by", sa.Integer(), nullable=True),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("committed_by", sa.Integer(), nullable=True),
        sa.Column("committed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('preview', 'committing', 'committed')", name=op.f("ck_note_revision_state")),
        sa.ForeignKeyConstraint(["committed_by"], ["person.id"], name=op.f("fk_note_revision_committed_by")),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_note_revision_created_by")),
        sa.ForeignKeyConstraint(["note_id"], ["note.id"], name=op.f("fk_note_revision_note_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_note_revision")),
        sa.UniqueConstraint("note_id", "number", name=op.f("uq_note_revision_note_id_number")),
        sa.UniqueConstraint("sha256", name=op.f("uq_note_revision_sha256")),
    )
    op.create_index(op.f("ix_note_revision_note_id"), "note_revision", ["note_id"], unique=False)
    op.create_table(
        "paper_topic",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("topic_id", sa.Integer(), nullable=False),
        sa.Column("added_by", sa.Integer(), nullable=True),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["added_by"], ["person.id"], name=op.f("fk_paper_topic_added_by")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_paper_topic_paper_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_paper_topic_topic_id")),
        sa.PrimaryKeyConstraint("paper_id", "topic_id", name=op.f("pk_paper_topic")),
    )
    op.create_index(op.f("ix_paper_topic_topic_id"), "paper_topic", ["topic_id"], unique=False)
    op.create_table(
        "reading",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("pass", sa.Integer(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("depth", sa.String(), nullable=False),
        sa.Column("progress_unit", sa.String(), nullable=False),
        sa.Column("progress_at", sa.Integer(), nullable=True),
        sa.Column("progress_of", sa.Integer(), nullable=True),
        sa.Column("started_on", sa.Date(), nullable=True),
        sa.Column("finished_on", sa.Date(), nullable=True),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("depth = '' OR depth IN ('skimmed', 'read', 'studied')", name=op.f("ck_reading_depth")),
        sa.CheckConstraint(
            "status IN ('to_read', 'reading', 'paused', 'read', 'dropped')", name=op.f("ck_reading_status")
        ),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_reading_paper_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_reading_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading")),
        sa.UniqueConstraint("person_id", "paper_id", "pass", name=op.f("uq_reading_person_id_paper_id_pass")),
    )
    op.create_index(op.f("ix_reading_paper_id"), "reading", ["paper_id"], unique=False)
    op.create_index(
        "ix_reading_person_id_current_status_paper_id",
        "reading",
        ["person_id", "current", "status", "paper_id"],
        unique=False,
    )
    op.create_table(
        "reading_event",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("pass_number", sa.Integer(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("verb", sa.String(), nullable=False),
        sa.Column("from_status", sa.String(), nullable=True),
        sa.Column("to_status", sa.String(), nullable=True),
        sa.Column("before", sa.JSON(), nullable=True),
        sa.Column("after", sa.JSON(), nullable=True),
        sa.Column("token_id", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_reading_event_paper_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_reading_event_person_id")),
        sa.ForeignKeyConstraint(["token_id"], ["token.id"], name=op.f("fk_reading_event_token_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reading_event")),
    )
    op.create_index(op.f("ix_reading_event_paper_id"), "reading_event", ["paper_id"], unique=False)
    op.create_index(
        "ix_reading_event_person_id_paper_id_id", "reading_event", ["person_id", "paper_id", "id"], unique=False
    )
    op.create_table(
        "record",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("scheme", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("published_on", sa.Date(), nullable=True),
        sa.Column("venue", sa.String(), nullable=False),
        sa.Column("abstract", sa.String(), nullable=False),
        sa.Column("language", sa.String(), nullable=False),
        sa.Column("remark", sa.String(), nullable=False),
        sa.Column("raw", sa.String(), nullable=False),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint("state IN ('applied', 'disagrees', 'superseded')", name=op.f("ck_record_state")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_record_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_record")),
    )
    op.create_index(op.f("ix_record_paper_id"), "record", ["paper_id"], unique=False)
    op.create_table(
        "summary",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("tldr", sa.String(), nullable=False),
        sa.Column("markdown", sa.String(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_summary_paper_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_summary_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary")),
        sa.UniqueConstraint("person_id", "paper_id", name=op.f("uq_summary_person_id_paper_id")),
    )
    op.create_index(op.f("ix_summary_paper_id"), "summary", ["paper_id"], unique=False)
    op.create_table(
        "topic_alias",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("topic_id", sa.Integer(), nullable=False),
        sa.Column("alias", sa.String(), nullable=False),
        sa.Column("alias_key", sa.String(), nullable=False),
        sa.Column("own", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_topic_alias_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_alias")),
        sa.UniqueConstraint("alias_key", name=op.f("uq_topic_alias_alias_key")),
    )
    op.create_index(op.f("ix_topic_alias_topic_id"), "topic_alias", ["topic_id"], unique=False)
    op.create_table(
        "version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("dated", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_version_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("paper_id", "label", name=op.f("uq_version_paper_id_label")),
    )
    op.create_index(op.f("ix_version_paper_id"), "version", ["paper_id"], unique=False)
    op.create_table(
        "entry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("revision_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("first_line", sa.Integer(), nullable=False),
        sa.Column("last_line", sa.Integer(), nullable=False),
        sa.Column("part", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("paper_kind", sa.String(), nullable=False),
        sa.Column("identifiers", sa.JSON(), nullable=False),
        sa.Column("links", sa.JSON(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("topics", sa.JSON(), nullable=False),
        sa.Column("venue", sa.String(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("status", sa.String(), nullable=True),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("raw", sa.String(), nullable=False),
        sa.Column("decision", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("proposed", sa.JSON(), nullable=True),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("topic_id", sa.Integer(), nullable=True),
        sa.Column("question_id", sa.Integer(), nullable=True),
        sa.Column("lead_id", sa.Integer(), nullable=True),
        sa.Column("done_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("decision IN ('add', 'known', 'review', 'skip')", name=op.f("ck_entry_decision")),
        sa.CheckConstraint(
            "kind IN ('paper', 'mention', 'topic', 'question', 'lead', 'snippet', 'table', 'junk', 'blank')",
            name=op.f("ck_entry_kind"),
        ),
        sa.ForeignKeyConstraint(["lead_id"], ["lead.id"], name=op.f("fk_entry_lead_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_entry_paper_id")),
        sa.ForeignKeyConstraint(["question_id"], ["question.id"], name=op.f("fk_entry_question_id")),
        sa.ForeignKeyConstraint(["revision_id"], ["note_revision.id"], name=op.f("fk_entry_revision_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_entry_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entry")),
        sa.UniqueConstraint("revision_id", "position", name=op.f("uq_entry_revision_id_position")),
    )
    op.create_index(op.f("ix_entry_fingerprint"), "entry", ["fingerprint"], unique=False)
    op.create_index(op.f("ix_entry_paper_id"), "entry", ["paper_id"], unique=False)
    op.create_table(
        "summary_version",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("summary_id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("tldr", sa.String(), nullable=False),
        sa.Column("markdown", sa.String(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("saved_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["summary_id"], ["summary.id"], name=op.f("fk_summary_version_summary_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_summary_version")),
        sa.UniqueConstraint("summary_id", "number", name=op.f("uq_summary_version_summary_id_number")),
    )
    op.create_index(op.f("ix_summary_version_summary_id"), "summary_version", ["summary_id"], unique=False)


def downgrade() -> None:
    op.drop_index(op.f("ix_summary_version_summary_id"), table_name="summary_version")
    op.drop_table("summary_version")
    op.drop_index(op.f("ix_entry_paper_id"), table_name="entry")
    op.drop_index(op.f("ix_entry_fingerprint"), table_name="entry")
    op.drop_table("entry")
    op.drop_index(op.f("ix_version_paper_id"), table_name="version")
    op.drop_table("version")
    op.drop_index(op.f("ix_topic_alias_topic_id"), table_name="topic_alias")
    op.drop_table("topic_alias")
    op.drop_index(op.f("ix_summary_paper_id"), table_name="summary")
    op.drop_table("summary")
    op.drop_index(op.f("ix_record_paper_id"), table_name="record")
    op.drop_table("record")
    op.drop_index("ix_reading_event_person_id_paper_id_id", table_name="reading_event")
    op.drop_index(op.f("ix_reading_event_paper_id"), table_name="reading_event")
    op.drop_table("reading_event")
    op.drop_index("ix_reading_person_id_current_status_paper_id", table_name="reading")
    op.drop_index(op.f("ix_reading_paper_id"), table_name="reading")
    op.drop_table("reading")
    op.drop_index(op.f("ix_paper_topic_topic_id"), table_name="paper_topic")
    op.drop_table("paper_topic")
    op.drop_index(op.f("ix_note_revision_note_id"), table_name="note_revision")
    op.drop_table("note_revision")
    op.drop_index(op.f("ix_link_paper_id"), table_name="link")
    op.drop_table("link")
    op.drop_table("lead")
    op.drop_index(op.f("ix_identifier_paper_id"), table_name="identifier")
    op.drop_index("ix_identifier_fetch_state_scheme_id", table_name="identifier")
    op.drop_table("identifier")
    op.drop_index(op.f("ix_event_person_id"), table_name="event")
    op.drop_index(op.f("ix_event_paper_id"), table_name="event")
    op.drop_table("event")
    op.drop_index(op.f("ix_topic_parent_id"), table_name="topic")
    op.drop_table("topic")
    op.drop_index(op.f("ix_token_person_id"), table_name="token")
    op.drop_table("token")
    op.drop_index(op.f("ix_sign_in_person_id"), table_name="sign_in")
    op.drop_table("sign_in")
    op.drop_table("question")
    op.drop_index("ix_paper_year_order_id", table_name="paper")
    op.drop_index("ix_paper_updated_at_id", table_name="paper")
    op.drop_index("ix_paper_title_key_id", table_name="paper")
    op.drop_index("ix_paper_kind_id", table_name="paper")
    op.drop_table("paper")
    op.drop_index(op.f("ix_note_title_key"), table_name="note")
    op.drop_table("note")
    op.drop_index("ix_job_state_priority_run_at_id", table_name="job")
    op.drop_table("job")
    op.drop_table("invitation")
    op.drop_index(op.f("ix_idempotency_until"), table_name="idempotency")
    op.drop_table("idempotency")
    op.drop_table("person")
    op.drop_table("pace")
    op.drop_index("ix_attempt_subject_at", table_name="attempt")
    op.drop_table("attempt")
