"""Whatever changes a text calls `text_saved` once, and search, links and mentions all learn of it."""

import re
from pathlib import Path

import pytest

import readtrack
import readtrack.bootstrap
from readtrack.infra import saved_texts
from readtrack.infra.saved_texts import text_saved
from readtrack.library.references.index import TEXTS
from tests import make

SOURCE = Path(readtrack.__file__).parent


def test_all_subscribers_of_saved_texts_are_registered():
    assert saved_texts.SUBSCRIBERS.keys() == saved_texts.EXPECTED


def test_a_missing_subscriber_raises_instead_of_losing_an_update(database, monkeypatch):
    monkeypatch.delitem(saved_texts.SUBSCRIBERS, "links")
    with database.write() as tx, pytest.raises(RuntimeError, match="links"):
        text_saved(tx, "summary", [1])


@pytest.mark.parametrize("kind", TEXTS)
def test_every_kind_of_text_is_covered(database, kind):
    with database.write() as tx:
        make.visitor(tx, "Ada")
        text_saved(tx, kind, [])


def test_no_command_updates_the_index_of_a_text_directly():
    own = {"search/__init__.py", "library/references/index.py"}
    calls = re.compile(r"\b(?:update_summaries|update_comments|index_references)\(")
    found = {
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if calls.search(path.read_text("utf-8"))
    }
    assert found == own
