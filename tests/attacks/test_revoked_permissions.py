"""Powers that end or grow in between: people shut out, links that lead inside, names that are twins."""

import pytest

from readtrack.infra.http.client import HttpClient, UnlimitedRateLimiter
from readtrack.infra.jobs import queue
from readtrack.infra.models import NoteRevision, Paper
from readtrack.infra.text import normalize
from readtrack.ingest.imports import commands as imports
from readtrack.ingest.imports.commands import ImportCommit
from readtrack.team.accounts import commands as people
from readtrack.team.accounts.commands import make_set_up_code
from tests.sample_library import count_of, noted

pytestmark = pytest.mark.slow  # many requests to a whole application


def test_an_import_by_a_person_disabled_meanwhile_returns_to_preview(library, database):
    import_id = noted(database, library.member, "- https://arxiv.org/abs/2405.00001 Afterwards\n", "afterwards")
    before = count_of(database, Paper)
    with database.write() as tx:
        imports.commit_import(tx, library.member, import_id, ImportCommit(status="read"))
        people.disable_person(tx, library.admin, library.member.id)

    _run_jobs(database)

    assert count_of(database, Paper) == before
    with database.write() as tx:
        assert tx.get_one(NoteRevision, import_id).state == "preview"
        imports.commit_import(tx, library.editor, import_id, ImportCommit())
    _run_jobs(database)
    assert count_of(database, Paper) == before + 1


def test_an_import_by_a_person_who_became_a_viewer_returns_to_preview(library, database):
    import_id = noted(database, library.member, "- https://arxiv.org/abs/2405.00002 Later\n", "later")
    with database.write() as tx:
        imports.commit_import(tx, library.member, import_id, ImportCommit())
        people.set_role(tx, library.admin, library.member.id, "viewer")
    before = count_of(database, Paper)

    _run_jobs(database)

    assert count_of(database, Paper) == before


def test_a_correction_accepts_no_internal_or_script_url(library, sign_in):
    browser = sign_in(library.member)
    entry = library.address("/api/v1/imports/{import_id}/entries/1")

    for inside in ("http://[::1]/x", "http://10.0.0.1/x", "http://wiki.corp/x", "javascript:alert(1)"):
        assert browser.patch(entry, json={"identifier": inside}).status_code == 422, inside


def test_the_longest_title_fits_every_index(library, sign_in):
    title = "".join(map(chr, range(0x4E00, 0x4E00 + 1_000)))

    assert sign_in(library.member).post("/api/v1/papers", json={"title": title}).status_code == 201


def test_an_address_too_long_for_an_index_is_stored_as_a_link(library, sign_in):
    address = "https://a.example.org/" + "".join(f"{number:x}" for number in range(1_000))
    answer = sign_in(library.member).post("/api/v1/papers", json={"identifier": address})

    assert answer.status_code == 201
    assert address in [link["url"] for link in answer.json()["links"]]


def test_the_title_of_a_note_is_truncated(library, sign_in):
    browser = sign_in(library.member)

    browser.post("/imports", data={"text": "Some words.", "title": "T" * 100_000})

    assert max(len(note["title"]) for note in browser.get("/api/v1/notes").json()["items"]) == imports.MAX_TITLE_CHARS


@pytest.mark.parametrize(
    ("one", "other"),
    [("Γ\u0390", "Γ\u03aa\u0301"), ("Straße", "STRASSE"), ("Ｋｅｎ", "ken"), ("Ann  Lee", "ann lee"), ("é", "e\u0301")],
)
def test_names_that_look_the_same_have_the_same_key(one, other):
    assert normalize.key(one) == normalize.key(other)


def test_a_setup_link_from_an_earlier_start_is_rejected(client, database):
    with database.write() as tx:
        old = make_set_up_code(tx)
    with database.write() as tx:
        new = make_set_up_code(tx)
    fields = {"name": "Eve", "password": "correct horse battery"}

    assert client.post(f"/setup/{old}", data=fields).status_code == 404
    assert client.post(f"/setup/{new}", data=fields).status_code == 303
    assert client.post(f"/setup/{new}", data={**fields, "name": "Mallory"}).status_code == 404


def _run_jobs(database) -> None:
    offline = HttpClient(agent="tests", gate=UnlimitedRateLimiter(), intervals={}, bases={}, offline=True)
    while queue.run_due_job(database, offline, kinds=("imports.commit",)):
        pass
