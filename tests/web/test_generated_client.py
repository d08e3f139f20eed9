"""A client in Python that is generated from the description does the main job against a readtrack that is served."""

import importlib
import sys
from pathlib import Path
from types import ModuleType

import pytest

from tests.faults.serving import Served
from tests.processes import until
from tests.standin import ArxivStandIn

pytestmark = [pytest.mark.slow, pytest.mark.deep]
PAPER = "2305.15778"
FILES = {  # the generator knows no other media types of files
    "application/zip": "application/octet-stream",
    "application/x-bibtex": "text/plain",
    "application/x-research-info-systems": "text/plain",
}


def generate_client(description: Path, folder: Path) -> list[object]:
    """Write a package and return what of the description did not become a part of it."""
    from openapi_python_client import generate  # noqa: PLC0415 - two seconds, which collecting all tests does without
    from openapi_python_client.config import Config, ConfigFile, MetaType  # noqa: PLC0415

    options = ConfigFile(post_hooks=[], literal_enums=True, content_type_overrides=FILES)
    return [*generate(config=Config.from_sources(options, MetaType.NONE, description, "utf-8", False, folder))]


@pytest.fixture
def served(tmp_path):
    with ArxivStandIn() as arxiv:
        environment = {"READTRACK_ARXIV_URL": arxiv.url, "READTRACK_ARXIV_INTERVAL": "0"}
        with Served.created_in(tmp_path, environment) as served, served.running():
            yield served


@pytest.fixture
def load_module(served, tmp_path, monkeypatch):
    """`load_module("models")` is that module of the generated package."""
    description = tmp_path / "openapi.json"
    description.write_text(served.ask("GET", "/api/openapi.json")[1], encoding="utf-8")
    assert generate_client(description, tmp_path / "generated_client") == []
    monkeypatch.syspath_prepend(tmp_path)

    def load(name: str) -> ModuleType:
        return importlib.import_module(f"generated_client.{name}")

    yield load
    for name in [name for name in sys.modules if name.split(".")[0] == "generated_client"]:
        del sys.modules[name]


def test_a_client_generated_from_the_description_does_the_main_job(served, load_module):
    client_module, models = load_module("client"), load_module("models")
    create_paper = load_module("api.papers.create_paper")
    get_paper = load_module("api.papers.get_paper")
    list_papers = load_module("api.papers.list_papers")
    update_reading = load_module("api.readings.update_reading")
    update_summary = load_module("api.summaries.update_summary")
    list_changes = load_module("api.changes.list_changes")

    with client_module.AuthenticatedClient(served.url, served.secret) as client:
        added = create_paper.sync(client=client, body=models.PaperCreate(identifier=PAPER, topics=["Incidents"]))
        assert (added.created, added.identifiers) == (True, [f"arxiv:{PAPER}"])

        def find_fetched():
            paper = get_paper.sync(added.id, client=client, include="topics")
            return paper if paper.authors else None

        paper = until(find_fetched, "its metadata is there")
        assert [topic.slug for topic in paper.topics] == ["incidents"]
        reading = update_reading.sync(paper.id, client=client, body=models.ReadingUpdate(status="reading"))
        assert (reading.status, reading.progress) == ("reading", None)
        text = models.SummaryUpdate(markdown="They predict root causes.")
        assert update_summary.sync(paper.id, client=client, body=text, if_none_match="*").version == 1
        refused = update_summary.sync(paper.id, client=client, body=text, if_match='"1.0"')
        assert (refused.status, refused.code) == (412, "stale")

        page = list_papers.sync(client=client, q="status:reading", include="reading,total")
        assert [(item.title, item.reading.status) for item in page.items] == [(paper.title, "reading")]
        assert (page.total, page.next_) == (1, None)

        feed = list_changes.sync(client=client)
        changed = {change.kind: change.item for change in feed.items}
        assert type(changed["paper"]).__name__ == "PaperCopy"
        assert changed["paper"].title == paper.title
        assert changed["reading"].current.status == "reading"
        assert changed["summary"].markdown == "They predict root causes."
        assert list_changes.sync(client=client, since=feed.next_).items == []
