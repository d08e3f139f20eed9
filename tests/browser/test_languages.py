"""Japanese, Chinese, and the longest words there are: chosen by hand, right to the font, and cut off nowhere."""

from collections.abc import Iterator

import pytest
import sqlalchemy as sa
from playwright.sync_api import Page, ViewportSize, expect
from sqlmodel import col

from readtrack.cli import demo
from readtrack.infra.db import Database
from readtrack.infra.i18n import PSEUDO
from readtrack.infra.models import Person
from readtrack.infra.permissions import CurrentUser
from tests import make
from tests.browser.serving import Live, serving
from tests.depth import some

NARROW, WIDE = ViewportSize(width=320, height=640), ViewportSize(width=1280, height=800)
WALK = (
    "/home",
    "/papers",
    "/papers?display=table",
    "/papers/1",
    "/papers/1/edit",
    "/board",
    "/queue",
    "/progress",
    "/meetings",
    "/meetings/series/1",
    "/imports/new",
    "/settings/appearance",
    "/trash",
    "/help/search",
    "/help/keys",
)
CUT = """async () => {
    await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
    const controls = "button, .button, summary, th, label, legend, h1, h2, .nav a, .dock a, .tag, .switch a";
    const shown = [...document.querySelectorAll(controls)].filter((part) => part.checkVisibility());
    const cut = shown.filter((part) => part.clientWidth > 1 && part.scrollWidth > part.clientWidth + 1);
    const wide = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
    return [...wide, ...cut.map((part) => `${part.tagName} ${part.className} ${part.textContent.trim().slice(0, 50)}`)];
}"""
UNMARKED = """() => [...document.querySelectorAll("main .title")]
    .filter((title) => /[\\u3040-\\u30ff]/.test(title.textContent) && title.closest("[lang]").lang !== "ja")
    .map((title) => title.textContent)"""
BREAKING = "() => { const { lineBreak, wordBreak } = getComputedStyle(document.body); return [lineBreak, wordBreak]; }"


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    def fill(database: Database) -> None:
        demo.fill(database)
        with database.write() as tx:
            make.paper(tx, "分散学習の入門", language="ja", year=2026)
            make.paper(tx, "大规模训练的恢复", language="zh", year=2026)

    with serving(tmp_path_factory.mktemp("languages"), None, fill) as live:
        yield live


@pytest.mark.parametrize(
    ("language", "its_name", "breaks", "library"),
    [
        ("ja", "日本語", ["strict", "auto-phrase"], "ライブラリ"),
        pytest.param("zh-Hans", "简体中文", ["strict", "normal"], "文献库", marks=pytest.mark.deep),
    ],
    ids=["japanese", "chinese"],
)
def test_a_chosen_language_is_used_on_every_page(browse, live, *, language, its_name, breaks, library):
    page = browse(somebody(live))
    page.goto("/settings/profile")
    page.get_by_label("Language").select_option(its_name)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("html")).to_have_attribute("lang", language)
    assert page.evaluate(BREAKING) == breaks
    page.goto("/papers")
    expect(page.get_by_role("heading", level=1)).to_have_text(library)
    assert walk(page, language) == {}


def test_no_control_is_too_small_for_longer_translations(browse, live):
    page = browse(somebody(live, language=PSEUDO))
    assert walk(page, PSEUDO) == {}


def test_a_title_declares_its_language_so_that_its_characters_render_correctly(browse, live):
    page = browse(somebody(live))
    for address in ("/papers", "/papers?display=table", "/papers?group=year"):
        page.goto(address)
        for title, language, family in (("分散学習の入門", "ja", "CJK JP"), ("大规模训练的恢复", "zh", "CJK SC")):
            shown = page.get_by_role("link", name=title, exact=True)
            assert shown.evaluate("node => node.closest('[lang]').lang") == language, address
            assert family in shown.evaluate("node => getComputedStyle(node).fontFamily"), address


def somebody(live: Live, language: str = "") -> CurrentUser:
    with live.database.write() as tx:
        me = make.visitor(tx, role="admin")
        tx.execute(sa.update(Person).where(col(Person.id) == me.id).values(language=language))
    return me


def walk(page: Page, language: str) -> dict[str, list[str]]:
    """What is cut off or wider than the window, by place, on the narrowest and on a wide one."""
    found = {}
    for address in some(WALK, 4):
        page.goto(address)
        assert page.locator("html").get_attribute("lang") == language
        assert page.evaluate(UNMARKED) == [], address
        for size in (NARROW, WIDE):
            page.set_viewport_size(size)
            if parts := page.evaluate(CUT):
                found[f"{address} at {size['width']}"] = parts
    return found
