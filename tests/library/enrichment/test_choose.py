"""What is shown of a paper: one answer, whole; nothing over what a person typed."""

from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from readtrack.library.enrichment.choose import (
    APART,
    SHOWN,
    TOGETHER,
    CandidateRecord,
    choose_fields,
    user_supplied_fields,
)

BLANK: dict[str, Any] = {
    "title": "",
    "authors": [],
    "year": None,
    "published_on": None,
    "venue": "",
    "publication_type": "",
    "abstract": "",
    "language": "",
}


def said(number, stage, service="arxiv", *, latest=True, **values):
    return CandidateRecord(number, service, stage, {**BLANK, **values}, latest=latest)


def test_the_published_version_beats_the_preprint_and_the_preprint_beats_the_page():
    page, preprint, published = (
        said(n, stage, title=stage) for n, stage in enumerate(("page", "preprint", "published"))
    )
    assert choose_fields([page, preprint, published], {}, {}).values["title"] == "published"
    assert choose_fields([preprint, page], {}, {}).values["title"] == "preprint"


def test_of_two_published_versions_the_registry_beats_the_index():
    index, registry = said(1, "published", "dblp", venue="index"), said(2, "published", "crossref", venue="registry")
    assert choose_fields([index, registry], {}, {}).record_id == 2
    assert choose_fields([registry, index], {}, {}).record_id == 2


def test_venue_year_and_date_come_from_one_record_even_if_blank():
    published = said(1, "published", "crossref", title="T", venue="OSDI 2024")
    preprint = said(2, "preprint", title="T", year=2023, published_on=date(2023, 5, 1), abstract="A.")
    choice = choose_fields([published, preprint], {"year": 2022}, {})
    assert (choice.values["year"], choice.values["published_on"], choice.values["venue"]) == (None, None, "OSDI 2024")
    assert (choice.values["abstract"], choice.field_sources["abstract"], choice.field_sources["year"]) == ("A.", 2, 1)


def test_the_publication_type_is_that_of_the_file_unless_a_record_states_one():
    site, registry = said(1, "published", "usenix", venue="ATC"), said(2, "preprint", publication_type="report")
    named = {"publication_type": "conference_paper"}
    assert choose_fields([site], named, {}).values["publication_type"] == "conference_paper"
    assert choose_fields([site, registry], named, {}).values["publication_type"] == "report"


def test_without_a_record_the_details_from_notes_are_shown():
    named = user_supplied_fields({"title": "T", "published_on": date(2023, 5, 1), "venue": "", "kind": "paper"})
    assert named == {"title": "T", "published_on": "2023-05-01"}
    choice = choose_fields([], named, {})
    assert choice.values == {**BLANK, "title": "T", "published_on": date(2023, 5, 1)}
    assert (choice.record_id, choice.field_sources) == (None, {})


def test_a_superseded_record_gives_an_abstract_and_nothing_else():
    old, new = said(1, "published", title="Old", abstract="A.", latest=False), said(2, "page", title="New")
    choice = choose_fields([old, new], {}, {})
    assert (choice.values["title"], choice.values["abstract"], choice.record_id) == ("New", "A.", 2)


answers = st.lists(
    st.builds(
        lambda stage, service, latest, title, abstract: (stage, service, latest, title, abstract),
        st.sampled_from(["published", "preprint", "page"]),
        st.sampled_from(["arxiv", "crossref", "dblp", "gone"]),
        st.booleans(),
        st.text(max_size=3),
        st.text(max_size=3),
    ),
    max_size=5,
)


@given(answers, st.sets(st.sampled_from(SHOWN)))
def test_locked_fields_are_never_changed_and_field_groups_never_mixed(given_, locked):
    said_ = [
        said(number, stage, service, latest=latest, title=title, abstract=abstract)
        for number, (stage, service, latest, title, abstract) in enumerate(given_)
    ]
    choice = choose_fields(said_, {}, dict.fromkeys(locked))
    assert not locked & choice.values.keys()
    assert {origin for name, origin in choice.field_sources.items() if name in TOGETHER} <= {choice.record_id}
    assert all(choice.values[name] == said_[choice.field_sources[name]].values[name] for name in choice.field_sources)
    if any(each.latest for each in said_) and "abstract" not in locked:
        assert bool(choice.values["abstract"]) == any(each.values["abstract"] for each in said_)
    assert set(choice.values) | locked == set(SHOWN) == {*TOGETHER, *APART}
