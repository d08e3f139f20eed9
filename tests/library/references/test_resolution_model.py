"""What names lead to, through whatever happens to papers and topics: held against a list of what each once meant."""

import random
from typing import Any
from urllib.parse import quote

import pytest

from readtrack.infra.errors import Conflict
from readtrack.infra.models import Comment, Paper, Topic, UndoEntry
from readtrack.infra.text import normalize
from readtrack.library.duplicates.merge import list_merges, merge_papers, unmerge
from readtrack.library.papers.commands import NewPaper, add_papers, delete_paper, restore_paper
from readtrack.library.papers.edit import PaperUpdate, edit_paper
from readtrack.library.references.resolve import get_render_context
from readtrack.library.topics.commands import TopicCreate, TopicUpdate, add_topic, edit_topic
from readtrack.library.topics.delete import delete_topic
from readtrack.library.topics.merge import merge_topics
from readtrack.team.discussion.commands import CommentCreate, CommentUpdate, add_comment, edit_comment
from readtrack.team.discussion.targets import DiscussionTarget
from readtrack.workspace.trash.restore import restore_undo_entry
from tests import make
from tests.depth import DEEP

pytestmark = [pytest.mark.slow, pytest.mark.one_database]  # many changes; `make check` is to be quick
CALLED = ["Gemini", "Bamboo: Preemptible", "容错", "On queues", "Oobleck"]
NAMES = [*CALLED, "Bamboo", "gemini"]
SHORT = {"name:bamboo"}


class Library:
    """Papers, topics and texts that something happens to. `meant`: of each text and name, the thing it means."""

    def __init__(self, tx: Any, chance: random.Random) -> None:
        self.tx, self.chance = tx, chance
        self.me = make.visitor(tx, "Ada", role="admin")
        self.talk = make.paper(tx, "Where they talk")
        self.papers: list[int] = []
        self.gone: list[int] = []
        self.merged: dict[int, int] = {}  # paper -> into which
        self.joined: list[tuple[int, int]] = []  # the same of all that ever were
        self.topics: dict[int, str] = {}
        self.into: dict[int, tuple[int, int]] = {}  # topic -> the one that it is in, and the deed
        self.thrown: dict[int, int] = {}  # topic -> the deed
        self.left: set[tuple[str, int]] = set()  # topics that were ever thrown away
        self.texts: list[int] = []
        self.meant: dict[tuple[int, str], list[tuple[str, int]]] = {}

    def present(self) -> list[int]:
        return [one for one in self.papers if one not in self.gone and one not in self.merged]

    def add_paper(self) -> None:
        self.papers += add_papers(self.tx, self.me, [NewPaper((), {"title": self.chance.choice(CALLED)})])

    def name_paper(self) -> None:
        number = self.chance.choice(self.present())
        version = self.tx.get_one(Paper, number).version
        edit_paper(self.tx, self.me, number, PaperUpdate(title=self.chance.choice(CALLED)), version=version)

    def throw_paper(self) -> None:
        number = self.chance.choice([one for one in self.present() if one not in self.merged.values()])
        delete_paper(self.tx, self.me, number)
        self.gone.append(number)

    def bring_paper(self) -> None:
        number = self.chance.choice(self.gone)
        restore_paper(self.tx, self.me, number)
        self.gone.remove(number)

    def merge_papers(self) -> None:
        one, two = self.chance.sample(self.present(), 2)
        merge_papers(self.tx, self.me, one, into_id=two)
        self.merged[one] = two
        self.joined.append((one, two))

    def part_papers(self) -> None:
        into = self.chance.choice([two for two in self.merged.values() if two in self.present()])
        merge = list_merges(self.tx, into)[0]
        unmerge(self.tx, self.me, merge.id)
        del self.merged[merge[1]]

    def add_topic(self) -> None:
        topic = add_topic(self.tx, self.me, TopicCreate(name=self.chance.choice(CALLED)))
        self.topics[topic.id or 0] = topic.name

    def name_topic(self) -> None:
        topic = self.topic()
        name = self.chance.choice([*CALLED, f"Renamed {self.chance.random()}"])
        edit_topic(self.tx, self.me, topic.slug, TopicUpdate(name=name), version=topic.version)

    def topic(self) -> Topic:
        found: Topic = self.tx.get_one(Topic, self.chance.choice([*self.topics]))
        return found

    def merge_topics(self) -> None:
        one, two = (self.tx.get_one(Topic, number) for number in self.chance.sample([*self.topics], 2))
        number = one.id
        _kept, deed = merge_topics(self.tx, self.me, one.slug, two.slug)
        self.into[number] = (two.id, deed)
        del self.topics[number]

    def part_topics(self) -> None:
        number = [*self.into][-1]
        _into, deed = self.into[number]
        restore_undo_entry(self.tx, self.me, self.tx.get_one(UndoEntry, deed))
        self.topics[number] = ""
        del self.into[number]

    def throw_topic(self) -> None:
        number = self.chance.choice([one for one in self.topics if one not in {into for into, _ in self.into.values()}])
        topic = self.tx.get_one(Topic, number)
        deed = delete_topic(self.tx, self.me, topic.slug)
        self.thrown[number] = deed
        self.left.add(("topic", number))
        del self.topics[number]

    def bring_topic(self) -> None:
        number = self.chance.choice([*self.thrown])
        restore_undo_entry(self.tx, self.me, self.tx.get_one(UndoEntry, self.thrown[number]))
        self.topics[number] = ""
        del self.thrown[number]

    def say(self) -> None:
        text = " ".join(f"[[{name}]]" for name in self.chance.sample(NAMES, 3))
        said = CommentCreate(markdown=f"{len(self.texts)} {text}")
        self.texts.append(add_comment(self.tx, self.me, DiscussionTarget("paper", self.talk.id, ""), said).id or 0)

    def say_more(self) -> None:
        row = self.tx.get_one(Comment, self.chance.choice(self.texts))
        edit_comment(self.tx, self.me, row.id, CommentUpdate(markdown=f"{row.markdown} more"), version=row.version)

    def place(self, thing: tuple[str, int]) -> str | None:
        """Where it leads now."""
        kind, number = thing
        if kind == "paper":
            while number in self.merged:
                number = self.merged[number]
            return None if number in self.gone else f"/papers/{number}"
        while number in self.into:
            number = self.into[number][0]
        topic = self.tx.get(Topic, number)
        return f"/topics/{quote(topic.slug)}" if topic else None

    def things(self, address: str) -> tuple[str, int]:
        """What is at an address."""
        kind, _, where = address.removeprefix("/").partition("/")
        if kind == "papers":
            return "paper", int(where)
        return "topic", next(one for one in self.topics if self.place(("topic", one)) == address)

    def check(self) -> None:
        self.tx.flush()
        rows = [self.tx.get_one(Comment, number) for number in self.texts]
        around = get_render_context(self.tx, [row.markdown for row in rows], [("comment", row.id) for row in rows])
        today = get_render_context(self.tx, [" ".join(f"[[{name}]]" for name in NAMES)])
        means = {key: target.href for key, target in next(iter(today.references.values())).items()}
        for row in rows:
            led = {key: target.href for key, target in around.references[row.markdown].items()}
            for name in NAMES:
                if f"[[{name}]]" in row.markdown:
                    self.check_one((row.id, f"name:{normalize.key(name)}"), led, means)

    def check_one(self, where: tuple[int, str], led: dict[str, str], means: dict[str, str]) -> None:
        """What a name meant it means still; what meant nothing means what is called so now."""
        address, today = led.get(where[1]), means.get(where[1])
        known = self.meant.setdefault(where, [])
        places = {self.place(thing) for thing in known}
        if self.left & {*known}:  # a topic that was thrown away, and may be back: another may have come since
            joined = {f"/papers/{into}" for one, into in self.joined if ("paper", one) in known}
            assert address in {*places, *joined, today}, (where, known)
        elif known:
            assert {address} == places, (where, known)
        elif where[1] not in SHORT or address:  # a short name may have been that of two when the text was saved
            assert address == today, where
        if address and address not in places:
            known.append(self.things(address))


STEPS = [
    name
    for name in vars(Library)
    if not name.startswith("_") and name not in {"present", "topic", "place", "things", "check", "check_one"}
]


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(8 if DEEP else 1))
def test_a_name_permanently_keeps_its_first_meaning(database, seed):
    with database.write() as tx:
        library = Library(tx, random.Random(seed))
        done = []
        for _ in range(70):
            step = library.chance.choice(STEPS)
            try:
                with tx.begin_nested():
                    getattr(library, step)()
            except (IndexError, ValueError, Conflict):  # nothing to do it with, or refused
                continue
            done.append(step)
            library.check()
        assert len({*done}) > 6
