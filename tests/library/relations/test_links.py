"""Relations of papers: said, changed, taken away from either end, and what is chosen by a title."""

import re

import pytest
import sqlalchemy as sa
from lxml import html
from sqlmodel import col

from readtrack import search
from readtrack.infra.errors import Conflict, Invalid, NotFound
from readtrack.infra.models import Event, Relation
from readtrack.library.relations import links
from readtrack.library.relations.links import MAX_CHOICES, AmbiguousPaper, RelationCreate, RelationKey, RelationUpdate
from tests import make
from tests.tables import cases


def page_of(answer):
    return html.fromstring(answer.text)


def words(document, path):
    return " ".join(" ".join(found.text_content() for found in document.xpath(path)).split())


@pytest.fixture
def ada(database, sign_in):
    with database.write() as tx:
        visitor = make.visitor(tx, "Ada")
    return sign_in(visitor)


@pytest.fixture
def pair(database):
    """Two papers and who links them."""
    with database.write() as tx:
        me = make.visitor(tx, "Eve")
        one, other = make.paper(tx, "Kettle: Warm Caches for Tea"), make.paper(tx, "分散学習の再開について")
        search.update_papers(tx, [one.id, other.id])
    return me, one.id, other.id


def linked(database, me, one, other, note=""):
    with database.write() as tx:
        links.add_relation(tx, me, one, RelationCreate(to=other, kind="extends", note=note))


def test_changing_the_kind_keeps_the_note_and_is_recorded(database, pair):
    me, one, other = pair
    linked(database, me, one, other, "In section 3.")
    which = RelationKey(to=other, kind="extends")
    with database.write() as tx:
        said = links.get_relation(tx, me, one, which)
        assert links.edit_relation(tx, me, one, which, edit=said.model_copy(update={"kind": "compares"}))
        now, same = RelationKey(to=other, kind="compares"), RelationUpdate(kind="compares", note="In section 3.")
        assert not links.edit_relation(tx, me, one, now, edit=same)
        [row] = tx.scalars(sa.select(Relation)).all()
        assert (row.kind, row.note) == ("compares", "In section 3.")
        assert tx.scalars(sa.select(col(Event.verb)).where(col(Event.verb) == "relation.changed")).all() == [
            "relation.changed"
        ]
        with pytest.raises(NotFound):
            links.edit_relation(tx, me, one, which, edit=said)


def test_a_relation_cannot_become_an_existing_one(database, pair):
    me, one, other = pair
    linked(database, me, one, other)
    with database.write() as tx:
        links.add_relation(tx, me, one, RelationCreate(to=other, kind="cites"))
        which, said = RelationKey(to=other, kind="cites"), RelationUpdate(kind="extends")
        with pytest.raises(Conflict):
            links.edit_relation(tx, me, one, which, edit=said)


def test_a_paper_is_found_by_its_exact_title_unless_several_share_it(database, pair):
    me, one, other = pair
    with database.write() as tx:
        assert links.get_paper_by_text(tx, me, "kettle:  warm caches for TEA") == one
        assert links.get_paper_by_text(tx, me, "分散学習の再開について") == other
        talk = make.paper(tx, "Kettle: Warm Caches for Tea", kind="video").id
        search.update_papers(tx, [talk])
        with pytest.raises(AmbiguousPaper) as several:
            links.get_paper_by_text(tx, me, "Kettle: Warm Caches for Tea")
        assert {choice.id for choice in several.value.choices} == {one, talk}
        assert links.get_paper_by_text(tx, me, "Kettle: Warm Caches for Tea", exclude_id=one) == talk


@cases("part", ["Kettle: Warm", "caches kettle", "warm cach", "Kettle: Warm Ca", "for tea"])
def test_a_part_of_a_title_finds_its_only_paper(database, pair, part):
    me, one, _ = pair
    with database.read() as tx:
        assert links.get_paper_by_text(tx, me, part) == one


@cases("wrong", ["cold caches", "Kettle: Warm Cu", "#999999", "arXiv:2401.99999", "?!"])
def test_text_that_no_paper_matches_is_quoted_in_the_error(database, pair, wrong):
    me, _, _ = pair
    with database.read() as tx, pytest.raises(Invalid, match=f"No paper matches “{re.escape(wrong)}”"):
        links.get_paper_by_text(tx, me, wrong)


@pytest.mark.parametrize("blank", ["", "  "])
def test_a_blank_field_is_required(database, pair, blank):
    me, _, _ = pair
    with database.read() as tx, pytest.raises(Invalid, match="This field is required"):
        links.get_paper_by_text(tx, me, blank)


@pytest.mark.deep
def test_the_form_links_with_a_note_shown_on_both_papers(ada, pair):
    _, one, other = pair
    form = {"kind": "extends", "paper": "分散学習の再開について", "note": "In section 3 <b>."}
    assert ada.post(f"/papers/{one}/relations", data=form).status_code == 303
    for number, said in ((one, "Extends"), (other, "Extended by")):
        page = words(page_of(ada.get(f"/papers/{number}")), "//section[@id='relations']")
        assert said in page
        assert "In section 3 <b>." in page


def test_a_part_of_two_titles_asks_which_paper_and_keeps_the_input(ada, pair, database):
    _, one, other = pair
    with database.write() as tx:
        second = make.paper(tx, "Warm Caches, Reheated").id
        search.update_papers(tx, [second])
    form = {"kind": "compares", "paper": "warm caches", "note": "By hand."}
    asked = ada.post(f"/papers/{other}/relations", data=form)
    page = page_of(asked)
    assert asked.status_code == 422
    assert page.xpath("//input[@type='radio']/@value") == [f"#{second}", f"#{one}"]
    assert page.xpath("//input[@name='note']/@value") == ["By hand."]
    assert page.xpath("//input[@name='kind']/@value") == ["compares"]
    assert ada.post(f"/papers/{other}/relations", data={**form, "paper": f"#{one}"}).status_code == 303
    assert ada.get(f"/api/v1/papers/{one}/relations").json()["items"][0]["note"] == "By hand."


def test_a_part_of_one_title_links_its_paper_at_once(ada, pair):
    _, one, other = pair
    answer = ada.post(f"/papers/{other}/relations", data={"kind": "extends", "paper": "warm caches"})
    assert answer.status_code == 303
    assert [row["paper"]["id"] for row in ada.get(f"/api/v1/papers/{other}/relations").json()["items"]] == [one]


def test_a_part_of_many_titles_can_be_made_longer(ada, pair, database):
    _, one, _ = pair
    with database.write() as tx:
        search.update_papers(tx, [make.paper(tx, f"Cups, Volume {number}").id for number in range(MAX_CHOICES + 1)])
    page = page_of(ada.post(f"/papers/{one}/relations", data={"kind": "cites", "paper": "cups"}))
    assert len(page.xpath("//input[@type='radio']")) == MAX_CHOICES
    assert page.xpath("//input[@type='text' or not(@type)][@name='paper']/@value") == ["cups"]


@pytest.mark.parametrize("own", [False, True])
def test_a_form_naming_no_other_paper_is_shown_again_with_the_input(ada, pair, own):
    _, one, _other = pair
    meant = f"#{one}" if own else "Nothing of the kind"
    asked = ada.post(f"/papers/{one}/relations", data={"kind": "compares", "paper": meant, "note": "By hand."})
    page = page_of(asked)
    assert asked.status_code == 422
    assert page.xpath("//input[@name='paper']/@value") == [meant]
    assert page.xpath("//input[@name='note']/@value") == ["By hand."]
    assert page.xpath("//input[@name='kind']/@value") == ["compares"]
    said = "can't be related to itself" if own else "No paper matches “Nothing of the kind”"
    assert said in words(page, "//p[@id='paper-error']")


def test_the_field_suggests_titles(ada, pair):
    page = page_of(ada.get("/papers/named", params={"paper": "warm"}))
    assert page.xpath("//option/@value") == ["Kettle: Warm Caches for Tea"]
    assert page_of(ada.get("/papers/named", params={"into": "再開"})).xpath("//option/@value") == [
        "分散学習の再開について"
    ]


def test_a_link_is_removed_from_its_other_end_and_restored(ada, database, pair):
    me, one, other = pair
    linked(database, me, one, other, "In section 3.")
    page = page_of(ada.get(f"/papers/{other}"))
    [form] = page.xpath("//section[@id='relations']//form[contains(@action, '/remove')]")
    gone = ada.post(form.get("action"), data={"next": form.xpath("input[@name='next']/@value")[0]})
    assert gone.headers["location"] == f"/papers/{other}#relations"
    undo = page_of(ada.get(f"/papers/{other}")).xpath("//form[contains(@action, '/trash/others/')]/@action")
    assert ada.post(undo[0]).status_code == 303
    assert ada.get(f"/api/v1/papers/{one}/relations").json()["items"][0]["note"] == "In section 3."


def test_a_link_is_edited_with_its_form(ada, database, pair):
    me, one, other = pair
    linked(database, me, one, other, "In section 3.")
    at = f"/papers/{one}/relations/extends/{other}/edit"
    page = page_of(ada.get(at, params={"next": f"/papers/{other}#relations"}))
    assert page.xpath("//input[@name='note']/@value") == ["In section 3."]
    saved = ada.post(at, data={"kind": "contradicts", "note": "", "next": f"/papers/{other}#relations"})
    assert saved.headers["location"] == f"/papers/{other}#relations"
    [item] = ada.get(f"/api/v1/papers/{one}/relations").json()["items"]
    assert (item["kind"], item["note"]) == ("contradicts", "")
    assert ada.post(at, data={"kind": "extends"}).status_code == 404
    assert ada.post(f"/papers/{one}/relations/likes/{other}/edit", data={"kind": "extends"}).status_code == 404


def test_a_patch_changes_only_the_given_fields(ada, database, pair):
    me, one, other = pair
    linked(database, me, one, other, "In section 3.")
    at = f"/api/v1/papers/{one}/relations"
    [item] = ada.patch(f"{at}/extends/{other}", json={"kind": "cites"}).json()["items"]
    assert (item["kind"], item["note"]) == ("cites", "In section 3.")
    [item] = ada.patch(f"{at}/cites/{other}", json={"note": None}).json()["items"]
    assert item["note"] == ""
    assert ada.patch(f"{at}/extends/{other}", json={"note": "x"}).status_code == 404
    assert ada.patch(f"{at}/cites/{other}", json={"kind": "likes"}).status_code == 422
