"""Every verb that the code records has words, and those of the audit trail are told to nobody else."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import readtrack
from readtrack.team.activity.verbs import VERBS, get_verb_text, hidden_verbs, public_verbs
from readtrack.web.api.activity import EventData

SOURCE = Path(readtrack.__file__).parent
VERB = re.compile(r"(?P<concept>[a-z]+)\.[a-z][a-z_-]+")
CONCEPTS = {verb.partition(".")[0] for verb in VERBS}
LIKE_VERB = re.compile(rf"[\"'](?:{'|'.join(CONCEPTS)})\.[a-z]")
NO_VERBS = {"id", "html", "md", "create"}  # columns, files, and the job that makes a backup


@cache
def modules():
    """Each that records events or has a word like a verb, with all that is written in it."""
    texts = {path: path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py")}
    return [
        (path, [*ast.walk(ast.parse(text))])
        for path, text in texts.items()
        if "record_event(" in text or LIKE_VERB.search(text)
    ]


def spoken():
    """The verbs in the code, with where they stand; the first half alone of those that are put together."""
    for path, nodes in modules():
        if path.parent.name in {"models", "activity"}:
            continue
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                found = VERB.fullmatch(node.value)
                if found and found["concept"] in CONCEPTS and node.value.split(".")[1] not in NO_VERBS:
                    yield node.value, f"{path.relative_to(SOURCE)}:{node.lineno}"


def concepts_recorded():
    """What stands before the dot in every call that records events and whose verb is written there."""
    for _, nodes in modules():
        for call in nodes:
            records = isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "record_event"
            if records and len(call.args) > 2:
                verb = call.args[2]
                first = verb.values[0] if isinstance(verb, ast.JoinedStr) else verb
                if isinstance(first, ast.Constant):
                    yield str(first.value).partition(".")[0]


def test_every_verb_in_the_code_has_a_text():
    known = {verb.partition(":")[0] for verb in VERBS}
    assert {verb: place for verb, place in spoken() if verb not in known} == {}


def test_every_module_recording_events_is_listed():
    recorded = set(concepts_recorded())
    assert recorded
    assert recorded - CONCEPTS == set()


def keys_recorded():
    """The keys of the data that a call records, where they are written in it, with where they stand."""
    for path, nodes in modules():
        for call in nodes:
            is_call = isinstance(call, ast.Call) and getattr(call.func, "attr", "") == "record_event"
            for argument in call.keywords if is_call else ():
                if argument.arg == "data" and isinstance(argument.value, ast.Dict):
                    for key in argument.value.keys:
                        yield getattr(key, "value", ""), f"{path.relative_to(SOURCE)}:{call.lineno}"


def test_what_events_are_about_is_described():
    described = {field.alias or name for name, field in EventData.model_fields.items()}
    assert {key: place for key, place in keys_recorded() if key not in described} == {}
    text = (SOURCE.parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    table = text.partition("| verbs | `data` |")[2].partition("\n\n")[0]
    columns = [line.split("|")[2] for line in table.splitlines() if line.startswith("| `")]
    assert set(re.findall(r"`([a-z_]+)`", "".join(columns))) == described


def test_every_verb_with_a_text_is_recorded_somewhere():
    said = {verb for verb, _ in spoken()}
    text = "".join(path.read_text(encoding="utf-8") for path in SOURCE.rglob("*.py") if path.parent.name != "activity")
    silent = {verb for verb in VERBS if ":" not in verb and verb not in said and f"{verb.split('.')[0]}.{{" not in text}
    assert silent == set()


def test_a_text_uses_only_available_placeholders():
    for verb, words in VERBS.items():
        assert words.text
        assert not words.text.endswith("."), verb


@pytest.mark.parametrize(
    "verb", ["person.signed-in", "person.password-changed", "token.created", "person.role-changed"]
)
def test_sign_in_events_are_only_for_the_audit_trail(verb):
    assert verb in hidden_verbs()
    assert verb not in public_verbs()


def test_a_verb_without_a_text_is_shown_as_is():
    assert get_verb_text("thing.done", {}).text == "thing.done"
    assert get_verb_text("reading.set", {"status": "read"}).text == "finished {paper}"
    assert get_verb_text("reading.set", {"status": "unheard of"}).text == VERBS["reading.set"].text


@pytest.mark.parametrize(
    ("changed", "text"),
    [
        (["depth", "status"], "finished {paper}"),
        (["progress_at", "progress_of"], "made progress on {paper}"),
        (["progress_at", "recommendation"], "rated {paper}"),
        (["reason"], "updated their reading of {paper}"),
    ],
)
def test_a_reading_change_is_described_by_its_subject(changed, text):
    assert get_verb_text("reading.set", {"status": "read", "changed": changed}).text == text
