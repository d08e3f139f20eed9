"""Filters on what people do with papers: whom they mean, and what nobody learns by them."""

from datetime import date, timedelta
from typing import Any

import pytest

from readtrack import search
from readtrack.infra.clock import now, today
from readtrack.infra.models import Comment, MetadataRequest
from tests import make
from tests.search.finding import find, found_by

pytestmark = pytest.mark.both_databases


@pytest.fixture
def library(database):
    with database.write() as tx:
        search.ensure(tx)
    return database


READINGS = {
    "by:@ken": ["read", "skim", "both"],
    "by:ken": ["read", "skim", "both"],
    "-by:@ken": ["mine", "none", "hidden"],
    "status:read by:@ken": ["read", "skim"],
    "status:read by:@ken,@me": ["read", "skim", "mine"],
    "status:read by:@team": ["read", "skim", "mine"],
    "status:any by:@team": ["read", "skim", "mine", "both"],
    "status:none by:@team": ["none", "hidden"],
    "status:none by:@ken": ["mine", "none", "hidden"],
    "by:@me by:@ken": ["both"],
    "(status:read OR status:reading) by:@ken": ["read", "skim", "both"],
    "by:@ken status:read depth:skimmed": ["skim"],
    "depth:none by:@ken": ["read"],
    "depth:studied": ["mine"],
    "depth:skimmed": [],
    "-depth:studied by:@me": ["read", "skim", "both", "none", "hidden"],
    "progress:>50": ["both"],
    "progress:50": [],
    "progress:75": ["both"],
    "progress:none": ["mine"],
    "readers:1": ["read", "skim", "mine"],
    "readers:0": ["both", "none", "hidden"],
    "readers:0..1": ["read", "skim", "mine", "both", "none", "hidden"],
    "readers:>=2": [],
    "unread-by:@ken": ["mine", "both", "none", "hidden"],
    "unread-by:@team": ["both", "none", "hidden"],
    "unread-by:@me": ["read", "skim", "both", "none", "hidden"],
    "read:2024 by:@ken": ["read"],
    "read:2024-05..2024-06 by:@team": ["read"],
    "read:none by:@ken": ["skim"],
    "read:<2w": ["mine"],
    "read:any": ["mine"],
    "is:stale": ["both"],
    "is:stale by:@ken": [],
    "is:private": [],
    "is:mine": ["mine"],
    "-is:mine": ["read", "skim", "both", "none", "hidden"],
    "involves:@ken": ["read", "skim", "both"],
    "involves:@me": ["mine", "both"],
    "-involves:@me": ["read", "skim", "none", "hidden"],
}


@pytest.fixture
def readings(library):
    """Ken reads, so do I; what Mei does is private."""
    with library.write() as tx:
        me, ken, mei = make.visitor(tx, "Ada"), make.visitor(tx, "Ken"), make.visitor(tx, "Mei")
        ids = {name: make.paper(tx, created_by=me.id if name == "mine" else None).id for name in NAMES}
        make.reading(tx, ken.id, ids["read"], "read", finished_on=date(2024, 5, 16))
        make.reading(tx, ken.id, ids["skim"], "read", depth="skimmed")
        make.reading(tx, me.id, ids["mine"], "read", depth="studied", finished_on=today())
        make.reading(tx, ken.id, ids["both"], "reading")
        half = {"progress_unit": "page", "progress_at": 6, "progress_of": 8, "updated_at": now() - timedelta(days=22)}
        make.reading(tx, me.id, ids["both"], "reading", **half)
        make.reading(tx, mei.id, ids["hidden"], "read", private=True, depth="studied", finished_on=date(2024, 5, 1))
    return library, ids, me, mei


NAMES = ("read", "skim", "mine", "both", "none", "hidden")


@pytest.mark.deep
def test_a_reading_filter_names_a_person(readings):
    library, ids, me, _mei = readings
    assert found_by(library, READINGS, ids, me) == READINGS


def test_private_readings_are_found_by_their_owner(readings):
    library, ids, _me, mei = readings
    mine = {"status:read": ["hidden"], "is:private": ["hidden"], "readers:1 by:@me": ["hidden"]}
    assert found_by(library, mine, ids, mei) == mine


def test_private_readings_and_summaries_do_not_change_results_of_others(readings):
    library, ids, me, mei = readings
    asked = [*READINGS, "has:summary", "mentions:@ada", "summary:secret", "sort:readers", "by:@mei", "involves:@mei"]
    before = found_by(library, asked, ids, me)
    with library.write() as tx:
        for name in ("none", "mine", "both"):
            make.reading(tx, mei.id, ids[name], "read", private=True, depth="skimmed", finished_on=today())
            search.update_summaries(tx, [make.summary(tx, mei.id, ids[name], "secret @Ada", private=True).id])
    assert found_by(library, asked, ids, me) == before


ASKED = {
    "assignee:@ken": ["late", "soon"],
    "assignee:any": ["late", "soon", "far"],
    "assignee:none": ["done", "declined", "gone", "no"],
    "assignee:@me": ["far"],
    "assignee:@me,@ken": ["late", "soon", "far"],
    "is:assigned": ["late", "soon", "far"],
    "is:overdue": ["late"],
    "is:overdue assignee:@me": [],
    "due:<1w": ["late", "soon"],
    "due:>1w": ["far"],
    "due:<today": ["late"],
    "due:today..*": ["soon", "far"],
    "due:<1w assignee:@me": [],
    "-is:assigned": ["done", "declined", "gone", "no"],
}


def test_papers_assigned_to_somebody_are_found(library):
    with library.write() as tx:
        me, ken = make.visitor(tx, "Ada"), make.visitor(tx, "Ken")
        gone = make.person(tx, "Gone", disabled_at=now())
        ids = {name: make.paper(tx).id for name in ("late", "soon", "far", "done", "declined", "gone", "no")}
        for name, who, days in (
            ("late", ken, -1),
            ("soon", ken, 3),
            ("far", me, 30),
            ("done", ken, -1),
            ("gone", gone, -1),
        ):
            make.assignment(tx, who.id, ids[name], due_on=today() + timedelta(days=days))
        make.assignment(tx, ken.id, ids["declined"], "declined", due_on=today())
        make.reading(tx, ken.id, ids["done"], "read")
    assert found_by(library, ASKED, ids, me) == ASKED


MEETINGS = {
    "meeting:next": ["next"],
    "meeting:any": ["past", "next", "later"],
    "meeting:none": ["no"],
    "meeting:99999999999": [],
    "meeting:soon": [],
}


def test_papers_on_an_agenda_are_found(library):
    with library.write() as tx:
        ids = {name: make.paper(tx).id for name in ("past", "next", "later", "no")}
        numbers = {}
        for name, days in (("past", -7), ("later", 14), ("next", 7)):
            numbers[name] = make.meeting(tx, now() + timedelta(days=days)).id
            make.item(tx, numbers[name], paper_id=ids[name])
        make.meeting(tx, now() + timedelta(days=1), state="cancelled")
    wanted = {**MEETINGS, f"meeting:{numbers['later']},{numbers['past']}": ["past", "later"]}
    assert found_by(library, wanted, ids) == wanted


TALK = {
    "has:discussion": ["said"],
    "no:discussion": ["asked", "summed", "quiet", "hidden"],
    "comment:overlap": ["said"],
    "overlap": [],
    "overlap in:comment": ["said"],
    "mentions:@ken": ["said", "summed"],
    'mentions:"@Ken Sato"': ["summed"],
    "mentions:@team": [],
    "has:question": ["asked"],
    "involves:@ada": ["said", "asked", "summed"],
}


def test_papers_are_found_by_their_comments(library):
    with library.write() as tx:
        ada = make.visitor(tx, "Ada")
        ids = {name: make.paper(tx).id for name in ("said", "asked", "summed", "quiet", "hidden")}
        said = make.comment(tx, ada.id, "Is it overlap only, @Ken? Write to a@ken.example.", paper_id=ids["said"])
        gone = make.comment(tx, ada.id, "overlap @Ken", paper_id=ids["quiet"], deleted_at=now())
        hidden = make.comment(tx, ada.id, "overlap @Ken", paper_id=ids["hidden"], hidden_at=now())
        make.question(tx, paper_id=ids["asked"], created_by=ada.id)
        summary = make.summary(tx, ada.id, ids["summed"], "As @Ken Sato said, it is short.")
        search.update_comments(tx, [row.id for row in (said, gone, hidden)])
        search.update_summaries(tx, [summary.id])
    assert found_by(library, TALK, ids) == TALK


def test_a_comment_is_found_by_its_current_text(library):
    with library.write() as tx:
        ada, paper = make.visitor(tx, "Ada"), make.paper(tx)
        made = make.comment(tx, ada.id, "zigzag", paper_id=paper.id)
        search.update_comments(tx, [made.id])
    with library.write() as tx:
        tx.get(Comment, made.id).markdown = "sawtooth"
        search.update_comments(tx, [made.id])
    assert [find(library, "comment:zigzag"), find(library, "comment:sawtooth")] == [[], [paper.id]]


def test_failed_finds_papers_whose_metadata_requests_failed(library):
    with library.write() as tx:
        ids = {name: make.paper(tx).id for name in ("refused", "waits", "tried", "answered")}
        states: dict[str, dict[str, Any]] = {
            "refused": {"state": "refused"},
            "waits": {},
            "tried": {"problem": "The site did not answer."},
            "answered": {"state": "answered"},
        }
        for name, fields in states.items():
            make.added(tx, MetadataRequest(paper_id=ids[name], service="arxiv", key=name, **fields))
    assert found_by(library, ["is:failed"], ids) == {"is:failed": ["refused", "tried"]}
