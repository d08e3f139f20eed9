"""Many services are asked about one paper: inquiries, records with their stage, and what people decide about them."""

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLES = ("closed_host", "duplicate", "inquiry", "lookup", "merge", "relation", "proposal")
_STATES = {"waiting": "waiting", "fetched": "answered", "unknown": "unknown", "refused": "refused"}
_ALONE: dict[str, Any] = {"reflect_kwargs": {"resolve_fks": False}}  # paper has an index that cannot be read back
_TOGETHER = ("title", "authors", "year", "published_on", "venue")
_text, _number, _moment = sa.String(), sa.Integer(), sa.DateTime(timezone=True)
_identifier = sa.table(
    "identifier",
    *(sa.column(name) for name in ("id", "paper_id", "scheme", "value", "fetch_state", "problem")),
    sa.column("asked_at", _moment),
)
_inquiry = sa.table(
    "inquiry",
    *(sa.column(name) for name in ("paper_id", "service", "key", "state", "tries", "problem")),
    sa.column("asked_at", _moment),
    sa.column("validators", sa.JSON()),
)
_record = sa.table(
    "record",
    *(sa.column(name) for name in ("id", "paper_id", "scheme", "value", "state", "stage", "service", "key", "problem")),
    sa.column("abstract"),
    sa.column("fetched_at", _moment),
    sa.column("checked_at", _moment),
)
_paper = sa.table(
    "paper",
    *(sa.column(name) for name in ("id", "title", "year", "venue", "abstract", "record_id", "published_on")),
    *(sa.column(name, sa.JSON()) for name in ("authors", "origins", "named", "locked")),
)
_job = sa.table("job", sa.column("id"), sa.column("kind"), sa.column("payload", sa.JSON()))


def upgrade() -> None:
    _make_tables()
    _add_columns()
    _ask_as_before()
    _keep_records()
    with op.batch_alter_table("identifier", **_ALONE) as table:
        table.drop_index("ix_identifier_fetch_state_scheme_id")
        table.drop_constraint(op.f("ck_identifier_fetch_state"), type_="check")
        for name in ("fetch_state", "asked_at", "problem"):
            table.drop_column(name)


def _make_tables() -> None:
    op.create_table(
        "closed_host",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("host", sa.String(), nullable=False),
        sa.Column("added_by", sa.Integer(), nullable=True),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["added_by"], ["person.id"], name=op.f("fk_closed_host_added_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_closed_host")),
        sa.UniqueConstraint("host", name=op.f("uq_closed_host_host")),
    )
    op.create_table(
        "duplicate",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("one_id", sa.Integer(), nullable=False),
        sa.Column("other_id", sa.Integer(), nullable=False),
        sa.Column("likeness", sa.Integer(), nullable=False),
        sa.Column("evidence", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("found_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.Integer(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('open', 'distinct', 'merged')", name=op.f("ck_duplicate_state")),
        sa.ForeignKeyConstraint(["decided_by"], ["person.id"], name=op.f("fk_duplicate_decided_by")),
        sa.ForeignKeyConstraint(["one_id"], ["paper.id"], name=op.f("fk_duplicate_one_id")),
        sa.ForeignKeyConstraint(["other_id"], ["paper.id"], name=op.f("fk_duplicate_other_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_duplicate")),
        sa.UniqueConstraint("one_id", "other_id", name=op.f("uq_duplicate_one_id_other_id")),
    )
    op.create_index("ix_duplicate_other_id", "duplicate", ["other_id"], unique=False)
    op.create_index("ix_duplicate_state_id", "duplicate", ["state", "id"], unique=False)

    op.create_table(
        "inquiry",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("not_before", sa.DateTime(timezone=True), nullable=True),
        sa.Column("problem", sa.String(), nullable=False),
        sa.Column("validators", sa.JSON(), nullable=False),
        sa.CheckConstraint(
            "state IN ('waiting', 'answered', 'unknown', 'refused', 'earlier')", name=op.f("ck_inquiry_state")
        ),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_inquiry_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_inquiry")),
        sa.UniqueConstraint("paper_id", "service", "key", name=op.f("uq_inquiry_paper_id_service_key")),
    )
    op.create_index("ix_inquiry_state_service_id", "inquiry", ["state", "service", "id"], unique=False)

    op.create_table(
        "lookup",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("lead_id", sa.Integer(), nullable=True),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("asked", sa.JSON(), nullable=False),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state IN ('waiting', 'done')", name=op.f("ck_lookup_state")),
        sa.ForeignKeyConstraint(["lead_id"], ["lead.id"], name=op.f("fk_lookup_lead_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_lookup_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lookup")),
        sa.UniqueConstraint("lead_id", name=op.f("uq_lookup_lead_id")),
        sa.UniqueConstraint("paper_id", name=op.f("uq_lookup_paper_id")),
    )
    op.create_index("ix_lookup_state_id", "lookup", ["state", "id"], unique=False)

    op.create_table(
        "merge",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("from_id", sa.Integer(), nullable=False),
        sa.Column("into_id", sa.Integer(), nullable=False),
        sa.Column("moved", sa.JSON(), nullable=False),
        sa.Column("merged_by", sa.Integer(), nullable=True),
        sa.Column("merged_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("undone_by", sa.Integer(), nullable=True),
        sa.Column("undone_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(["from_id"], ["paper.id"], name=op.f("fk_merge_from_id")),
        sa.ForeignKeyConstraint(["into_id"], ["paper.id"], name=op.f("fk_merge_into_id")),
        sa.ForeignKeyConstraint(["merged_by"], ["person.id"], name=op.f("fk_merge_merged_by")),
        sa.ForeignKeyConstraint(["undone_by"], ["person.id"], name=op.f("fk_merge_undone_by")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_merge")),
    )
    op.create_index("ix_merge_from_id", "merge", ["from_id"], unique=False)
    op.create_index("ix_merge_into_id", "merge", ["into_id"], unique=False)

    op.create_table(
        "relation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("from_id", sa.Integer(), nullable=False),
        sa.Column("to_id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("added_by", sa.Integer(), nullable=True),
        sa.Column("added_at", sa.DateTime(timezone=True), nullable=False),
        sa.CheckConstraint(
            "kind IN ('cites', 'extends', 'compares', 'contradicts', 'implements', 'discusses', 'presents')",
            name=op.f("ck_relation_kind"),
        ),
        sa.ForeignKeyConstraint(["added_by"], ["person.id"], name=op.f("fk_relation_added_by")),
        sa.ForeignKeyConstraint(["from_id"], ["paper.id"], name=op.f("fk_relation_from_id")),
        sa.ForeignKeyConstraint(["to_id"], ["paper.id"], name=op.f("fk_relation_to_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_relation")),
        sa.UniqueConstraint("from_id", "to_id", "kind", name=op.f("uq_relation_from_id_to_id_kind")),
    )
    op.create_index("ix_relation_to_id", "relation", ["to_id"], unique=False)

    op.create_table(
        "proposal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=True),
        sa.Column("lead_id", sa.Integer(), nullable=True),
        sa.Column("identifier", sa.String(), nullable=False),
        sa.Column("service", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("authors", sa.JSON(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
        sa.Column("venue", sa.String(), nullable=False),
        sa.Column("likeness", sa.Integer(), nullable=False),
        sa.Column("evidence", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("decided_by", sa.Integer(), nullable=True),
        sa.Column("decided_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('is', 'discusses')", name=op.f("ck_proposal_kind")),
        sa.CheckConstraint("state IN ('open', 'accepted', 'rejected')", name=op.f("ck_proposal_state")),
        sa.ForeignKeyConstraint(["decided_by"], ["person.id"], name=op.f("fk_proposal_decided_by")),
        sa.ForeignKeyConstraint(["lead_id"], ["lead.id"], name=op.f("fk_proposal_lead_id")),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_proposal_paper_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_proposal")),
    )
    op.create_index("ix_proposal_lead_id", "proposal", ["lead_id"], unique=False)
    op.create_index("ix_proposal_paper_id", "proposal", ["paper_id"], unique=False)
    op.create_index("ix_proposal_state_id", "proposal", ["state", "id"], unique=False)


def _add_columns() -> None:
    """With defaults, for what is there already."""
    blank: dict[str, Any] = {"nullable": False, "server_default": ""}
    op.add_column("identifier", sa.Column("said_by", _text, **blank))
    op.add_column("pace", sa.Column("failures", _number, nullable=False, server_default="0"))
    op.add_column("pace", sa.Column("problem", _text, **blank))
    op.add_column("paper", sa.Column("origins", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("paper", sa.Column("named", sa.JSON(), nullable=False, server_default="{}"))
    op.add_column("reading", sa.Column("version_label", _text, **blank))
    for name in ("service", "key", "stage", "problem", "kind"):
        op.add_column("record", sa.Column(name, _text, **blank))
    op.add_column("record", sa.Column("identifiers", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("record", sa.Column("checked_at", _moment, nullable=False, server_default="2000-01-01 00:00:00"))


def _ask_as_before() -> None:
    """What waited for arXiv, and what came of it, as inquiries; jobs that are under way go on."""
    connection = op.get_bind()
    asked = sa.select(_identifier).where(_identifier.c.fetch_state != "none")
    inquiries = [
        {
            "paper_id": row.paper_id,
            "service": row.scheme,
            "key": row.value,
            "state": _STATES[row.fetch_state],
            "asked_at": row.asked_at,
            "problem": row.problem,
            "tries": 0,
            "validators": {},
        }
        for row in connection.execute(asked)
    ]
    if inquiries:
        connection.execute(sa.insert(_inquiry), inquiries)
    for job in connection.execute(sa.select(_job).where(_job.c.kind == "papers.refresh")).all():
        renamed = {"service": job.payload["scheme"]}
        connection.execute(sa.update(_job).where(_job.c.id == job.id).values(payload=renamed))


def _keep_records() -> None:
    connection = op.get_bind()
    with op.batch_alter_table("record", **_ALONE) as table:
        table.drop_constraint(op.f("ck_record_state"), type_="check")
    arxiv = sa.case((_record.c.scheme == "arxiv", "preprint"), else_="page")
    state = sa.case((_record.c.state == "applied", "agrees"), else_=_record.c.state)
    why = sa.case((_record.c.state == "disagrees", "another title than in the notes"), else_="")
    values = {
        "service": _record.c.scheme,
        "key": _record.c.value,
        "stage": arxiv,
        "state": state,
        "problem": why,
        "checked_at": _record.c.fetched_at,
    }
    connection.execute(sa.update(_record).values(**values))
    with op.batch_alter_table("record", **_ALONE) as table:
        table.create_check_constraint(
            op.f("ck_record_state"), "state IN ('agrees', 'disagrees', 'refused', 'superseded')"
        )
        table.create_check_constraint(op.f("ck_record_stage"), "stage IN ('published', 'preprint', 'page')")
        table.create_index("ix_record_state_id", ["state", "id"], unique=False)
    _name_as_before(connection)
    _tell_origins(connection)


def _tell_origins(connection: sa.Connection) -> None:
    """Fields that nobody corrected came from the one answer that was shown; an abstract may be an older one's."""
    same = (_record.c.abstract == _paper.c.abstract).label("same")
    shown = sa.select(_paper.c.id, _paper.c.record_id, _paper.c.locked, same)
    for row in connection.execute(shown.join(_record, _record.c.id == _paper.c.record_id)).all():
        names = (*_TOGETHER, "abstract") if row.same else _TOGETHER
        origins = {name: row.record_id for name in names if name not in row.locked}
        connection.execute(sa.update(_paper).where(_paper.c.id == row.id).values(origins=origins))


def _name_as_before(connection: sa.Connection) -> None:
    """Of a paper that no source has answered for, everything was said by notes or people."""
    for row in connection.execute(sa.select(_paper).where(_paper.c.record_id.is_(None))).all():
        said = {name: getattr(row, name) for name in ("title", "authors", "year", "venue", "abstract")}
        said["published_on"] = str(row.published_on) if row.published_on else None
        named = {name: value for name, value in said.items() if value}
        if named:
            connection.execute(sa.update(_paper).where(_paper.c.id == row.id).values(named=named))


def downgrade() -> None:
    """As it was with one source; what other services said goes, since an older version cannot tell it apart."""
    connection = op.get_bind()
    op.add_column("identifier", sa.Column("fetch_state", _text, nullable=False, server_default="none"))
    op.add_column("identifier", sa.Column("asked_at", _moment, nullable=True))
    op.add_column("identifier", sa.Column("problem", _text, nullable=False, server_default=""))
    before = {state: old for old, state in _STATES.items()}
    for row in connection.execute(sa.select(_inquiry).where(_inquiry.c.service == "arxiv")).all():
        asked = sa.update(_identifier).where(_identifier.c.scheme == "arxiv", _identifier.c.value == row.key)
        state = before.get(row.state, "fetched")
        connection.execute(asked.values(fetch_state=state, asked_at=row.asked_at, problem=row.problem))
    with op.batch_alter_table("identifier", **_ALONE) as table:
        table.create_check_constraint(
            op.f("ck_identifier_fetch_state"), "fetch_state IN ('none', 'waiting', 'fetched', 'unknown', 'refused')"
        )
        table.create_index("ix_identifier_fetch_state_scheme_id", ["fetch_state", "scheme", "id"], unique=False)
        table.drop_column("said_by")
    _forget_records(connection)
    op.drop_column("reading", "version_label")
    for name in ("named", "origins"):
        op.drop_column("paper", name)
    for name in ("problem", "failures"):
        op.drop_column("pace", name)
    for name in reversed(_TABLES):
        op.drop_table(name)


def _forget_records(connection: sa.Connection) -> None:
    mine = sa.select(_record.c.id).where(_record.c.service == _record.c.scheme)
    connection.execute(sa.update(_paper).where(_paper.c.record_id.not_in(mine)).values(record_id=None))
    connection.execute(sa.delete(_record).where(_record.c.service != _record.c.scheme))
    with op.batch_alter_table("record", **_ALONE) as table:
        table.drop_constraint(op.f("ck_record_state"), type_="check")
        table.drop_constraint(op.f("ck_record_stage"), type_="check")
        table.drop_index("ix_record_state_id")
    shown = sa.select(_paper.c.record_id).where(_paper.c.record_id.is_not(None))
    was = sa.case(
        (_record.c.id.in_(shown), "applied"),
        (_record.c.state == "agrees", "superseded"),
        (_record.c.state == "refused", "superseded"),
        else_=_record.c.state,
    )
    connection.execute(sa.update(_record).values(state=was))
    with op.batch_alter_table("record", **_ALONE) as table:
        table.create_check_constraint(op.f("ck_record_state"), "state IN ('applied', 'disagrees', 'superseded')")
        for name in ("checked_at", "identifiers", "kind", "problem", "stage", "key", "service"):
            table.drop_column(name)
    jobs = sa.select(_job).where(_job.c.kind == "papers.refresh")
    for job in connection.execute(jobs).all():
        renamed = {"scheme": job.payload.get("service", "arxiv")}
        connection.execute(sa.update(_job).where(_job.c.id == job.id).values(payload=renamed))
