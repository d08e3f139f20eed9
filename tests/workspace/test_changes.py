"""The feed of changes: whoever follows it has what they could get, and nothing else."""

import os
import random
from datetime import timedelta
from functools import partial
from itertools import pairwise
from typing import Any, get_args

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.db import change_triggers
from readtrack.infra.jobs import queue
from readtrack.infra.models import (
    Assignment,
    ChangeFeed,
    Comment,
    Comparison,
    Meeting,
    NoteRevision,
    Paper,
    Person,
    Question,
    Relation,
    Summary,
    Topic,
    UndoEntry,
)
from readtrack.infra.permissions import is_present
from readtrack.reading.summaries.commands import SummaryUpdate, edit_summary
from readtrack.web.api.changes import LEFT_OUT, Kind
from tests import make
from tests.depth import DEEP

SECRET = "only for {name}"
Items = dict[tuple[str, int, int | None], Any]  # By kind, number and reader.
NOWHERE = 10**6  # no row has this number
OFFLINE: Any = None  # No import asks the network.
WORDS = ("caching", "pipelines", "recovery", "sharding", "tracing")
DEEDS = [
    *("papers", "papers", "merges", "topics", "filing", "readings", "readings", "summaries", "summaries", "comments"),
    *("comments", "questions", "relations", "comparisons", "meetings", "assignments", "assignments", "trash"),
    *("names_of_people", "people", "bulk_actions", "imports", "orders"),
]
SEED = int(os.environ.get("READTRACK_TEST_SEED", "1"))


class Copy:
    """What a program has that follows the feed with the rights of a person, by kind and number."""

    def __init__(self, browser: Any) -> None:
        self.browser, self.cursor, self.seen = browser, "", ""
        self.items: Items = {}

    def follow(self, limit: int = 200) -> "Copy":
        more = True
        while more:
            answer = self.browser.get("/api/v1/changes", params={"since": self.cursor, "limit": limit})
            assert answer.status_code == 200, answer.text
            self.seen += answer.text
            for change in answer.json()["items"]:
                key = (change["kind"], change["id"], change["reader"])
                self.items.pop(key, None)
                if not change["deleted"]:
                    self.items[key] = change["item"]
            self.cursor, more = answer.json()["next"], answer.json()["more"]
        return self

    @property
    def titles(self) -> list[str]:
        return [item["title"] for (kind, *_), item in self.items.items() if kind == "paper"]


class Library:
    """All that a person gets by the other addresses, in the shape of the feed."""

    def __init__(self, browser: Any) -> None:
        self.browser = browser
        self.items: Items = {}
        for row in self.list("/papers?limit=200"):
            self.add_paper(row["id"])
        for row in self.list("/topics?limit=200"):
            self.add_topic(row["slug"])
        for row in self.list("/questions?state=all&limit=200"):
            self.put("question", row["id"], row)
            self.put_all("comment", f"/questions/{row['id']}/comments?limit=200")
        for row in self.list("/meetings?limit=200"):
            meeting = self.get(f"/meetings/{row['id']}").json()
            for item in meeting["agenda"]:
                del item["title"], item["people"]
            self.put("meeting", row["id"], meeting)
        self.put_all("assignment", "/assignments?state=all&limit=200")

    def add_paper(self, number: int) -> None:
        address = f"/papers/{number}"
        paper = self.get(f"{address}?include=topics").json()
        topics = sorted(topic["slug"] for topic in paper["topics"])
        self.put("paper", number, {**paper, "topics": topics, "translations": self.list(f"{address}/translations")})
        current = self.list(f"{address}/readings")
        passes = self.list(f"{address}/readings?all=true")
        for reader in {row["person_id"] for row in passes}:
            now = next((row for row in current if row["person_id"] == reader), None)
            earlier = [row for row in passes if row["person_id"] == reader and row != now]
            self.put("reading", number, {"current": now, "earlier": earlier}, reader)
        self.put_all("summary", f"{address}/summaries")
        self.put_all("comment", f"{address}/comments?limit=200")
        for row in self.list(f"{address}/relations"):
            ends = [number, row["paper"]["id"]][:: 1 if row["direction"] == "to" else -1]
            item = {"id": row["id"], "kind": row["kind"], "from": ends[0], "to": ends[1], "note": row["note"]}
            self.put("relation", row["id"], item)

    def add_topic(self, slug: str) -> None:
        answer = self.get(f"/topics/{slug}")
        self.put("topic", int(answer.headers["etag"].strip('"').split(".")[0]), answer.json())
        self.put_all("comment", f"/topics/{slug}/comments?limit=200")
        self.put_all("comparison", f"/topics/{slug}/comparisons")

    def get(self, address: str) -> Any:
        answer = self.browser.get(f"/api/v1{address}")
        assert answer.status_code == 200, answer.text
        return answer

    def list(self, address: str) -> list[Any]:
        pages = [self.get(address).json()]
        while pages[-1].get("next"):
            pages.append(self.get(f"{address}&after={pages[-1]['next']}").json())
        return [item for page in pages for item in page["items"]]

    def put_all(self, kind: str, address: str) -> None:
        for row in self.list(address):
            self.put(kind, row["id"], row)

    def put(self, kind: str, number: int, item: dict[str, Any], reader: int | None = None) -> None:
        left_out = LEFT_OUT.get(kind, ())
        self.items[kind, number, reader] = {name: value for name, value in item.items() if name not in left_out}


class Team:
    """People who do by chance what the API lets them do."""

    def __init__(self, database: Any, browsers: list[Any], names: list[str]) -> None:
        self.database, self.browsers, self.names, self.chance = database, browsers, names, random.Random(SEED)
        self.refused = 0

    def act(self) -> None:
        self.me = self.chance.randrange(len(self.browsers))
        browser = self.browsers[self.me]
        deed = getattr(self, self.chance.choice(DEEDS))
        answer = deed(partial(self.send, browser))
        assert answer is None or answer.status_code < 500, answer.text
        self.refused += answer is not None and answer.status_code >= 400

    def send(self, browser: Any, method: str, address: str, json: Any = None) -> Any:
        """Edit what is there now: the newest version is fetched first."""
        address = f"/api/v1{address}"
        headers: dict[str, str] = {}
        if method == "PATCH" or address.endswith("/summary"):
            before = browser.get(address)
            headers = {"If-Match": before.headers["etag"]} if "etag" in before.headers else {"If-None-Match": "*"}
        return browser.request(method, address, json=json, headers=headers)

    def one(self, column: Any, *conditions: Any) -> Any:
        """Any value of a column."""
        with self.database.read() as tx:
            found = tx.scalars(sa.select(column).where(*conditions).order_by(column)).all()
        return self.chance.choice(found) if found else NOWHERE

    def paper(self) -> int:
        """A paper that is there, most times; sometimes one that is deleted or merged."""
        return self.one(Paper.id, *([is_present(Paper)] if self.chance.random() < 0.9 else []))

    def word(self) -> str:
        return f"{self.chance.choice(WORDS)} {self.chance.random():.9f}"

    def papers(self, send: Any) -> Any:
        deed, paper = self.chance.randrange(7), f"/papers/{self.paper()}"
        if deed < 4:
            return send("POST", "/papers", {"title": f"On {self.word()}"})
        if deed == 4:
            return send("PATCH", paper, {"title": f"Again {self.word()}", "year": self.chance.randint(1990, 2026)})
        if deed == 5:
            return send("PUT", f"{paper}/translations/ja", {"title": self.word()})
        return send("DELETE", paper)

    def merges(self, send: Any) -> Any:
        if self.chance.random() < 0.5:
            return send("POST", f"/papers/{self.paper()}/merge", {"into": self.paper()})
        return send("POST", f"/papers/{self.chance.randint(1, 30)}/unmerge")

    def topics(self, send: Any) -> Any:
        deed, slug = self.chance.randrange(4), self.one(Topic.slug)
        if deed == 0:
            return send("POST", "/topics", {"name": self.word(), "parent": slug if slug != NOWHERE else None})
        if deed == 1:
            return send("PATCH", f"/topics/{slug}", {"name": self.word(), "aliases": [self.word()]})
        if deed == 2:
            return send("POST", f"/topics/{slug}/merge", {"into": self.one(Topic.slug)})
        return send("DELETE", f"/topics/{slug}")

    def filing(self, send: Any) -> Any:
        method = self.chance.choice(["PUT", "PUT", "DELETE"])
        return send(method, f"/papers/{self.paper()}/topics/{self.one(Topic.slug)}")

    def readings(self, send: Any) -> Any:
        deed, address = self.chance.randrange(6), f"/papers/{self.paper()}/reading"
        if deed == 0:
            return send("DELETE", address)
        if deed == 1:
            return send("POST", f"{address}/undo")
        status = self.chance.choice(["to_read", "reading", "read", "paused", "dropped"])
        return send("PUT", address, {"status": status, "private": self.chance.random() < 0.4})

    def summaries(self, send: Any) -> Any:
        address, private = f"/papers/{self.paper()}/summary", self.chance.random() < 0.5
        if self.chance.random() < 0.2:
            return send("DELETE", address)
        text = SECRET.format(name=self.me) if private else self.word()
        return send("PUT", address, {"markdown": text, "private": private})

    def comments(self, send: Any) -> Any:
        place = self.chance.choice(
            [f"/papers/{self.paper()}", f"/topics/{self.one(Topic.slug)}", f"/questions/{self.one(Question.id)}"]
        )
        deed, comment = self.chance.randrange(6), self.one(Comment.id)
        if deed < 2:
            parent = comment if self.chance.random() < 0.3 else None
            return send("POST", f"{place}/comments", {"markdown": self.word(), "parent": parent})
        if deed == 2:
            return send("PATCH", f"/comments/{comment}", {"markdown": self.word()})
        if deed == 3:
            return send("DELETE", f"/comments/{comment}")
        return send("POST", f"/comments/{comment}/{self.chance.choice(['resolve', 'reopen', 'restore'])}")

    def questions(self, send: Any) -> Any:
        deed = self.chance.randrange(3)
        if deed == 0:
            return send("POST", "/questions", {"text": self.word(), "paper": self.paper()})
        if deed == 1:
            return send("PATCH", f"/questions/{self.one(Question.id)}", {"text": self.word(), "owner": self.me + 1})
        return send("DELETE", f"/questions/{self.one(Question.id)}")

    def relations(self, send: Any) -> Any:
        address, kind = f"/papers/{self.paper()}/relations", self.chance.choice(["cites", "extends"])
        deed, to = self.chance.randrange(4), self.paper()
        if deed == 0:
            return send("DELETE", address, {"to": to, "kind": kind})
        return send("POST", address, {"to": to, "kind": kind, "note": self.word()})

    def comparisons(self, send: Any) -> Any:
        place = f"/topics/{self.one(Topic.slug)}/comparisons"
        deed, table = self.chance.randrange(3), self.one(Comparison.id)
        fields = {"title": self.word(), "columns": ["one"], "rows": [{"cells": ["1"], "paper": self.paper()}]}
        if deed == 0:
            return send("POST", place, fields)
        return send("PATCH", f"/comparisons/{table}", fields) if deed == 1 else send("DELETE", f"/comparisons/{table}")

    def meetings(self, send: Any) -> Any:
        deed, meeting = self.chance.randrange(4), self.one(Meeting.id)
        if deed == 0:
            day = f"2030-{self.chance.randint(1, 12):02}-{self.chance.randint(1, 28):02}"
            return send(
                "POST", "/meetings", {"title": self.word(), "date": day, "at": "15:00", "presenter": self.me + 1}
            )
        if deed == 1:
            return send("PATCH", f"/meetings/{meeting}", {"title": self.word()})
        if deed == 2:
            return send("DELETE", f"/meetings/{meeting}")
        return send("POST", f"/meetings/{meeting}/agenda", {"paper": self.paper(), "presenter": self.me + 1})

    def assignments(self, send: Any) -> Any:
        deed, assignment = self.chance.randrange(3), self.one(Assignment.id)
        if deed == 0:
            person = self.chance.randint(1, len(self.browsers))
            return send("POST", "/assignments", {"paper": self.paper(), "person": person})
        if deed == 1:
            return send("POST", f"/assignments/{assignment}/answer", {"answer": "accept"})
        return send("DELETE", f"/assignments/{assignment}")

    def trash(self, send: Any) -> Any:
        found = self.browsers[self.me].get(
            "/api/v1/trash", params={"kind": self.chance.choice(["papers", "summaries", "comments", "others"])}
        )
        items = found.json()["items"]
        if not items:
            return None
        item = self.chance.choice(items)
        return send("POST", f"/trash/{item['kind']}/{item['id']}/restore")

    def names_of_people(self, send: Any) -> Any:
        return send("PATCH", "/me", {"name": f"{self.names[self.me]} {self.chance.randrange(10**6)}"})

    def people(self, send: Any) -> Any:
        """An admin disables or erases a guest, who has a part in everything, or invites the next one."""
        guest = self.one(Person.id, col(Person.id) > len(self.browsers), col(Person.erased_at).is_(None))
        deed = self.chance.randrange(4)
        if deed == 0:
            return send("DELETE", f"/people/{guest}")
        if deed < 3:
            return send("PATCH", f"/people/{guest}", {"disabled": self.chance.random() < 0.8})
        with self.database.write() as tx:
            fill(tx, make.visitor(tx, f"Guest {self.word()}").id)
        return None

    def bulk_actions(self, send: Any) -> Any:
        if self.chance.random() < 0.4:
            return send("POST", f"/bulk/{self.one(UndoEntry.id)}/undo")
        deed, papers = self.chance.randrange(4), [self.paper() for _ in range(3)]
        wish: dict[str, Any] = {"papers": list(dict.fromkeys(papers))}
        if deed == 0:
            return send("POST", "/bulk", {**wish, "act": "delete"})
        if deed == 1:
            return send("POST", "/bulk", {**wish, "act": "merge", "into": papers[0]})
        if deed == 2:
            return send("POST", "/bulk", {**wish, "act": "topics", "topics": {"add": [self.word()]}})
        private = self.chance.random() < 0.5
        return send("POST", "/bulk", {**wish, "act": "reading", "reading": {"status": "read", "private": private}})

    def imports(self, send: Any) -> Any:
        deed, number = self.chance.randrange(4), self.one(NoteRevision.id)
        if deed == 0:
            text = f"# {self.word()}\n- {self.word()} (arXiv:2401.{self.chance.randrange(10**5):05})"
            return send("POST", "/imports", {"title": f"{self.chance.choice(WORDS)}.md", "text": text})
        if deed == 1:
            return send("POST", f"/imports/{number}/cancel")
        answer = send("POST", f"/imports/{number}/commit", {"status": self.chance.choice(["read", "to_read", None])})
        while queue.run_due_job(self.database, OFFLINE, kinds=("imports.commit", "imports.discard")):
            pass
        return answer

    def orders(self, send: Any) -> Any:
        place = f"/topics/{self.one(Topic.slug)}"
        if self.chance.random() < 0.5:
            return send("PUT", f"{place}/order/{self.paper()}/position", {"to": self.chance.choice(["top", "up"])})
        return send("POST", f"{place}/split", {"into": self.word(), "papers": [self.paper()]})


def fill(tx: Any, person_id: int) -> int:
    """A paper with one resource of each kind about it."""
    paper, topic = make.paper(tx), make.topic(tx)
    make.filed(tx, paper, topic)
    make.reading(tx, person_id, paper.id)
    make.summary(tx, person_id, paper.id)
    make.comment(tx, person_id, question_id=make.question(tx, paper_id=paper.id).id)
    make.added(tx, Comparison(topic_id=topic.id, title="Systems", columns=["Name"]))
    make.item(tx, make.meeting(tx, now() + timedelta(days=7)).id, paper_id=paper.id)
    make.assignment(tx, person_id, paper.id)
    return paper.id


@pytest.mark.both_databases
def test_whoever_follows_the_feed_has_what_they_could_get(database, sign_in):
    names = ["Ada", "Bo", "Cy"] if DEEP else ["Ada", "Bo"]  # each is one more who asks for everything there is
    with database.write() as tx:
        people = [make.visitor(tx, name, role="admin" if name == "Ada" else "editor") for name in names]
        papers = [fill(tx, person.id) for person in people for _ in range(2)]
        for one, other in pairwise(papers):
            make.added(tx, Relation(from_id=one, to_id=other, kind="discusses"))
    browsers = [sign_in(person) for person in people]
    team, copies = Team(database, browsers, names), [Copy(browser) for browser in browsers]
    acts = 10_000 if DEEP else {"sqlite": 100, "postgresql": 30}[database.dialect]
    for _ in range(acts):
        team.act()
        if team.chance.random() < 0.05:
            team.chance.choice(copies).follow(limit=17)
    assert team.refused < 0.7 * acts
    for number, copy in enumerate(copies):
        expected = Library(copy.browser).items
        assert {kind for kind, *_ in expected} == set(change_triggers.RESOURCES)
        assert copy.follow().items == expected
        assert Copy(copy.browser).follow().items == expected
        assert {other for other in range(len(copies)) if SECRET.format(name=other) in copy.seen} <= {number}
    assert any("only for" in copy.seen for copy in copies)


def test_the_api_describes_the_kinds_that_triggers_record():
    assert set(get_args(Kind)) == set(change_triggers.RESOURCES)


@pytest.fixture
def copy(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
        fill(tx, ada.id)
    return Copy(sign_in(ada)).follow()


@pytest.fixture
def bo(database):
    with database.write() as tx:
        return make.visitor(tx, "Bo")


def changes_of(copy):
    answer = copy.browser.get("/api/v1/changes", params={"since": copy.cursor})
    copy.cursor = answer.json()["next"]
    return [(change["kind"], change["id"], change["deleted"]) for change in answer.json()["items"]]


@pytest.mark.both_databases
def test_statements_without_a_command_are_changes_and_each_resource_stands_once(database, copy):
    assert changes_of(copy) == []
    with database.write() as tx:
        paper = make.paper(tx)
        tx.execute(sa.text("UPDATE paper SET title = 'Renamed', title_key = 'renamed'"))
        tx.execute(sa.text("DELETE FROM paper_topic"))
        tx.execute(sa.text("DELETE FROM relation"))
        tx.execute(sa.text("DELETE FROM comment"))
        tx.execute(sa.text("UPDATE paper SET compared_version = 7"))  # Nobody sees that.
    assert sorted(changes_of(copy)) == [("comment", 1, True), ("paper", 1, False), ("paper", paper.id, False)]
    assert changes_of(copy) == []


def test_a_deleted_comment_goes_with_its_last_reply(database, copy):
    with database.write() as tx:
        root = make.comment(tx, 1, paper_id=1)
        reply = make.comment(tx, 1, paper_id=1, parent_id=root.id)
    assert copy.browser.delete(f"/api/v1/comments/{root.id}").status_code == 204
    assert sorted(changes_of(copy)) == [("comment", root.id, False), ("comment", reply.id, False)]
    assert copy.browser.delete(f"/api/v1/comments/{reply.id}").status_code == 204
    assert sorted(changes_of(copy)) == [("comment", root.id, True), ("comment", reply.id, True)]


def test_a_merged_paper_names_the_one_that_has_it_now(database, copy):
    with database.write() as tx:
        survivor = make.paper(tx)
        tx.execute(sa.update(Paper).where(col(Paper.id) == 1).values(merged_into=survivor.id))
    items = copy.browser.get("/api/v1/changes").json()["items"]
    [merged] = [change for change in items if (change["kind"], change["id"]) == ("paper", 1)]
    assert (merged["deleted"], merged["merged_into"], merged["item"]) == (True, survivor.id, None)


def test_a_private_reading_and_summary_are_changes_for_their_owner_only(database, copy, bo, sign_in):
    other = Copy(sign_in(bo)).follow()
    with database.write() as tx:
        make.reading(tx, bo.id, 1, private=True)
        summary = make.summary(tx, bo.id, 1, private=True)
        tx.flush()
        summary.markdown = "Another text."
    assert changes_of(copy) == []
    assert sorted(changes_of(other)) == [("reading", 1, False), ("summary", summary.id, False)]


def test_a_summary_that_was_never_shared_is_in_nobody_elses_feed(database, copy, bo, sign_in):
    other = Copy(sign_in(bo)).follow()
    own_summary = SummaryUpdate(markdown="Mine.", private=True)
    with database.write() as tx:
        summary = edit_summary(tx, bo, 1, own_summary, version=None)
    assert changes_of(copy) == []
    assert changes_of(other) == [("summary", summary.id, False)]


def test_what_becomes_private_is_deleted_for_others(database, copy, bo, sign_in):
    other = Copy(sign_in(bo)).follow()
    with database.write() as tx:
        tx.execute(sa.text("UPDATE summary SET private = true"))
        summary = tx.scalar(sa.text("SELECT id FROM summary"))
    assert changes_of(other) == [("summary", summary, True)]
    assert changes_of(copy) == [("summary", summary, False)] * 2  # As the team's, and as one's own.


@pytest.mark.both_databases
def test_a_private_summary_of_a_merged_paper_is_hidden_and_shown_with_the_surviving_one(database, copy, sign_in):
    with database.write() as tx:
        chief = make.visitor(tx, "Chief", role="editor")
        make.summary(tx, 1, make.paper(tx).id, private=True)
        survivor = make.paper(tx).id
        middle = make.paper(tx, merged_into=survivor).id
        [summary] = tx.scalars(sa.select(Summary).where(col(Summary.private)))
        tx.get_one(Paper, summary.paper_id).merged_into = middle
        number = summary.id
    key = ("summary", number, None)
    assert key in copy.follow().items
    versions = f"/api/v1/summaries/{number}/versions"
    assert copy.browser.get(versions).status_code == 200
    assert sign_in(chief).delete(f"/api/v1/papers/{survivor}").status_code == 204
    assert key not in copy.follow().items
    assert copy.browser.get(versions).status_code == 404
    assert sign_in(chief).post(f"/api/v1/papers/{survivor}/restore").status_code < 300
    assert key in copy.follow().items


@pytest.mark.both_databases
def test_a_change_waits_for_an_uncommitted_one_before_it(database, copy, dialect):
    if dialect == "sqlite":
        pytest.skip("one writer at a time: numbers are given in the order of commits")
    with database.write() as slow:
        first = make.paper(slow).id
        with database.write() as quick:
            second = make.paper(quick).id
        assert changes_of(copy) == []
    assert changes_of(copy) == [("paper", first, False), ("paper", second, False)]


def test_a_cursor_of_another_incarnation_or_person_is_refused(database, copy, bo, sign_in):
    address = f"/api/v1/changes?since={copy.cursor}"
    assert sign_in(bo).get(address).json()["code"] == "bad-cursor"
    with database.write() as tx:
        tx.execute(sa.update(ChangeFeed).values(incarnation="restored"))
    answer = copy.browser.get(address)
    assert (answer.status_code, answer.json()["code"]) == (410, "start-again")
    copy.cursor = ""
    assert copy.follow().titles


def test_a_page_takes_the_same_statements_for_one_and_for_many(database, copy, statements):
    def cost():
        with statements() as seen:
            copy.browser.get("/api/v1/changes")
        return len(seen)

    few = cost()
    with database.write() as tx:
        for _ in range(5):
            fill(tx, 1)
    assert cost() == few
