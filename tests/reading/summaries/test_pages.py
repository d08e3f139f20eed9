"""The summary editor in a browser: saved, previewed, in conflict; nothing that was typed is lost."""

import pytest
from lxml import html

from readtrack.reading.summaries import queries
from tests import make

pytestmark = pytest.mark.slow  # `make check` is to be quick


@pytest.fixture
def paper(database):
    with database.write() as tx:
        return make.paper(tx, "On Checkpoints")


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada", role="viewer")


@pytest.fixture
def ada(me, sign_in):
    return sign_in(me)


@pytest.fixture
def there(paper):
    return f"/papers/{paper.id}/summary/edit"


def page(answer, status=200):
    assert answer.status_code == status, answer.text
    return html.fromstring(answer.text)


def words(element):
    return " ".join(element.text_content().split())


def values(form):
    """What a browser would send."""
    fields = {
        field.get("name"): field.value for field in form.xpath(".//input[@name][not(@type='radio')]|.//textarea[@name]")
    }
    return fields | {radio.get("name"): radio.get("value") for radio in form.xpath(".//input[@type='radio'][@checked]")}


def editor(document):
    [form] = document.xpath("//form[contains(@class,'editor')]")
    return form


def saved(database, me, paper):
    with database.read() as tx:
        return queries.find_my_summary(tx, me, paper.id)


def test_a_viewer_writes_a_summary_and_finds_it_on_the_paper(ada, database, me, paper, there):
    form = editor(page(ada.get(there)))
    assert (form.get("action"), values(form)["private"], values(form)["version"]) == (there, "false", "")
    answer = ada.post(there, data={**values(form), "markdown": "Saves **often**.", "tldr": "Saves often"})
    assert (answer.status_code, answer.headers["location"]) == (303, f"/papers/{paper.id}")
    document = page(ada.get(f"/papers/{paper.id}"))
    [shown] = document.xpath("//section[@id='summaries']//article")
    assert words(shown.xpath(".//p[@class='tldr']")[0]) == "Saves often"
    assert shown.xpath(".//div[@class='prose']//strong")
    assert "Version 1" in words(shown)


def test_an_empty_editor_offers_a_template(ada, there):
    document = page(ada.get(there))
    assert document.xpath(f"//a[@href='{there}?template=standard']")
    text = values(editor(page(ada.get(there, params={"template": "standard"}))))["markdown"]
    assert [line for line in text.split("\n") if line.strip()] == [
        "## Problem",
        "## Idea",
        "## Evaluation",
        "## Limitations",
        "## Relevance to us",
    ]


def test_a_preview_shows_and_keeps_the_input_and_saves_nothing(ada, database, me, paper, there):
    typed = {"markdown": "$x^2$", "tldr": "squares", "private": "true", "version": ""}
    document = page(ada.post(f"/papers/{paper.id}/summary/preview", data=typed))
    assert document.xpath("//*[@id='preview']//math")
    kept = values(editor(document))
    assert {name: kept[name].strip() for name in typed} == typed
    assert saved(database, me, paper) is None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"markdown": " ", "tldr": ""}, "Enter a text or a one-line summary."),
        ({"markdown": "kept", "tldr": "x" * 201}, "200"),
        ({"markdown": "é" * 50_001, "tldr": ""}, "limit 100,000"),
    ],
)
def test_a_mistake_keeps_the_input_and_is_explained(ada, there, typed, said):
    document = page(ada.post(there, data=typed), 422)
    assert said in words(document.xpath("//*[@role='alert']")[0])
    kept = values(editor(document))
    assert (kept["markdown"].strip(), kept["tldr"]) == (typed["markdown"].strip(), typed["tldr"])


@pytest.fixture
def conflict(ada, there):
    """Two windows open version 1; the other saves first."""
    ada.post(there, data={"markdown": "same\nfirst", "tldr": "one"})
    window = values(editor(page(ada.get(there))))
    ada.post(there, data={**window, "markdown": "same\r\ntheirs"})
    return page(ada.post(there, data={**window, "markdown": "same\r\nmine", "private": "true"}), 409)


def way_out(document, button):
    [form] = [form for form in document.xpath("//main//form") if words(form.xpath(".//button")[0]) == button]
    return values(form)


def test_a_stale_window_is_shown_both_texts_and_their_differences(conflict, database, me, paper):
    assert "You saved a newer version" in words(conflict)
    assert [words(text) for text in conflict.xpath("//pre")] == ["same firsttheirs", "same firstmine", "same first"]
    changed = [(element.tag, element.text) for element in conflict.xpath("//del|//ins")]
    assert changed == [("del", "first"), ("ins", "theirs"), ("del", "first"), ("ins", "mine")]
    assert saved(database, me, paper).markdown == "same\ntheirs"


@pytest.mark.parametrize(
    ("button", "text"),
    [("Save mine", "same\nmine"), ("Keep both", "same\ntheirs\n\n---\n\nsame\nmine")],
)
def test_each_way_to_resolve_a_conflict_saves_what_it_says(conflict, ada, database, me, paper, there, *, button, text):
    assert ada.post(there, data=way_out(conflict, button)).status_code == 303
    now = saved(database, me, paper)
    assert (now.markdown, now.version, now.private, now.tldr) == (text, 3, True, "one")


def test_keeping_the_other_text_leaves_mine_in_the_history(conflict, ada, database, me, paper, there):
    assert ada.post(there, data=way_out(conflict, "Keep version 2")).status_code == 303
    now = saved(database, me, paper)
    assert (now.markdown, now.version, now.private) == ("same\ntheirs", 4, False)
    document = page(ada.get(f"/papers/{paper.id}/summary/versions"))
    assert "mine" in words(document.get_element_by_id("version-3"))


def test_manual_merging_starts_with_both_texts(conflict, ada, database, me, paper, there):
    fields = way_out(conflict, "Save")
    assert fields["markdown"].strip() == "same\n[Version 2:]\ntheirs\n[Yours:]\nmine\n[End]"
    assert (fields["version"], fields["private"], fields["tldr"]) == ("2", "true", "one")
    assert ada.post(there, data={**fields, "markdown": "same\nours"}).status_code == 303
    assert (saved(database, me, paper).markdown, saved(database, me, paper).version) == ("same\nours", 3)


def test_two_windows_editing_different_passages_are_merged(ada, database, me, paper, there):
    ada.post(there, data={"markdown": "one\n\ntwo\n\nthree"})
    window = values(editor(page(ada.get(there))))
    ada.post(there, data={**window, "markdown": "ONE\n\ntwo\n\nthree"})
    answer = ada.post(there, data={**window, "markdown": "one\n\ntwo\n\nTHREE"})
    assert answer.status_code == 303
    document = page(ada.get(answer.headers["location"]))
    assert "Merged with version 2, saved while you were editing." in words(document)
    assert saved(database, me, paper).markdown == "ONE\n\ntwo\n\nTHREE"
    texts = [words(document.get_element_by_id(f"version-{number}").xpath(".//details//pre")[0]) for number in (4, 3)]
    assert texts == ["ONE two THREE", "one two THREE"]


def test_a_request_sent_twice_creates_one_version(ada, database, me, paper, there):
    ada.post(there, data={"markdown": "first"})
    window = {**values(editor(page(ada.get(there)))), "markdown": "second"}
    first, again = (ada.post(there, data=window) for _ in range(2))
    assert first.headers["location"] == again.headers["location"] == f"/papers/{paper.id}"
    assert words(page(ada.get(again.headers["location"])).get_element_by_id("flash")) == "Saved"
    assert saved(database, me, paper).version == 2
    ada.post(there, data={**window, "version": "2", "markdown": "third"})
    page_after = page(ada.get(ada.post(there, data=window).headers["location"]))
    assert "Already saved as version 2. The latest is version 3." in words(page_after.get_element_by_id("flash"))
    assert (saved(database, me, paper).markdown, saved(database, me, paper).version) == ("third", 3)


def test_restoring_an_old_version_makes_it_the_newest(ada, database, me, paper, there):
    ada.post(there, data={"markdown": "first"})
    ada.post(there, data={"markdown": "second", "version": "1", "private": "true"})
    document = page(ada.get(f"/papers/{paper.id}/summary/versions"))
    [form] = document.xpath("//form[contains(@action,'/restore')]")
    assert ada.post(form.get("action")).status_code == 303
    now = saved(database, me, paper)
    assert (now.markdown, now.version, now.private) == ("first", 3, True)


def test_restoring_a_private_version_does_not_show_it_to_others(ada, database, me, paper, there):
    ada.post(there, data={"markdown": "secret", "private": "true"})
    ada.post(there, data={"markdown": "for all", "version": "1", "private": "false"})
    answer = ada.post(f"/summaries/{saved(database, me, paper).id}/versions/1/restore")
    now = saved(database, me, paper)
    assert (now.markdown, now.version, now.private) == ("secret", 3, True)
    assert "Only you can see it." in words(page(ada.get(answer.headers["location"])).get_element_by_id("flash"))


def test_nobody_else_can_restore_a_version(ada, sign_in, database, me, paper, there):
    ada.post(there, data={"markdown": "first"})
    number = saved(database, me, paper).id
    with database.write() as tx:
        bo = make.visitor(tx, "Bo")
    bo = sign_in(bo)
    assert not page(bo.get(f"/summaries/{number}/versions")).xpath("//form[contains(@action,'/restore')]")
    assert bo.post(f"/summaries/{number}/versions/1/restore").status_code == 404


def test_any_two_versions_can_be_compared(ada, database, me, paper, there):
    for number, text in enumerate(["一つ目の文。", "二つ目の文。", "三つ目の文。"]):
        ada.post(there, data={"markdown": text, "version": str(number or "")})
    at = f"/summaries/{saved(database, me, paper).id}/versions"
    compared = page(ada.get(at, params={"compare": "1"})).get_element_by_id("compared")
    assert [(one.tag, one.text) for one in compared.xpath(".//del|.//ins")] == [("del", "一"), ("ins", "三")]
    compared = page(ada.get(at, params={"compare": "2", "to": "1"})).get_element_by_id("compared")
    assert words(compared.xpath(".//h2")[0]) == "Version 1 → 2"
    assert ada.get(at, params={"compare": "9"}).status_code == 404
    assert ada.get(at, params={"compare": "x"}).status_code == 404


def test_others_compare_only_shared_versions(ada, sign_in, database, me, paper, there):
    ada.post(there, data={"markdown": "public"})
    ada.post(there, data={"markdown": "secret", "version": "1", "private": "true"})
    ada.post(there, data={"markdown": "open again", "version": "2", "private": "false"})
    with database.write() as tx:
        bo = make.visitor(tx, "Bo")
    bo = sign_in(bo)
    at = f"/summaries/{saved(database, me, paper).id}/versions"
    seen = [bo.get(at), bo.get(at, params={"compare": "1"}), bo.get(at, params={"compare": "1", "to": "3"})]
    assert [answer.status_code for answer in seen] == [200, 200, 404]
    assert not [answer for answer in seen if "secret" in answer.text]


def test_a_summary_deleted_while_being_edited_can_be_saved_again(ada, database, me, paper, there):
    ada.post(there, data={"markdown": "first"})
    window = values(editor(page(ada.get(there))))
    assert ada.post(f"/papers/{paper.id}/summary/delete").status_code == 303
    document = page(ada.post(there, data={**window, "markdown": "second"}), 409)
    assert "You deleted this summary" in words(document)
    assert ada.post(there, data=way_out(document, "Save mine")).status_code == 303
    assert (saved(database, me, paper).markdown, saved(database, me, paper).version) == ("second", 2)


def test_each_version_can_be_viewed(ada, paper, there):
    ada.post(there, data={"markdown": "first text"})
    ada.post(there, data={"markdown": "second text", "version": "1", "private": "true"})
    document = page(ada.get(f"/papers/{paper.id}/summary/versions"))
    assert [words(title) for title in document.xpath("//main//h2")] == ["Version 2", "Version 1"]
    assert ["first text" in words(section) for section in document.xpath("//section")] == [False, True]
    assert "Only you" in words(document)


def test_a_live_preview_is_an_html_fragment(ada):
    answer = ada.post("/summaries/preview", data={"markdown": "**x** <img src=x onerror=alert(1)>"})
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert "<strong>x</strong>" in answer.text
    assert "<img" not in answer.text
    assert "limit 100,000" in ada.post("/summaries/preview", data={"markdown": "é" * 50_001}).text
    assert "Nothing to preview" in ada.post("/summaries/preview", data={"markdown": " "}).text


def test_hostile_text_is_inert_wherever_it_is_shown(ada, paper, there):
    evil = '</textarea>"><svg onload=alert(1)>'
    ada.post(there, data={"markdown": evil, "tldr": evil})
    for address in (there, f"/papers/{paper.id}/summary/versions", f"/papers/{paper.id}"):
        document = page(ada.get(address))
        assert not document.xpath("//*[@onload]")
        assert "svg onload" in document.text_content()


def test_cross_site_and_anonymous_requests_change_nothing(ada, client, database, me, paper, there):
    elsewhere = {"Sec-Fetch-Site": "cross-site", "Origin": "https://elsewhere.example"}
    for address in (
        there,
        f"/papers/{paper.id}/summary/delete",
        "/summaries/preview",
        f"/papers/{paper.id}/summary/preview",
    ):
        assert ada.post(address, data={"markdown": "x"}, headers=elsewhere).status_code == 403
        assert client.post(address, data={"markdown": "x"}).status_code in {303, 401}
    assert client.get(there).status_code == 303
    assert saved(database, me, paper) is None
