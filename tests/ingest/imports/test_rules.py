"""Rules of the team: kept from a correction or by hand, applied to the rest and the next import, and taken back."""

import pytest
from pydantic import ValidationError

from readtrack import search
from readtrack.infra.errors import Invalid, NotAllowed, NotFound
from readtrack.ingest.imports.edit_entries import EntryUpdate, correct_entry, reset_entry
from readtrack.ingest.imports.rules import (
    Rule,
    RuleCreate,
    RuleInput,
    Rules,
    add_rule,
    format_rule,
    list_rules,
    normalize_address,
    remove_rule,
)
from tests import make
from tests.ingest.imports.given import LONG, given, imported, line
from tests.sample_library import carry_out, content, entries_of

pytestmark = pytest.mark.slow  # `make check` is to be quick

SCRAP = "zenn:ada/scraps/0123456789abcd"
ARTICLE = "zenn:bo/articles/abcdef0123456789"


@pytest.fixture
def me(database):
    with database.write() as tx:
        return make.visitor(tx, "Ada")


def sentences(database):
    with database.read() as tx:
        return [format_rule(rule) for rule in list_rules(tx)]


def said(database, import_id):
    return [(e.kind, e.paper_kind, e.title, e.topics, e.decision) for e in entries_of(database, import_id)]


def rule(value, says, name="", number=1):
    pattern = "host" if says in {"kind", "skip"} else "heading"
    key = normalize_address(value) if pattern == "host" else value
    return Rule(number, pattern, key, says, name, f"{value}: {name or says}")


def seen(kind="paper", **fields):
    plain = {"paper_kind": "page", "title": LONG, "topics": [], "address": "", "decision": "add"}
    return RuleInput(kind=kind, **{**plain, **fields})


@pytest.mark.parametrize(
    ("value", "address", "holds"),
    [
        ("zenn.dev", "https://zenn.dev/ada/scraps/1", True),
        ("zenn.dev", "http://www.zenn.dev", True),
        ("example.org", "https://blog.example.org/x", True),
        ("example.org", "https://notexample.org/x", False),
        ("example.org", "https://example.org.evil.net/x", False),
        ("example.org/blog", "https://example.org/blog/2024/x?y=1", True),
        ("example.org/blog", "https://example.org/blogs", False),
        ("zenn.dev/*/scraps", "https://zenn.dev/ada/scraps/1", True),
        ("zenn.dev/*/scraps", "https://zenn.dev/ada/books/1", False),
        ("zenn.dev/*/scraps", "https://zenn.dev/scraps", False),
        ("example.org", "http://[bad", False),
        ("例え.jp", "https://xn--r8jz45g.jp/x", True),
        ("example.org/あ", "https://example.org/%E3%81%82/x", True),
        ("example.org:443/a", "https://example.org./a", True),
        ("example.org:8080", "http://example.org:8080/a", True),
        ("example.org:8080", "http://example.org/a", False),
        ("example.org/a%00", "https://example.org/a%00/b", True),
        ("example.org", "", False),
    ],
)
def test_a_site_rule_applies_only_to_its_urls(value, address, holds):
    changes = Rules([rule(value, "kind", "article")]).changes(seen(address=address))
    assert (changes.get("paper_kind") == "article") == holds


def test_the_most_specific_site_rule_applies():
    rules = Rules([rule("zenn.dev", "skip", number=1), rule("zenn.dev/*/scraps", "kind", "article", 2)])
    assert rules.changes(seen(address="https://zenn.dev/a/scraps/1"))["rules"] == [2]
    assert rules.changes(seen(address="https://zenn.dev/a/books/1"))["decision"] == "skip"


@pytest.mark.parametrize(
    ("says", "name", "entry", "changed"),
    [
        ("no_topic", "", seen("topic", title="ＩＮＦＯＳ"), {"kind": "snippet"}),
        ("no_topic", "", seen(topics=["Systems", "Infos"]), {"topics": ["Systems"]}),
        ("topic", "Else", seen("topic", title="Infos", topics=["Infos"]), {"title": "Else", "topics": ["Else"]}),
        ("topic", "Systems", seen(topics=["Systems", "Infos"]), {"topics": ["Systems"]}),
        ("no_topic", "", seen("question", title="Infos"), {}),
        ("no_topic", "", seen("junk", title="Infos", topics=["Other"]), {}),
    ],
)  # fmt: skip
def test_a_heading_rule_applies_to_the_heading_and_everything_below_it(says, name, entry, changed):
    changes = Rules([rule("infos", says, name)]).changes(entry)
    told = {"rules": [1], "reason": f"By the rule “infos: {name or says}”."} if changed else {}
    assert changes == changed | told


def test_site_rules_do_not_apply_to_noise_and_extras():
    rules = Rules([rule("github.com", "skip")])
    assert rules.changes(seen("junk", address="https://github.com/a/b")) == {}
    assert rules.changes(seen(address="https://arxiv.org/abs/2401.00001")) == {}


@pytest.mark.parametrize(
    "wrong",
    [
        {"pattern": "host", "value": "zenn.dev", "says": "no_topic"},
        {"pattern": "heading", "value": "Infos", "says": "skip"},
        {"pattern": "host", "value": "zenn.dev", "says": "kind", "name": "scrap"},
        {"pattern": "heading", "value": "Infos", "says": "topic"},
        {"pattern": "host", "value": "no site", "says": "skip"},
        {"pattern": "host", "value": "localhost", "says": "skip"},
        {"pattern": "host", "value": " ", "says": "skip"},
        {"pattern": "address", "value": "zenn.dev", "says": "skip"},
    ],
)
def test_an_invalid_rule_is_refused(wrong):
    with pytest.raises(ValidationError):
        RuleCreate.model_validate(wrong)


def test_a_site_has_one_rule_and_the_latest_wins(database, me):
    with database.write() as tx:
        first = add_rule(tx, me, RuleCreate(pattern="host", value="https://www.zenn.dev/", says="kind", name="article"))
        assert add_rule(tx, me, RuleCreate(pattern="host", value="zenn.dev", says="skip")) == first
    assert sentences(database) == ["https://www.zenn.dev/: skipped"]
    before = content(database)
    with database.write() as tx:
        add_rule(tx, me, RuleCreate(pattern="host", value="zenn.dev", says="skip"))
    assert content(database) == before
    with database.write() as tx:
        remove_rule(tx, me, first)
        with pytest.raises(NotFound):
            remove_rule(tx, me, first)
    assert sentences(database) == []


def test_a_viewer_cannot_save_or_remove_rules(database):
    with database.write() as tx:
        viewer = make.visitor(tx, role="viewer")
    with database.write() as tx, pytest.raises(NotAllowed):
        add_rule(tx, viewer, RuleCreate(pattern="host", value="zenn.dev", says="skip"))
    with database.write() as tx, pytest.raises(NotAllowed):
        remove_rule(tx, viewer, 1)


def correct(database, me, import_id, position=1, **said):
    with database.write() as tx:
        correct_entry(tx, me, import_id, position, edit=EntryUpdate(keep_rule=True, **said))


def test_a_kind_saved_as_a_rule_applies_to_the_rest_and_to_the_next_import(database, me):
    scraps = [line(n, identifiers=(f"{SCRAP}{n}",), paper_kind="page") for n in (1, 2, 3)]
    import_id = given(database, me, *scraps)
    with database.write() as tx:
        correct_entry(tx, me, import_id, 3, edit=EntryUpdate(kind="course"))
    correct(database, me, import_id, kind="article")
    assert [entry.paper_kind for entry in entries_of(database, import_id)] == ["article", "article", "course"]
    assert sentences(database) == ["zenn.dev: article"]
    carry_out(database, me, import_id)
    later = given(database, me, line(1, identifiers=(ARTICLE,), paper_kind="page"), title="later.md")
    [entry] = entries_of(database, later)
    assert (entry.paper_kind, entry.reason, entry.rules) == ("article", "By the rule “zenn.dev: article”.", [1])


@pytest.mark.parametrize(
    ("edit", "told", "after"),
    [
        ({"kind": "snippet"}, "Infos: no topic", ["snippet", []]),
        ({"decision": "skip"}, "Infos: no topic", ["topic", []]),
        ({"title": "Background"}, "Infos: topic Background", ["topic", ["Background"]]),
    ],
)
def test_a_heading_saved_as_a_rule_applies_to_everything_below_it(database, me, edit, told, after):
    notes = [line(1, "topic", title="Infos"), line(2, title=LONG, topics=("Infos",))]
    import_id = given(database, me, *notes)
    correct(database, me, import_id, **edit)
    heading, below = entries_of(database, import_id)
    assert (sentences(database), [heading.kind, below.topics]) == ([told], after)
    with database.read() as tx:
        assert search.check(tx) == []
    later = given(database, me, *notes, title="later.md", more=" later")
    assert entries_of(database, later)[1].topics == after[1]
    with database.read() as tx:
        assert search.check(tx) == []


@pytest.mark.parametrize(
    ("topics", "told"), [(["Systems"], "Infos: no topic"), (["Systems", "Background"], "Infos: topic Background")]
)
def test_removing_one_heading_from_a_paper_can_become_a_rule(database, me, topics, told):
    import_id = given(database, me, *(line(n, title=LONG, topics=("Systems", "Infos")) for n in (1, 2)))
    correct(database, me, import_id, topics=topics)
    assert sentences(database) == [told]
    assert entries_of(database, import_id)[1].topics == topics


def test_a_site_skipped_by_rule_is_skipped(database, me):
    import_id = given(database, me, *(line(n, identifiers=(f"{SCRAP}{n}",)) for n in (1, 2)), line(3, title=LONG))
    correct(database, me, import_id, decision="skip")
    assert [entry.decision for entry in entries_of(database, import_id)] == ["skip", "skip", "add"]


@pytest.mark.parametrize("edit", [{}, {"title": "Corrected"}, {"topics": ["Another", "And one"]}, {"kind": "lead"}])
def test_a_correction_that_does_not_generalise_is_not_a_rule(database, me, edit):
    import_id = given(database, me, line(1, title=LONG, topics=("Systems",)))
    before = content(database)
    with pytest.raises(Invalid, match="can't be saved as a rule"):
        correct(database, me, import_id, **edit)
    assert content(database) == before


def test_known_papers_stay_known_whatever_a_later_rule_says(database, me):
    notes = [line(1, "topic", title="Infos"), line(2, title=LONG, topics=("Infos",))]
    imported(database, me, *notes)
    with database.write() as tx:
        add_rule(tx, me, RuleCreate(pattern="heading", value="infos", says="no_topic"))
    again = given(database, me, *notes, more=" again")
    assert [entry.decision for entry in entries_of(database, again)] == ["known", "known"]


def test_a_restored_entry_ignores_the_rule_which_stays(database, me):
    import_id = given(database, me, line(1, "topic", title="Infos"))
    correct(database, me, import_id, title="Background")
    with database.write() as tx:
        reset_entry(tx, me, import_id, 1)
    [entry] = entries_of(database, import_id)
    assert (entry.title, entry.rules, entry.proposed) == ("Infos", [], None)
    assert sentences(database) == ["Infos: topic Background"]
