"""What the team knows of its reading: versions of topics, comparisons, citations, what texts name, drafts, images."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_text, _number, _moment = sa.String(), sa.Integer(), sa.DateTime(timezone=True)


def upgrade() -> None:
    _make_texts()
    _make_knowledge()
    _make_nearness()
    op.add_column("paper_topic", sa.Column("place", _number, nullable=True))
    op.drop_index("ix_paper_topic_topic_id", "paper_topic")
    op.create_index("ix_paper_topic_topic_id_paper_id", "paper_topic", ["topic_id", "paper_id"], unique=False)
    _begin_versions()
    _file_leads()


def _begin_versions() -> None:
    """What a topic says now is the first of its versions that is kept."""
    names = sa.table("topic_alias", *map(sa.column, ("id", "topic_id", "alias", "own")))
    aliases: dict[int, list[str]] = {}
    for topic_id, alias in op.get_bind().execute(
        sa.select(names.c.topic_id, names.c.alias).where(sa.not_(names.c.own)).order_by(names.c.id)
    ):
        aliases.setdefault(topic_id, []).append(alias)
    topics = sa.table("topic", *map(sa.column, ("id", "version", "name", "markdown", "parent_id", "updated_at")))
    now = [
        {
            "topic_id": row.id,
            "number": row.version,
            "name": row.name,
            "aliases": aliases.get(row.id, []),
            "markdown": row.markdown,
            "parent_id": row.parent_id,
            "saved_at": row.updated_at,
        }
        for row in op.get_bind().execute(sa.select(*topics.c))
    ]
    versions = sa.table(
        "topic_version",
        *map(sa.column, ("topic_id", "number", "name")),
        sa.column("aliases", sa.JSON()),
        *map(sa.column, ("markdown", "parent_id", "saved_at")),
    )
    if now:
        op.bulk_insert(versions, now)


def _file_leads() -> None:
    """Each lead lies under the topic that the innermost heading above its line became."""
    op.execute("ALTER TABLE lead ADD COLUMN topic_id INTEGER CONSTRAINT fk_lead_topic_id REFERENCES topic (id)")
    op.create_index("ix_lead_topic_id", "lead", ["topic_id"], unique=False)
    op.create_index("ix_entry_lead_id", "entry", ["lead_id"], unique=False)
    columns = (sa.column("topics", sa.JSON()), *map(sa.column, ("revision_id", "title", "lead_id", "topic_id")))
    entries, leads = sa.table("entry", *columns), sa.table("lead", *map(sa.column, ("id", "topic_id")))
    connection, of = op.get_bind(), entries.c
    named = sa.select(of.revision_id, of.title, of.topic_id).where(of.topic_id.is_not(None))
    topics = {(row.revision_id, row.title): row.topic_id for row in connection.execute(named)}
    noted = sa.select(of.lead_id, of.revision_id, of.topics).where(of.lead_id.is_not(None))
    for row in connection.execute(noted).all():
        above = (topics.get((row.revision_id, name)) for name in reversed(row.topics))
        topic_id = next((one for one in above if one is not None), None)
        if topic_id is not None:
            connection.execute(sa.update(leads).where(leads.c.id == row.lead_id).values(topic_id=topic_id))


def _make_texts() -> None:
    op.create_table(
        "draft",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("subject", _text, nullable=False),
        sa.Column("subject_id", _number, nullable=False),
        sa.Column("tab", _text, nullable=False),
        sa.Column("number", _number, nullable=False),
        sa.Column("version", _number, nullable=True),
        sa.Column("fields", sa.JSON(), nullable=False),
        sa.Column("saved_at", _moment, nullable=False),
        sa.CheckConstraint("subject IN ('summary', 'topic')", name=op.f("ck_draft_subject")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_draft_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_draft")),
        sa.UniqueConstraint("person_id", "tab", name=op.f("uq_draft_person_id_tab")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_draft_subject_subject_id", "draft", ["subject", "subject_id"], unique=False)

    op.create_table(
        "image",
        sa.Column("id", _number, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("sha256", _text, nullable=False),
        sa.Column("media_type", _text, nullable=False),
        sa.Column("width", _number, nullable=False),
        sa.Column("height", _number, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_image_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_image")),
        sa.UniqueConstraint("name", name=op.f("uq_image_name")),
        sa.UniqueConstraint("person_id", "sha256", name=op.f("uq_image_person_id_sha256")),
    )

    op.create_table(
        "text_template",
        sa.Column("id", _number, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("name_key", _text, nullable=False),
        sa.Column("markdown", _text, nullable=False),
        sa.Column("version", _number, nullable=False),
        sa.Column("created_by", _number, nullable=True),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("updated_at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_text_template_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_template")),
        sa.UniqueConstraint("name_key", name=op.f("uq_text_template_name_key")),
        sqlite_autoincrement=True,
    )

    op.create_table(
        "macro",
        sa.Column("id", _number, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("body", _text, nullable=False),
        sa.Column("created_by", _number, nullable=True),
        sa.Column("created_at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_macro_created_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_macro")),
        sa.UniqueConstraint("name", name=op.f("uq_macro_name")),
    )

    op.create_table(
        "text_reference",
        sa.Column("id", _number, nullable=False),
        sa.Column("subject", _text, nullable=False),
        sa.Column("subject_id", _number, nullable=False),
        sa.Column("key", _text, nullable=False),
        sa.Column("paper_id", _number, nullable=True),
        sa.Column("topic_id", _number, nullable=True),
        sa.CheckConstraint("subject IN ('summary', 'topic', 'comment')", name=op.f("ck_text_reference_subject")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_text_reference_paper_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_text_reference_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_text_reference")),
        sa.UniqueConstraint("subject", "subject_id", "key", name=op.f("uq_text_reference_subject_subject_id_key")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_text_reference_key", "text_reference", ["key"], unique=False)
    op.create_index("ix_text_reference_paper_id", "text_reference", ["paper_id"], unique=False)
    op.create_index("ix_text_reference_topic_id", "text_reference", ["topic_id"], unique=False)

    op.create_table(
        "topic_version",
        sa.Column("id", _number, nullable=False),
        sa.Column("topic_id", _number, nullable=False),
        sa.Column("number", _number, nullable=False),
        sa.Column("name", _text, nullable=False),
        sa.Column("aliases", sa.JSON(), nullable=False),
        sa.Column("markdown", _text, nullable=False),
        sa.Column("parent_id", _number, nullable=True),
        sa.Column("saved_by", _number, nullable=True),
        sa.Column("saved_at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["saved_by"], ["person.id"], name=op.f("fk_topic_version_saved_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_version")),
        sa.UniqueConstraint("topic_id", "number", name=op.f("uq_topic_version_topic_id_number")),
    )

    op.create_table(
        "machine_use",
        sa.Column("id", _number, nullable=False),
        sa.Column("person_id", _number, nullable=False),
        sa.Column("purpose", _text, nullable=False),
        sa.Column("tokens", _number, nullable=False),
        sa.Column("at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_machine_use_person_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_machine_use")),
    )
    op.create_index("ix_machine_use_at", "machine_use", ["at"], unique=False)
    op.create_index("ix_machine_use_person_id", "machine_use", ["person_id"], unique=False)


def _make_knowledge() -> None:
    op.create_table(
        "topic_link",
        sa.Column("id", _number, nullable=False),
        sa.Column("topic_id", _number, nullable=False),
        sa.Column("kind", _text, nullable=False),
        sa.Column("url", _text, nullable=False),
        sa.Column("title", _text, nullable=False),
        sa.Column("note", _text, nullable=False),
        sa.Column("added_by", _number, nullable=True),
        sa.Column("added_at", _moment, nullable=False),
        sa.CheckConstraint(
            "kind IN ('article', 'repository', 'tool', 'video', 'documentation', 'other')",
            name=op.f("ck_topic_link_kind"),
        ),
        sa.ForeignKeyConstraint(["added_by"], ["person.id"], name=op.f("fk_topic_link_added_by")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_topic_link_topic_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_topic_link")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_topic_link_topic_id", "topic_link", ["topic_id"], unique=False)

    op.create_table(
        "comparison",
        sa.Column("id", _number, nullable=False),
        sa.Column("topic_id", _number, nullable=True),
        sa.Column("title", _text, nullable=False),
        sa.Column("columns", sa.JSON(), nullable=False),
        sa.Column("scale", sa.JSON(), nullable=False),
        sa.Column("entry_id", _number, nullable=True),
        sa.Column("version", _number, nullable=False),
        sa.Column("created_by", _number, nullable=True),
        sa.Column("created_at", _moment, nullable=False),
        sa.Column("updated_by", _number, nullable=True),
        sa.Column("updated_at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["created_by"], ["person.id"], name=op.f("fk_comparison_created_by")),
        sa.ForeignKeyConstraint(["entry_id"], ["entry.id"], name=op.f("fk_comparison_entry_id")),
        sa.ForeignKeyConstraint(["topic_id"], ["topic.id"], name=op.f("fk_comparison_topic_id")),
        sa.ForeignKeyConstraint(["updated_by"], ["person.id"], name=op.f("fk_comparison_updated_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison")),
        sa.UniqueConstraint("entry_id", name=op.f("uq_comparison_entry_id")),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_comparison_topic_id", "comparison", ["topic_id"], unique=False)

    op.create_table(
        "comparison_row",
        sa.Column("id", _number, nullable=False),
        sa.Column("comparison_id", _number, nullable=False),
        sa.Column("place", _number, nullable=False),
        sa.Column("cells", sa.JSON(), nullable=False),
        sa.Column("paper_id", _number, nullable=True),
        sa.ForeignKeyConstraint(["comparison_id"], ["comparison.id"], name=op.f("fk_comparison_row_comparison_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_comparison_row_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_comparison_row")),
    )
    op.create_index("ix_comparison_row_comparison_id", "comparison_row", ["comparison_id"], unique=False)
    op.create_index("ix_comparison_row_paper_id", "comparison_row", ["paper_id"], unique=False)

    op.create_table(
        "cited_work",
        sa.Column("id", _number, nullable=False),
        sa.Column("scheme", _text, nullable=False),
        sa.Column("value", _text, nullable=False),
        sa.Column("title", _text, nullable=False),
        sa.Column("year", _number, nullable=True),
        sa.Column("papers", _number, nullable=False),
        sa.Column("refused_by", _number, nullable=True),
        sa.Column("refused_at", _moment, nullable=True),
        sa.ForeignKeyConstraint(["refused_by"], ["person.id"], name=op.f("fk_cited_work_refused_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_cited_work")),
        sa.UniqueConstraint("scheme", "value", name=op.f("uq_cited_work_scheme_value")),
    )
    op.create_index("ix_cited_work_papers_id", "cited_work", ["papers", "id"], unique=False)

    op.create_table(
        "citation",
        sa.Column("id", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=False),
        sa.Column("service", _text, nullable=False),
        sa.Column("key", _text, nullable=False),
        sa.Column("place", _number, nullable=False),
        sa.Column("work_id", _number, nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_citation_paper_id")),
        sa.ForeignKeyConstraint(["work_id"], ["cited_work.id"], name=op.f("fk_citation_work_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_citation")),
        sa.UniqueConstraint(
            "paper_id",
            "service",
            "key",
            "place",
            "work_id",
            name=op.f("uq_citation_paper_id_service_key_place_work_id"),
        ),
    )
    op.create_index("ix_citation_work_id_paper_id", "citation", ["work_id", "paper_id"], unique=False)

    op.create_table(
        "refused_relation",
        sa.Column("id", _number, nullable=False),
        sa.Column("from_id", _number, nullable=False),
        sa.Column("to_id", _number, nullable=False),
        sa.Column("kind", _text, nullable=False),
        sa.Column("refused_by", _number, nullable=True),
        sa.Column("refused_at", _moment, nullable=False),
        sa.CheckConstraint(
            "kind IN ('cites', 'extends', 'compares', 'contradicts', 'implements', 'discusses', 'presents')",
            name=op.f("ck_refused_relation_kind"),
        ),
        sa.ForeignKeyConstraint(["from_id"], ["paper.id"], name=op.f("fk_refused_relation_from_id")),
        sa.ForeignKeyConstraint(["refused_by"], ["person.id"], name=op.f("fk_refused_relation_refused_by")),
        sa.ForeignKeyConstraint(["to_id"], ["paper.id"], name=op.f("fk_refused_relation_to_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_refused_relation")),
        sa.UniqueConstraint("from_id", "to_id", "kind", name=op.f("uq_refused_relation_from_id_to_id_kind")),
    )
    op.create_index("ix_refused_relation_to_id", "refused_relation", ["to_id"], unique=False)


def _make_nearness() -> None:
    op.create_table(
        "layout",
        sa.Column("subject", _text, nullable=False),
        sa.Column("fingerprint", _text, nullable=False),
        sa.Column("places", sa.JSON(), nullable=False),
        sa.Column("made_at", _moment, nullable=False),
        sa.PrimaryKeyConstraint("subject", name=op.f("pk_layout")),
    )

    op.create_table(
        "paper_vector",
        sa.Column("id", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=False),
        sa.Column("encoder", _text, nullable=False),
        sa.Column("vector", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", _moment, nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_paper_vector_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_paper_vector")),
        sa.UniqueConstraint("paper_id", name=op.f("uq_paper_vector_paper_id")),
    )
    op.create_index("ix_paper_vector_made_at", "paper_vector", ["made_at"], unique=False)

    op.create_table(
        "gloss",
        sa.Column("id", _number, nullable=False),
        sa.Column("paper_id", _number, nullable=False),
        sa.Column("language", _text, nullable=False),
        sa.Column("title", _text, nullable=False),
        sa.Column("machine", sa.Boolean(), nullable=False),
        sa.Column("added_by", _number, nullable=True),
        sa.Column("added_at", _moment, nullable=False),
        sa.CheckConstraint("language IN ('en', 'ja', 'zh-Hans')", name=op.f("ck_gloss_language")),
        sa.ForeignKeyConstraint(["added_by"], ["person.id"], name=op.f("fk_gloss_added_by")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_gloss_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_gloss")),
        sa.UniqueConstraint("paper_id", "language", name=op.f("uq_gloss_paper_id_language")),
    )


def downgrade() -> None:
    op.drop_index("ix_entry_lead_id", "entry")
    op.drop_index("ix_lead_topic_id", "lead")
    with op.batch_alter_table("lead") as lead:
        lead.drop_column("topic_id")
    op.drop_index("ix_paper_topic_topic_id_paper_id", "paper_topic")
    op.create_index("ix_paper_topic_topic_id", "paper_topic", ["topic_id"], unique=False)
    with op.batch_alter_table("paper_topic") as filed:
        filed.drop_column("place")
    for table in (
        "gloss",
        "paper_vector",
        "layout",
        "refused_relation",
        "citation",
        "cited_work",
        "comparison_row",
        "comparison",
        "topic_link",
        "machine_use",
        "topic_version",
        "text_reference",
        "macro",
        "text_template",
        "image",
        "draft",
    ):
        op.drop_table(table)
