"""What a model may not do: cost more than it may, lead elsewhere, tell a secret, keep a trace of the erased."""

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from sqlmodel import col

from readtrack.infra.clock import now
from readtrack.infra.errors import TooManyRequests
from readtrack.infra.models import LlmUsage, Person
from readtrack.team.accounts.commands.erase import erase_person
from readtrack.workspace.ai_drafts.token_budget import count_tokens_today, reserve_tokens
from tests import make

pytestmark = pytest.mark.both_databases


@pytest.fixture
def member(library):
    with library.write() as tx:
        return make.visitor(tx, "Ada")


def ask(browser, paper_id):
    return browser.post(f"/api/v1/papers/{paper_id}/ai-draft", json={"of": "tldr"})


def test_concurrent_requests_never_exceed_the_budget(library, member):
    def one(_number):
        try:
            with library.write() as tx:
                reserve_tokens(tx, member, "tldr", budget=8_000)
        except TooManyRequests:
            return 0
        return 1

    with ThreadPoolExecutor(6) as threads:
        taken = sum(threads.map(one, range(12)))
    with library.read() as tx:
        assert (taken, count_tokens_today(tx)) == (3, 7_950)


def test_a_redirect_is_not_followed_and_receives_no_key(member, sign_in, model, paper_id):
    model.status, model.body, model.leads_to = 307, b"elsewhere", f"{model.url}/other"
    answer = ask(sign_in(member), paper_id)
    assert answer.status_code in {502, 503}
    assert "answered with a redirect" in answer.json()["detail"]
    assert len(model.requests) == 1


@pytest.mark.deep
@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_no_error_log_or_page_contains_the_key(member, sign_in, model, paper_id, status, caplog, capfd):
    model.status, model.body = status, b'{"error": "the key sesame is wrong"}'
    browser = sign_in(member)
    with caplog.at_level(logging.DEBUG):
        answer = ask(browser, paper_id)
        page = browser.get(f"/papers/{paper_id}")
    assert answer.status_code >= 500
    printed = capfd.readouterr()
    for told in (answer.text, page.text, caplog.text, printed.out, printed.err):
        assert "sesame" not in told


def test_hostile_markup_prompted_by_an_abstract_is_shown_as_text(library, member, sign_in, model, paper_id):
    model.says = "</article><form action=/sign-out><button>{{7*7}} %s {0.__class__}</form> [[Unicron]] @Ada"
    page = sign_in(member).post(f"/papers/{paper_id}/ai-draft", data={"of": "tldr"}).text
    assert "<form action=/sign-out" not in page
    assert "{{7*7}} %s {0.__class__}" in page


def test_a_viewer_who_may_write_a_summary_may_have_one_drafted(library, sign_in, model, paper_id):
    with library.write() as tx:
        viewer = make.visitor(tx, "Vera", role="viewer")
    assert ask(sign_in(viewer), paper_id).status_code == 200


def test_erasing_a_person_deletes_the_usage_records_of_their_drafts(library, member):
    with library.write() as tx:
        admin = make.visitor(tx, "Root", role="admin")
        reserve_tokens(tx, member, "tldr", budget=10_000)
        tx.get_one(Person, member.id).disabled_at = now()
        erase_person(tx, admin, member.id)
        assert tx.scalars(sa.select(col(LlmUsage.id))).all() == []
