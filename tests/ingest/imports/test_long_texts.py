"""Addresses, titles and lines of any length: they are kept, on both databases, and stop nothing else."""

import random
import string

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.db.errors import LONG
from readtrack.infra.models import Entry, Identifier, Link, NoteRevision, Paper
from readtrack.library.papers.commands import PaperCreate, add_by_text
from readtrack.library.papers.lists import get_row
from readtrack.metadata import sources
from readtrack.metadata.types import MAX_KEY_BYTES
from tests import make
from tests.sample_library import carry_out, count_of, entries_of, noted

chance = random.Random(7)  # texts that no database can make shorter
WORD = "".join(chance.choices(string.ascii_letters + string.digits, k=3500))
ADDRESS = f"https://files.example.org/papers/some-work.pdf?signature={WORD}"
CHINESE = "".join(chr(chance.randrange(0x4E00, 0x9FA5)) for _ in range(20_000))
TITLE = CHINESE[:1000]


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="editor")


def all_of(database, column):
    with database.read() as tx:
        return list(tx.scalars(sa.select(col(column))))


def test_a_very_long_url_is_stored_as_a_link_and_identified_by_its_prefix(database, me):
    carry_out(database, me, noted(database, me, f"- {ADDRESS} A Work\n- https://arxiv.org/abs/2401.00001\n"))
    assert count_of(database, Paper) == 2
    assert ADDRESS in all_of(database, Link.url)
    [value] = [value for value in all_of(database, Identifier.value) if "example" in value]
    assert (len(value) < 300, value.startswith("files.example.org/papers/some-work.pdf?sha256-")) == (True, True)


def test_a_very_long_url_matches_the_same_paper_again(database, me):
    other = ADDRESS[:-1] + ("a" if ADDRESS[-1] != "a" else "b")
    with database.write() as tx:
        first = add_by_text(tx, me, PaperCreate(identifier=ADDRESS))
        again = add_by_text(tx, me, PaperCreate(identifier=ADDRESS + "#part"))
        another = add_by_text(tx, me, PaperCreate(identifier=other))
    assert (first[1], again, another[1]) == (True, (first[0], False), True)
    assert all_of(database, Link.url) == [ADDRESS, other]
    with database.read() as tx:
        row = get_row(tx, me, first[0])
    assert (row.url, row.host, row.kind) == ("", "files.example.org", "paper")


@pytest.mark.parametrize(
    "address",
    [
        ADDRESS,
        "https://example.org/" + "%E4%BD%A0" * 400,
        "http://example.org/" + "a." * 800,
        "https://example.org:8080/" + "a/" * 600 + "#!/route",
        "https://example.org/?" + "&".join(f"a{number}={number}" for number in range(400)),
    ],
)
def test_the_identifier_of_a_long_url_is_recognised_as_itself(address):
    ref = sources.recognize(address)
    assert ref is not None
    assert len(ref.key) <= MAX_KEY_BYTES
    assert sources.recognize(sources.url(ref)) == sources.parse_ref(str(ref)) == ref
    assert ref != sources.recognize(address.replace("a", "b").replace("%E4", "%E5"))


def test_a_long_identifier_of_another_site_is_a_web_page(database, me):
    ref = sources.recognize("https://doi.org/10.1145/" + WORD)
    assert ref is None or len(ref.key) <= MAX_KEY_BYTES


def test_a_very_long_title_is_stored_completely(database, me):
    with database.write() as tx:
        add_by_text(tx, me, PaperCreate(title=TITLE))
    assert all_of(database, Paper.title) == [TITLE]


@pytest.mark.deep
def test_a_line_of_two_million_characters_is_stored(database, me):
    line = " ".join("".join(chance.choices(string.ascii_lowercase, k=9)) for _ in range(200_000))
    carry_out(database, me, noted(database, me, f"{line}\n\n- https://arxiv.org/abs/2401.00001\n"))
    assert count_of(database, Paper) == 1
    assert line in all_of(database, NoteRevision.text)[0]


@pytest.mark.both_databases
def test_a_database_error_is_reported_on_its_entry_and_the_rest_continues(database, me, dialect):
    """A name too long for an index, whatever way it came here."""
    if dialect == "sqlite":
        pytest.skip("SQLite takes texts of any length")
    import_id = noted(database, me, "- https://arxiv.org/abs/2401.00001\n- https://arxiv.org/abs/2401.00002\n")
    with database.write() as tx:
        first = sa.update(Entry).where(col(Entry.revision_id) == import_id, col(Entry.position) == 1)
        tx.execute(first.values(identifiers=[f"arxiv:{CHINESE}"]))
    carry_out(database, me, import_id)
    assert [(entry.decision, entry.reason) for entry in entries_of(database, import_id)] == [
        ("review", LONG),
        ("add", ""),
    ]
    assert all_of(database, Identifier.value) == ["2401.00002"]
