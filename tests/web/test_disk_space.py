"""F3: uploads end where the disk does, with a sentence, and everything else goes on."""

import errno
import os
from tempfile import SpooledTemporaryFile

import pytest

from readtrack.web.app import create_app
from readtrack.web.dependencies import import_body
from tests import make
from tests.client import AppClient
from tests.conftest import ADDRESS, OWN_PAGES

LARGE = b"- https://arxiv.org/abs/2305.15778\n" * 60_000  # 2 MB


@pytest.fixture
def full(settings, database, sign_in):
    """A browser of a service whose disk has less free than is to be left."""
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
    crowded = create_app(settings.model_copy(update={"min_free_mb": 10**15}), database)
    cookies = dict(sign_in(ada).cookies)
    return AppClient(crowded, ADDRESS, headers=OWN_PAGES, cookies=cookies)


def test_f3_a_large_file_is_refused_before_it_fills_the_disk(full):
    answer = full.post("/api/v1/imports", content=LARGE, headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["code"]) == (507, "disk-full")
    assert "Not enough disk space" in answer.json()["detail"]
    page = full.post("/imports", files={"file": ("notes.md", LARGE)})
    assert (page.status_code, "Not enough disk space" in page.text) == (507, True)


def test_f3_a_file_of_unknown_length_is_refused_too(full):
    pieces = (LARGE[start : start + 100_000] for start in range(0, len(LARGE), 100_000))
    answer = full.post("/api/v1/imports", content=pieces, headers={"Content-Type": "text/plain"})
    assert (answer.status_code, answer.json()["code"]) == (507, "disk-full")


def test_f3_small_notes_are_taken_while_there_is_any_space(full):
    answer = full.post("/api/v1/imports", json={"text": "- https://arxiv.org/abs/2305.15778"})
    assert answer.status_code == 201


@pytest.mark.parametrize(("number", "status"), [(errno.ENOSPC, 507), (errno.EDQUOT, 507), (errno.EIO, 500)])
def test_f3_a_temporary_folder_that_fills_while_a_file_arrives_is_reported(
    app, database, sign_in, monkeypatch, number, status
):
    class FullFile(SpooledTemporaryFile[bytes]):
        def write(self, _data: object) -> int:
            raise OSError(number, os.strerror(number))

    monkeypatch.setattr(import_body, "SpooledTemporaryFile", FullFile)
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
    client = AppClient(
        app, ADDRESS, headers=OWN_PAGES, cookies=dict(sign_in(ada).cookies), raise_server_exceptions=False
    )
    answer = client.post("/api/v1/imports", content=LARGE, headers={"Content-Type": "text/plain"})
    assert answer.status_code == status
    assert ("disk" in answer.json()["detail"]) == (status == 507)


def test_f3_admins_see_on_every_page_that_the_disk_is_almost_full(settings, database, sign_in):
    with database.write() as tx:
        admin, member = make.visitor(tx, "Ada", role="admin"), make.visitor(tx, "Ben")
    for min_free_mb, visitor, is_told in ((10**15, admin, True), (10**15, member, False), (0, admin, False)):
        app = create_app(settings.model_copy(update={"min_free_mb": min_free_mb}), database)
        browser = AppClient(app, ADDRESS, headers=OWN_PAGES, cookies=dict(sign_in(visitor).cookies))
        for address in ("/", "/papers", "/settings/system" if visitor is admin else "/settings"):
            assert ("The disk is almost full." in browser.get(address).text) is is_told
