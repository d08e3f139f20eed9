"""The summary editor in a browser: saved, previewed, in conflict; nothing that was typed is lost."""

import pytest
from lxml import html

from readtrack.summaries import queries
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
    assert "version 1" in words(shown)


def test_an_empty_editor_offers_a_template(ada, there):
    document = page(ada.get(there))
    assert document.xpath(f"//a[@href='{there}?template=1']")
    text = values(editor(page(ada.get(there, params={"template": "1"}))))["markdown"]
    assert [line for line in text.split("\n") if line.strip()] == [
        "## Problem",
        "## Idea",
        "## Evaluation",
        "## Limits",
        "## For us",
    ]


def test_a_preview_shows_and_keeps_what_was_typed_and_saves_nothing(ada, database, me, paper, there):
    typed = {"markdown": "$x^2$", "tldr": "squares", "private": "true", "version": ""}
    document = page(ada.post(f"/papers/{paper.id}/summary/preview", data=typed))
    assert document.xpath("//*[@id='preview']//math")
    assert {name: value.strip() for name, value in values(editor(document)).items()} == typed
    assert saved(database, me, paper) is None


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ({"markdown": " ", "tldr": ""}, "Write a text or a one-line summary."),
        ({"markdown": "kept", "tldr": "x" * 201}, "200"),
        ({"markdown": "é" * 50_001, "tldr": ""}, "100,000 is the most"),
    ],
)
def test_a_mistake_keeps_what_was_typed_and_says_what_is_wrong(ada, there, typed, said):
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


def test_an_old_window_is_shown_both_texts_and_what_differs(conflict, database, me, paper):
    assert "You saved version 2" in words(conflict)
    assert "Nothing is lost" in words(conflict)
    assert [words(text) for text in conflict.xpath("//pre")] == ["same theirs", "same mine"]
    assert [element.text for element in conflict.xpath("//del|//ins")] == ["theirs", "mine"]
    assert saved(database, me, paper).markdown == "same\ntheirs"


@pytest.mark.parametrize(
    ("button", "text"),
    [("Save mine over it", "same\nmine"), ("Keep both, one after the other", "same\ntheirs\n\n---\n\nsame\nmine")],
)
def test_each_way_out_of_a_conflict_saves_what_it_says(conflict, ada, database, me, paper, there, *, button, text):
    assert ada.post(there, data=way_out(conflict, button)).status_code == 303
    now = saved(database, me, paper)
    assert (now.markdown, now.version, now.private, now.tldr) == (text, 3, True, "one")


def test_theirs_is_kept_by_leaving(conflict, paper):
    assert [link.get("href") for link in conflict.xpath("//main//a") if words(link) == "Keep version 2"] == [
        f"/papers/{paper.id}"
    ]


def test_who_edits_while_it_is_deleted_can_save_it_again(ada, database, me, paper, there):
    ada.post(there, data={"markdown": "first"})
    window = values(editor(page(ada.get(there))))
    assert ada.post(f"/papers/{paper.id}/summary/delete").status_code == 303
    document = page(ada.post(there, data={**window, "markdown": "second"}), 409)
    assert "You deleted this summary" in words(document)
    assert ada.post(there, data=way_out(document, "Save this one again")).status_code == 303
    assert (saved(database, me, paper).markdown, saved(database, me, paper).version) == ("second", 2)


def test_each_version_can_be_looked_at(ada, paper, there):
    ada.post(there, data={"markdown": "first text"})
    ada.post(there, data={"markdown": "second text", "version": "1", "private": "true"})
    document = page(ada.get(f"/papers/{paper.id}/summary/versions"))
    assert [words(title) for title in document.xpath("//main//h2")] == ["Version 2", "Version 1"]
    assert ["first text" in words(section) for section in document.xpath("//section")] == [False, True]
    assert "only me" in words(document)


def test_a_live_preview_is_a_piece_of_html(ada):
    answer = ada.post("/summaries/preview", data={"markdown": "**x** <img src=x onerror=alert(1)>"})
    assert answer.status_code == 200
    assert "<html" not in answer.text
    assert "<strong>x</strong>" in answer.text
    assert "<img" not in answer.text
    assert "100,000 is the most" in ada.post("/summaries/preview", data={"markdown": "é" * 50_001}).text
    assert "appears here" in ada.post("/summaries/preview", data={"markdown": " "}).text


def test_words_are_inert_wherever_they_are_shown(ada, paper, there):
    evil = '</textarea>"><svg onload=alert(1)>'
    ada.post(there, data={"markdown": evil, "tldr": evil})
    for address in (there, f"/papers/{paper.id}/summary/versions", f"/papers/{paper.id}"):
        document = page(ada.get(address))
        assert not document.xpath("//*[@onload]")
        assert "svg onload" in document.text_content()


def test_another_site_and_strangers_change_nothing(ada, client, database, me, paper, there):
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
