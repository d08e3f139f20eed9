"""The help with searching at both doors."""

from lxml import html

from readtrack import search
from readtrack.search import QUALIFIERS
from tests import make


def test_the_help_page_shows_every_filter_with_an_example_to_try(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx)
    page = html.fromstring(sign_in(ada).get("/help/search").text)
    links = {link.text_content(): link.get("href") for link in page.cssselect("table a") if link.get("href")}
    assert {qualifier.example for qualifier in QUALIFIERS.values()} <= set(links)
    assert all(str(address).startswith("/papers?q=") for address in links.values())


def test_page_fragment_and_json_give_the_same_suggestions(database, sign_in):
    with database.write() as tx:
        ada = make.visitor(tx)
    browser = sign_in(ada)
    asked = {"q": "kind:vi year:2024", "at": "7"}
    (offer,) = browser.get("/api/v1/search/complete", params=asked).json()["items"]
    assert offer == {"q": "kind:video year:2024", "at": 11, "text": "video", "note": ""}
    part = html.fromstring(browser.get("/search/complete", params=asked, headers={"HX-Request-Type": "partial"}).text)
    assert (part.get("role"), part.get("data-q"), part.get("data-at")) == ("option", offer["q"], "11")
    assert "video" in browser.get("/search/complete", params=asked).text


def test_a_search_without_results_shows_what_dropping_one_term_would_find(sign_in, database):
    with database.write() as tx:
        search.ensure(tx)
        me, mei = make.visitor(tx), make.visitor(tx)
        ids = [make.paper(tx, f"Ring {number}", kind="video").id for number in range(3)]
        search.update_papers(tx, ids)
        make.reading(tx, mei.id, ids[0], "read", private=True)
    browser = sign_in(me)
    asked = {"q": "ring kind:video topic:moe"}
    page = browser.get("/papers", params=asked).text
    (item,) = browser.get("/api/v1/search/nearby", params=asked).json()["items"]
    part = browser.get("/search/nearby", params=asked, headers={"HX-Request-Type": "partial"}).text
    assert "/search/nearby?q=ring" in page
    assert item == {"term": "topic:moe", "q": "ring kind:video", "count": 3, "bounded": False}
    assert "Without <code" in part
    assert ">3 papers</a>" in part
    assert ">3 papers</a>" in browser.get("/search/nearby", params=asked).text
    for hidden in ("ring status:read by:@team", "zigzag readers:>0", "zigzag -unread-by:@team"):
        assert browser.get("/api/v1/search/nearby", params={"q": hidden}).json()["items"] == []


def test_lines_of_notes_are_found_and_highlighted_including_variants(sign_in, database):
    with database.write() as tx:
        search.ensure(tx)
        me = make.visitor(tx, variants=True)
        noted = make.entry(tx, "並列訓練", kind="question", text="並列訓練")
        search.update_entries(tx, [noted.id])
    assert "<mark>訓練</mark>" in sign_in(me).get("/papers", params={"q": "训练"}).text


def marked(browser, **asked):
    page = html.fromstring(browser.get("/papers", params=asked).text)
    return [link.text_content() for link in page.cssselect("a.title mark")]


def test_search_terms_are_highlighted_in_titles_as_written(sign_in, database):
    titles = ["ﾁｪｯｸﾎﾟｲﾝﾄ & <b>FlashAttention</b>", "并行训练", "Attention costs $a$ and $b$"]
    with database.write() as tx:
        search.ensure(tx)
        ids = [make.paper(tx, title, authors=["Flash"]).id for title in titles]
        search.update_papers(tx, ids)
        plain, wide = make.visitor(tx), make.visitor(tx, variants=True)
    ada = sign_in(plain)
    for display in ("list", "table"):
        assert marked(ada, q="attention <b> ポイント", display=display) == ["ﾎﾟｲﾝﾄ", "b", "Attention", "b"]
    assert marked(ada, q="author:flash") == marked(ada, q="has:abstract OR kind:paper") == []
    assert marked(sign_in(wide), q="訓練") == ["训练"]
    assert "<b>Flash" not in ada.get("/papers", params={"q": "attention"}).text
