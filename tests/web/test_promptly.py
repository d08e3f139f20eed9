"""Where requests are answered: short ones on the event loop, all others in threads, and none is kept from its turn."""

import asyncio
import threading
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
from sqlmodel import col
from starlette.responses import Response

from readtrack.db import TurnTaken
from readtrack.markdown import render
from readtrack.models import Person
from readtrack.web.promptly import promptly
from tests import make


def here(_q: str = "") -> Response:
    return Response(threading.current_thread().name)


@pytest.fixture
async def asked(database):
    async def ask(**given):
        with database.read() as tx:
            answer = await promptly(lambda **_: here())(tx=tx, **given)
        return bytes(answer.body).decode() == threading.current_thread().name

    return ask


@pytest.mark.anyio
async def test_a_short_question_is_answered_where_it_came_in_when_the_database_is_near(asked, database):
    assert await asked() is database.near


@pytest.mark.anyio
@pytest.mark.parametrize(
    "given", [{"q": "title:attention"}, {"wanted": SimpleNamespace(view=7)}], ids=["a-search", "a-saved-view"]
)
async def test_a_search_takes_its_time_in_a_thread(asked, given):
    assert await asked(**given) is False


@pytest.mark.anyio
async def test_a_page_with_long_texts_is_made_in_a_thread_while_others_are_answered(database):
    """A5"""
    text = "Words of a *long* text.\n\n" * 1_000
    made = list[str]()

    def page(**_):
        made.append(threading.current_thread().name)
        return Response(render(text))

    with database.read() as tx:
        answer = await promptly(page)(tx=tx)

    assert bytes(answer.body).count(b"<em>long</em>") == 1_000
    assert made[-1] != threading.current_thread().name


def test_a_change_at_once_is_kept(database):
    if not database.near:
        with pytest.raises(TurnTaken), database.write_now():
            pass
        return
    with database.write_now() as tx:
        ada = make.person(tx, "Ada").id
    with database.read() as tx:
        assert tx.get(Person, ada) is not None


def test_who_would_have_to_wait_is_told_so_at_once_and_what_is_written_meanwhile_stays(database):
    with database.write() as tx:
        ada = make.person(tx, "Ada").id
        with pytest.raises(TurnTaken), database.write_now():
            pass
    with database.read() as tx:
        assert tx.get(Person, ada) is not None


def test_the_turn_is_free_again_after_a_change_at_once_that_broke(database):
    if not database.near:
        pytest.skip("a database elsewhere has no turns")

    def broken():
        with database.write_now() as tx:
            make.person(tx, "Ada")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        broken()
    with database.write_now() as tx:
        bo = make.person(tx, "Bo").id
    with database.read() as tx:
        assert tx.scalars(sa.select(col(Person.id))).all() == [bo]


def test_another_process_that_writes_is_not_waited_for(database):
    if not database.near:
        pytest.skip("a database elsewhere has no turns")
    other = type(database)(database.url)
    with other.write() as tx:
        make.person(tx, "Ada")
        with pytest.raises(TurnTaken), database.write_now():
            pass
    other.dispose()
    with database.write_now() as tx:
        make.person(tx, "Bo")


@pytest.mark.anyio
async def test_a_change_waits_for_one_page_and_not_for_all_that_are_wanted(database):
    if not database.near:
        pytest.skip("a database elsewhere is waited for in threads")
    done: list[str] = []

    def said(word: str):
        def answered(**_):
            done.append(word)
            return here()

        return promptly(answered)

    with database.read() as reading:
        pages = [asyncio.create_task(said("page")(tx=reading)) for _ in range(8)]
        await asyncio.sleep(0)  # all of them have begun
        with database.write() as writing:
            await said("change")(tx=writing)
        await asyncio.gather(*pages)
    assert done.index("change") <= 1
    assert len(done) == 9


def test_a_status_is_changed_while_somebody_else_writes(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx, "Ada")
        paper = make.paper(tx).id
    browser, held, free = sign_in(ada), threading.Event(), threading.Event()

    def occupy():
        with database.write() as tx:
            make.person(tx, "Bo")
            held.set()
            free.wait(5)

    other = threading.Thread(target=occupy)
    other.start()
    held.wait(5)
    threading.Timer(0.1, free.set).start()
    answer = browser.put(f"/api/v1/papers/{paper}/reading", json={"status": "reading"})
    other.join()
    assert answer.status_code == 201
