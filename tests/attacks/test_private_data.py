"""What is private changes nothing that another person can see: the same library with and without it, by every door."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import timedelta
from itertools import chain
from typing import Any

import pytest
import time_machine

from readtrack import search
from readtrack.infra.clock import now, today
from readtrack.infra.models import Vote
from readtrack.reading.drafts.commands import DraftSubject, DraftUpdate, save_draft
from readtrack.reading.readings.commands import move_reading, set_reading, undo_reading
from readtrack.reading.readings.schemas import QueueMove, ReadingProgress, ReadingUpdate
from readtrack.reading.summaries.commands import SummaryUpdate, delete_summary, edit_summary
from tests import make
from tests.depth import one_in
from tests.description import api_description
from tests.pages import WINDOW
from tests.sample_library import every_route

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # many requests to a whole application

TELLING = ("/papers", "/notifications", "/api/v1/readings", "/api/v1/changes")  # where what is shared is seen
VOLATILE = (
    "X-Request-Id",
    "Date",
    "Set-Cookie",
    "Ratelimit",
)  # the last counts requests: a fast machine makes more of them
FREE_DISK = re.compile(r"(?<=Free disk space</dt><dd>)[^<]*")
QUESTIONS = ("xylophone", "-xylophone", "status:read", "-status:read", "status:to_read", "has:summary", "no:summary")
PAGES = (  # what the pages can be asked for besides; those of the API are read from its description
    "/papers?q={}",
    "/papers?sort=updated",
    "/papers?group=status",
    "/papers?group=reader",
    "/papers/facets?q={}",
    "/papers/facets?q=readers:Member",
    "/papers?q=readers:Member",
    "/papers?q=unread-by:Member",
    "/papers?q=depth:studied",
    "/board?group=reader",
    "/palette?q=xylophone",
    "/papers/named?paper=xylophone",
    "/citations?topic=recovery",
    "/citations?refused=1",
    "/progress?who=team",
    "/progress?who=team&span=all&topic=recovery",
    "/progress/coverage?who=team",
    "/progress/topics.csv?who=team&span=all",
    "/topics/recovery",
    "/topics/recovery/coverage",
    "/api/v1/topics/recovery/coverage",
    "/api/v1/topics/recovery/order",
    "/review?of=unknown",
    "/people?person={bob}",
    "/assignments?of=all&state=open",
    "/assignments?of=all&state=done",
    "/assignments?of=all&state=overdue",
    "/assignments?of=given&state=done",
    "/activity?person={bob}",
    "/activity?of=readings",
    "/activity?of=summaries",
    "/admin/audit?person={bob}",
    "/questions?state=all",
    "/unresolved?state=found",
    "/unresolved?state=dropped",
    "/unresolved?state=second-hand",
    "/unresolved?topic=recovery",
    "/comparisons/1?by=1&order=worst",
    "/summaries/{summary}/versions?compare=1",
    "/topics/recovery/graph?depth=3&citations=1",
    "/topics/recovery/graph?as=table",
    "/topics/recovery/graph?depth=2&as=table",
    "/api/v1/topics/recovery/graph?depth=3&citations=true",
    "/graph?unread=1&topic=recovery",
)


@pytest.fixture
def frozen() -> Iterator[None]:
    with time_machine.travel(now(), tick=False):
        yield


@pytest.fixture
def bob(frozen, library) -> Any:
    """Who keeps things to himself."""
    return library.member


@pytest.fixture
def paper(database, library, bob) -> int:
    """What he is to read: asked by somebody, proposed, and about to be discussed."""
    with database.write() as tx:
        paper = make.paper(tx, "On recovery")
        make.filed(tx, paper, make.topic(tx, "Recovery"))
        paper_id = int(paper.id)
        due = {"due_on": today() - timedelta(days=2), "created_by": library.editor.id}
        task = make.assignment(tx, bob.id, paper_id, "accepted", **due)
        said = make.comment(tx, bob.id, paper_id=paper_id)
        question = make.question(tx, paper_id=paper_id, owner_id=bob.id)
        series = make.series(tx, presenter_order=[bob.id, library.editor.id])
        held = make.meeting(tx, now() - timedelta(days=7), state="held")
        planned = make.meeting(tx, now() + timedelta(days=2), series_id=series.id)
        items = [make.item(tx, each.id, paper_id=paper_id, presenter_id=bob.id) for each in (held, planned)]
        candidate = make.candidate(tx, series.id, paper_id, proposed_by=library.editor.id)
        make.added(tx, Vote(candidate_id=candidate.id, person_id=bob.id, value=1))
        make.reading(tx, library.editor.id, paper_id, "read", recommendation="optional")
        search.update_papers(tx, [paper_id])
    library.of |= {
        "meeting_id": planned.id,
        "series_id": series.id,
        "item_id": items[-1].id,
        "candidate_id": candidate.id,
    }
    library.of |= {"assignment_id": task.id, "question_id": question.id, "comment_id": said.id, "thread_id": said.id}
    return paper_id


@pytest.fixture
def more(database) -> list[int]:
    """Papers of a topic that nobody has on a list."""
    with database.write() as tx:
        topic, papers = make.topic(tx, "Scheduling"), [make.paper(tx, f"On queues {number}") for number in range(3)]
        for paper in papers:
            make.filed(tx, paper, topic)
        return [int(paper.id) for paper in papers]


@pytest.fixture
def others(library, sign_in, bob, paper) -> Any:
    """What an editor, who asked him to read it, sees by every door; and an admin, where the editor may not, and at
    every sixth. Each page is asked a few of the questions; in a deep run, all of them by both.
    """
    browsers = {me.name: sign_in(me) for me in (library.editor, library.admin)}

    def look(*only: str, times: int = 1) -> dict[tuple[str, str], tuple[int, dict[str, str], str]]:
        """Of those doors, or of one in so many of all."""
        doors = only or {*_addresses(library, bob=bob.id, paper=paper)}
        asked = [door for door in doors if only or door in TELLING or one_in(times, door)]
        seen = {("Editor", address): _shown(browsers["Editor"].get(address)) for address in sorted(asked)}
        for_admins = [address for address in sorted(asked) if seen["Editor", address][0] == 403 or one_in(6, address)]
        return seen | {("Admin", address): _shown(browsers["Admin"].get(address)) for address in for_admins}

    return look


def _addresses(library, *, bob: int, paper: int) -> Iterator[str]:
    """Every door that shows something, of the paper and of the person; and all that it can be asked for."""
    paths = [path for method, path in every_route() if method == "GET"]
    here = replace(library, of={**library.of, "paper_id": paper, "person_id": bob})
    for path in paths:
        yield here.address(path)
        if one_in(3, path):
            yield library.address(path)
    for page in PAGES:
        asked = [question for question in QUESTIONS if one_in(3, page, question)] or QUESTIONS[:1]
        yield from {page.format(question, bob=bob, summary=library.of["summary_id"]) for question in asked}
    for path, operations in api_description()["paths"].items():
        for parameter in operations.get("get", {}).get("parameters", ()):
            if parameter["in"] == "query":
                address = here.address(path)
                values = _values(parameter, bob, paper)
                chosen = [value for value in values if one_in(3, path, value)] or values[:1]
                yield from (f"{address}?{parameter['name']}={value}" for value in chosen)


def _values(parameter: Mapping[str, Any], bob: int, paper: int) -> list[object]:
    """What may be said for it."""
    schema = parameter["schema"]
    words = list(chain(schema.get("enum", ()), *(one.get("enum", ()) for one in schema.get("anyOf", ()))))
    known: dict[str, list[object]] = {
        "q": [*QUESTIONS],
        "person": [bob],
        "by": [bob],
        "paper": [paper],
        "sort": ["updated", "-updated", "title"],
        "include": ["reading,topics,summary,total"],
        "since": ["2000-01-01T00:00:00Z"],
        "of": ["readings", "summaries", "papers"],
        "all": ["true"],
        "linked": ["true", "false"],
    }
    return words or known.get(parameter["name"], [])


def _shown(answer) -> tuple[int, dict[str, str], str]:
    headers = {name: value for name, value in answer.headers.items() if name.title() not in VOLATILE}
    text = FREE_DISK.sub("", WINDOW.sub("", answer.text))  # Any other program changes what is free.
    return answer.status_code, headers, text.replace(answer.headers["X-Request-Id"], "")


def changed(before, after) -> set[tuple[str, str]]:
    return {door for door in before if before[door] != after[door]}


def test_a14_private_data_does_not_change_any_response_for_others(database, bob, paper, more, others):
    before = others(times=3)

    with database.write() as tx:
        for status, further in zip(("reading", "to_read", "read"), more, strict=True):
            set_reading(tx, bob, further, ReadingUpdate(status=status, private=True))
        edit = SummaryUpdate(markdown="A xylophone, @Viewer and @Editor.", tldr="Wood", private=True)
        edit_summary(tx, bob, paper, edit, version=None)
        edit_summary(tx, bob, paper, SummaryUpdate(markdown="Two xylophones, @Admin.", private=True), version=1)
        delete_summary(tx, bob, paper)
        edit_summary(tx, bob, paper, SummaryUpdate(markdown="Three, @Editor.", private=True), version=None)
        draft = DraftUpdate(fields={"markdown": "A fourth xylophone, @Editor, [[Recovery]].", "private": "false"})
        save_draft(tx, bob, DraftSubject("summary", paper), "x" * 16, data=draft)
        save_draft(tx, bob, DraftSubject("topic", 2), "y" * 16, data=draft)
        set_reading(tx, bob, paper, ReadingUpdate(status="to_read", priority=1, private=True))
        move_reading(tx, bob, paper, QueueMove(to="top"))
        set_reading(tx, bob, paper, ReadingUpdate(status="reading", progress=ReadingProgress(unit="page", at=3, of=9)))
        set_reading(tx, bob, paper, ReadingUpdate(status="read", depth="studied", recommendation="must_read"))
        set_reading(tx, bob, paper, ReadingUpdate(status="reading"))
        undo_reading(tx, bob, paper)
    assert changed(before, others(times=3)) == set()


@pytest.mark.deep
def test_a14_data_made_private_leaves_no_trace_of_its_shared_state(database, bob, paper, others):
    before = others(times=2)

    with database.write() as tx:
        edit_summary(tx, bob, paper, SummaryUpdate(markdown="A xylophone, @Editor, @Admin."), version=None)
        set_reading(tx, bob, paper, ReadingUpdate(status="reading"))
        set_reading(tx, bob, paper, ReadingUpdate(status="read", recommendation="must_read"))
    shared = others(*TELLING, f"/api/v1/papers/{paper}/summaries")
    assert all(before[door] != shared[door] for door in shared if door[1] in TELLING or door in before)
    with database.write() as tx:
        edit_summary(tx, bob, paper, SummaryUpdate(markdown="A xylophone, @Editor.", private=True), version=1)
        set_reading(tx, bob, paper, ReadingUpdate(private=True))

    after = others(times=2)
    assert {address for _person, address in changed(before, after)} == {"/api/v1/changes"}
    items = json.loads(after["Editor", "/api/v1/changes"][2])["items"]
    further = [item for item in items if item not in json.loads(before["Editor", "/api/v1/changes"][2])["items"]]
    # Who has a copy of what was shared is told to delete it.
    assert {(item["kind"], item["deleted"], item["item"]) for item in further} == {
        ("reading", True, None),
        ("summary", True, None),
    }


@pytest.mark.deep
def test_a14_no_endpoint_reveals_references_in_a_private_text(database, bob, paper, more, others):
    asked = [f"/papers/{number}{part}" for number in more for part in ("", "/mentions")]
    asked += [f"/topics/{slug}{part}" for slug in ("recovery", "scheduling") for part in ("", "/mentions")]
    asked += [f"/api/v1{address}" for address in asked]
    asked += [f"{address}?linked=false" for address in asked if address.endswith("mentions") and "/api/" in address]
    asked += [f"/api/v1/references/complete?q={word}" for word in ("xyl", "recov", "queues")]
    before = others(*asked)

    with database.write() as tx:
        text = "[[On queues 0]], [[Recovery]], [[Scheduling|xylophone]]; On queues 1 in plain words, and [[Xylophone]]."
        edit_summary(tx, bob, paper, SummaryUpdate(markdown=text, private=True), version=None)
    assert changed(before, others(*asked)) == set()

    with database.write() as tx:
        edit_summary(tx, bob, paper, SummaryUpdate(markdown=text), version=1)
    seen = {address for _person, address in changed(before, others(*asked))}
    assert {f"/papers/{more[0]}", f"/papers/{more[1]}/mentions", "/topics/scheduling"} <= seen
