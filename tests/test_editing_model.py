"""People edit the same topic and their own summaries, in many windows and programs, in any order: requests get lost
before or after they were answered and are sent again, texts are deleted, brought back, taken from the history.

Whatever was saved is in the history, whoever is in conflict is shown all texts, and no version is left out.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count
from random import Random
from typing import Any

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack.infra.models import Summary, SummaryVersion, Topic, TopicVersion, UndoEntry
from tests import make
from tests.client import AppClient
from tests.depth import DEEP

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # thousands of requests
RUNS = {"sqlite": 1_000 if DEEP else 25, "postgresql": 60}
STEPS = 5
WAYS = ("Save mine", "Keep both", "Save", "Keep version")


@dataclass
class Window:
    """What somebody has before them: whose browser, which text, by a form or a program; and what was loaded there."""

    browser: AppClient
    text: "Text"
    form: bool
    version: int | None = None
    loaded: str = ""
    typed: str = ""


@dataclass
class Text:
    """A topic, or somebody's summary. `saved`: all texts that the server said it has saved."""

    place: str
    of: str
    numbers: Callable[[], tuple[int, int]]  # id and version of what stands there
    saved: set[str] = field(default_factory=set)

    def address(self, window: Window) -> str:
        return f"{'' if window.form else '/api/v1'}{self.place}"


class Team:
    """One run: a topic, a paper, two people with two windows each on both texts."""

    def __init__(self, seed: int, database: Any, browsers: list[AppClient], people: list[Any]) -> None:
        self.random, self.database, self.words = Random(seed), database, count(1)
        self.seen = Counter[str]()
        with database.write() as tx:
            topic = make.topic(tx, f"Topic {seed}", markdown="\n\n".join(f"begun {n}" for n in range(4)))
            paper = make.paper(tx)
        self.topic_id, self.slug, self.paper_id = topic.id, topic.slug, paper.id
        shared = Text(f"/topics/{topic.slug}", "topic", lambda: self.now(Topic, col(Topic.id) == topic.id))
        self.texts = [shared, *(self.summary_of(person) for person in people)]
        at_first = {"topic": {"version": 1, "loaded": topic.markdown, "typed": topic.markdown}}
        self.windows = [
            Window(browser, text, form, **at_first.get(text.of, {}))
            for browser, own in zip(browsers, self.texts[1:], strict=True)
            for text in (shared, own)
            for form in (True, True, False)
        ]

    def summary_of(self, person: Any) -> Text:
        mine = sa.and_(col(Summary.paper_id) == self.paper_id, col(Summary.person_id) == person.id)
        return Text(f"/papers/{self.paper_id}/summary", "summary", lambda: self.now(Summary, mine))

    def now(self, table: Any, which: Any) -> tuple[int, int]:
        with self.database.read() as tx:
            row = tx.execute(sa.select(table.id, table.version).where(which)).one_or_none()
            return (row.id, row.version) if row else (0, 0)

    # What people do

    def run(self) -> None:
        deeds = [self.save] * 8 + [self.send_twice] * 2 + [self.lose] * 2 + [self.reload, self.restore, self.delete]
        for _ in range(STEPS):
            self.random.choice(deeds)(self.random.choice(self.windows))
        self.check()

    def load(self, window: Window) -> None:
        """What the doors show is tested with them; here it would take half of the time."""
        _, version = window.text.numbers()
        window.version, window.loaded = version or None, self.text_now(window)
        window.typed = window.loaded

    def reload(self, window: Window) -> None:
        self.load(window)

    def type(self, window: Window) -> None:
        """Changes a paragraph, or adds one."""
        parts = window.typed.split("\n\n") if window.typed else []
        at = self.random.randrange(len(parts) + 1)
        parts[at : at + self.random.choice([0, 1, 1, 1])] = [f"word {next(self.words)}"]
        window.typed = "\n\n".join(parts)

    def save(self, window: Window) -> None:
        """From whatever version the window has; sometimes it goes on from there afterwards, without a look."""
        self.type(window)
        self.answered(window, self.send(window))
        if self.random.random() < 0.4:
            self.load(window)

    def send_twice(self, window: Window) -> None:
        """The answer gets lost, and the same is sent again at once: nothing new comes of that."""
        self.type(window)
        first = self.send(window)
        before = window.text.numbers()
        again = self.send(window)
        assert window.text.numbers() == before
        assert first.status_code in {again.status_code, 200, 201}
        self.answered(window, again if window.form else first)

    def lose(self, window: Window) -> None:
        """The request never arrives, or its answer does not; the text is sent again later, after others."""
        self.type(window)
        if self.random.random() < 0.5 and self.send(window).status_code in {303, 200, 201}:
            window.text.saved.add(window.typed)
        self.save(self.random.choice([other for other in self.windows if other is not window]))
        self.answered(window, self.send(window))
        self.load(window)

    def restore(self, window: Window) -> None:
        number, newest = window.text.numbers()
        if newest:
            there = window.text.place if window.text.of == "topic" else f"/summaries/{number}"
            chosen = self.random.randint(1, newest)
            assert window.browser.post(f"{there}/versions/{chosen}/restore").status_code in {303, 404}

    def delete(self, window: Window) -> None:
        """And undoes it, sometimes after others went on."""
        deleted = window.browser.delete(f"/api/v1{window.text.place}")
        assert deleted.status_code in {204, 404}
        if self.random.random() < 0.5:
            self.save(self.random.choice(self.windows))
        self.bring_back(window)

    def bring_back(self, window: Window) -> None:
        if window.text.of == "summary":
            number, _ = window.text.numbers()
            window.browser.post(f"/trash/summaries/{number}/restore")
        elif not window.text.numbers()[0]:
            with self.database.read() as tx:
                deed = tx.scalar(sa.select(col(UndoEntry.id)).order_by(col(UndoEntry.created_at).desc()).limit(1))
            assert window.browser.post(f"/trash/others/{deed}/restore").status_code == 303

    # What the server answers

    def send(self, window: Window, **fields: str) -> Any:
        said = {"markdown": window.typed, **fields}
        if window.form:
            version = "" if window.version is None else str(window.version)
            name = {"name": f"Topic {self.slug.removeprefix('topic-')}"} if window.text.of == "topic" else {}
            return window.browser.post(f"{window.text.place}/edit", data={**name, "version": version, **said})
        number, _ = window.text.numbers()
        tag = {"If-Match": f'"{number}.{window.version}"'} if window.version else {"If-None-Match": "*"}
        method = "PATCH" if window.text.of == "topic" else "PUT"
        return window.browser.request(method, f"/api/v1{window.text.place}", json=said, headers=tag)

    def answered(self, window: Window, answer: Any) -> None:
        self.seen[str(answer.status_code)] += 1
        if answer.status_code in {303, 200, 201}:
            window.text.saved.add(window.typed)
            self.seen["together"] += answer.headers.get("location", "").endswith("/versions")
        elif answer.status_code == 409:
            self.decide(window, html.fromstring(answer.text))
        elif answer.status_code == 412:
            self.shown(window, answer.json()["current"])
        else:
            assert answer.status_code in {404, 422, 428}, answer.text  # gone, nothing left of it, or never loaded

    def shown(self, window: Window, current: dict[str, Any]) -> None:
        """A program has its own text, and gets the two others."""
        assert current["markdown"] == self.text_now(window)
        if window.version:
            assert current["base"]["markdown"] == window.loaded

    def decide(self, window: Window, document: Any) -> None:
        """All texts are shown whole; each way out does what it says."""
        pane, *further = [_without_removed(pre) for pre in document.xpath("//main//pre")]
        assert pane == self.text_now(window)
        assert further[0] == window.typed
        if window.version:
            assert further[1] == window.loaded
        forms = {" ".join(form.xpath("(.//button)[1]")[0].text_content().split()): form
                 for form in document.xpath("//main//form")}  # fmt: skip
        words = [word for word in forms if word.startswith((*WAYS, "Save mine"))]
        assert words
        chosen = forms[self.random.choice(words)]
        fields = {one.get("name"): one.value for one in chosen.xpath(".//input[@name]|.//textarea[@name]")}
        fields["markdown"] = fields["markdown"].removeprefix("\n")
        assert window.browser.post(chosen.get("action"), data=fields).status_code == 303
        window.text.saved.add(fields["markdown"].strip())
        if fields.get("keep") == "theirs":
            assert self.text_now(window) == pane
        self.load(window)

    def text_now(self, window: Window) -> str:
        table: Any = Topic if window.text.of == "topic" else Summary
        number, _ = window.text.numbers()
        with self.database.read() as tx:
            return str(tx.scalar(sa.select(table.markdown).where(table.id == number)) or "")

    def check(self) -> None:
        for text in self.texts:
            number, newest = text.numbers()
            table: Any = TopicVersion if text.of == "topic" else SummaryVersion
            owner = table.topic_id if text.of == "topic" else table.summary_id
            with self.database.read() as tx:
                kept = sa.select(table.number, table.markdown).where(owner == number).order_by(table.number)
                rows = tx.execute(kept).all()
            assert [row.number for row in rows] == list(range(1, newest + 1))
            assert text.saved <= {row.markdown for row in rows}


def _without_removed(pre: Any) -> str:
    """A text as it is, out of what shows where it was changed."""
    text = "".join(pre.xpath(".//text()[not(ancestor::del)]"))
    return text.removeprefix("\n")


def test_every_saved_text_is_in_the_history_and_every_conflict_shows_all_texts(app, dialect, database, sign_in):
    with database.write() as tx:
        people = [make.visitor(tx, name, role="editor") for name in ("Ada", "Bo")]
    seen = Counter[str]()
    browsers = [sign_in(person) for person in people]
    for seed in range(RUNS[dialect]):
        team = Team(seed, database, browsers, people)
        try:
            team.run()
        except AssertionError as error:
            error.add_note(f"run {seed}")
            raise
        seen += team.seen
    assert all(seen[answer] > RUNS[dialect] / 10 for answer in ("303", "200", "409", "412", "together")), seen
