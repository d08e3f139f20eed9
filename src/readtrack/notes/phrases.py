"""One piece of a note (a bullet, a line of prose, a row): which of its words are title, label or remark."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from readtrack.notes.entry import Entry
from readtrack.notes.found import Found, find, without
from readtrack.notes.making import Place, Told, make
from readtrack.notes.outline import topic_of
from readtrack.notes.titles import clean_title, is_broken_off, is_generic, looks_like_title
from readtrack.notes.venues import take_tag
from readtrack.notes.wording import is_question, is_task
from readtrack.notes.wordless import read_wordless

_LABEL = re.compile(r"^(?P<label>[^:：]{1,40})[:：]\s*$")
_LABEL_WORDS = 4
_ROLE_BEFORE = re.compile(r"(?:^|[\s(\[（【,;|/])(?P<role>[A-Za-z ]{2,20}|[\u3040-\u9fff]{2,6})\s?[:：]\s*[<(\[]?$")
_KINDS_WITH_VENUE = frozenset({"paper", "page"})
_CLOSERS = " ])）】>"
_LONGEST_SHARED = 1000
_NEAR = 200
_JOINTS = " \t-–—:：|｜,，;；/·•>[(（【<"
_TAB_TITLE = re.compile(r"^\s*(?:[|｜]|[-–—]\s)\s*(?P<title>\S.*)$")
_GOES_ON = re.compile(r"^[:：]\s*(?P<rest>[^|｜]{4,250})(?:[|｜](?P<more>.*))?$")
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SPACE_AND_MARKS = re.compile(r"^[\s\W_]*$")


@dataclass
class _Group:
    """A find and what belongs to it; `before` and `after` are the words round them."""

    main: Found
    extras: list[Found]
    before: str
    behind: list[str]

    @property
    def after(self) -> str:
        return " ".join(self.behind)


def read_piece(text: str, place: Place, *, listed: bool, references: bool = False) -> list[Entry]:
    """`listed`: an item of a list, where the words before an address are its title more often than in prose."""
    found = find(text)
    if not found:
        return [read_wordless(text, place, references=references)]
    groups = _groups(text, found)
    if len(groups) == 1:
        return _numbered(_single(groups[0], place, listed=listed))
    whole = _sentence(text, found)
    return _numbered([_one_of_many(group, whole, place) for group in groups])


def _groups(text: str, found: Sequence[Found]) -> list[_Group]:
    """Links whose text only names a role ([Code], slides: …), and the same name again, belong to what stands before."""
    pieces = without(text, list(found))
    groups: list[_Group] = []
    for each, before, after in zip(found, pieces, pieces[1:], strict=False):
        if groups and groups[-1].main.ref == each.ref and is_generic(each.label or ""):
            groups[-1].behind[-1] = before.rstrip(" [(（【<")
            groups[-1].behind.append(after.lstrip(_CLOSERS))
        elif groups and _is_extra(each, before):
            groups[-1].extras.append(each)
            groups[-1].behind[-1] = _ROLE_BEFORE.sub("", before)
            groups[-1].behind.append(after)
        else:
            groups.append(_Group(each, [], before, [after]))
    return [_best_first(group) for group in groups]


def _is_extra(found: Found, before: str) -> bool:
    if found.label is not None:
        return is_generic(found.label)
    role = _ROLE_BEFORE.search(before)
    return role is not None and is_generic(role["role"])


def _best_first(group: _Group) -> _Group:
    """The paper itself leads, also when its code is linked first."""
    every = (group.main, *group.extras)
    if group.main.paper_kind == "paper" or (group.main.label is not None and not is_generic(group.main.label)):
        return group
    best = next((each for each in every if each.paper_kind == "paper"), group.main)
    return replace(group, main=best, extras=[each for each in every if each is not best])


def _single(group: _Group, place: Place, *, listed: bool) -> list[Entry]:
    told = _told(group, listed=listed)
    made = make(group.main, told, place, group.extras)
    if made.kind != "junk" and is_question(told.text):
        return [made, read_wordless(told.text, replace(place, within=""))]
    return [made]


def _told(group: _Group, *, listed: bool) -> Told:
    before, after, label = group.before.strip(), group.after.strip(), group.main.label
    if label is not None and not is_generic(label):
        return _titled_by_link(group, label, before, after)
    heading = _short_label(before)
    if heading:
        return Told(text=_remark(after), topic=_label_topic(heading))
    if _is_title(before, listed=listed):
        return _tagged(group.main, before.strip(_JOINTS), after)
    bare = _SPACE_AND_MARKS.match(before)
    tab = _TAB_TITLE.match(after)
    if bare and tab:
        return Told(tab["title"])
    if bare and label is not None and looks_like_title(after):
        return Told(after)
    return Told(text=_remark(before, after))


def _titled_by_link(group: _Group, label: str, before: str, after: str) -> Told:
    heading = _short_label(before)
    rest = _GOES_ON.match(after)
    if rest and len(label.split()) <= 3 and looks_like_title(rest["rest"].strip(" .")):
        label, after = f"{label}: {rest['rest'].strip()}", rest["more"] or ""
    told = _tagged(group.main, label, "" if heading else before, after)
    return replace(told, topic=_label_topic(heading)) if heading else told


def _tagged(main: Found, title: str, *round_it: str) -> Told:
    """The venue tag stands in the title or beside it; a tag that was understood is no remark. Articles have none."""
    if main.paper_kind not in _KINDS_WITH_VENUE:
        return Told(title, _remark(*round_it))
    found = take_tag(title)
    said: list[str] = []
    for words in round_it:
        beside = take_tag(words) if not found.venue else None
        if beside and beside.venue:
            found = found._replace(venue=beside.venue, year=beside.year)
        said.append(beside.rest if beside else words)
    return Told(found.rest, _remark(*said), venue=found.venue, year=found.year)


def _short_label(before: str) -> str:
    match = _LABEL.match(before)
    return match["label"] if match and len(match["label"].split()) <= _LABEL_WORDS else ""


def _label_topic(label: str) -> str:
    name = clean_title(label)
    return "" if is_generic(label) else topic_of(name)


def _is_title(words: str, *, listed: bool) -> bool:
    plain = words.strip(_JOINTS)
    if looks_like_title(plain):
        return True
    if not listed or not 4 <= len(plain) <= 300 or _CJK.search(plain) or plain[0].islower():
        return False
    return " " in plain and not is_task(plain) and not is_broken_off(plain)


def _one_of_many(group: _Group, whole: str, place: Place) -> Entry:
    label = group.main.label
    title = label if label is not None and not is_generic(label) else ""
    text = whole or _remark(group.before[-_NEAR:], group.after[:_NEAR])
    return make(group.main, Told(title, text), place, group.extras)


def _sentence(text: str, found: Sequence[Found]) -> str:
    """The words that several finds share, with their link texts; "" when there are none, or too many to repeat."""
    pieces = without(text, list(found))
    if len(text) > _LONGEST_SHARED or not _remark(*pieces):
        return ""
    named = [each.label or (text[each.start : each.end] if not each.address else "…") for each in found]
    return "".join(piece + name for piece, name in zip(pieces, [*named, ""], strict=True)).strip()


def _numbered(entries: Sequence[Entry]) -> list[Entry]:
    return [entry if part == 1 else replace(entry, part=part) for part, entry in enumerate(entries, 1)]


def _remark(*pieces: str) -> str:
    """The words that are left, without the joints to what was taken out."""
    words = (piece.strip(_JOINTS + _CLOSERS) for piece in pieces)
    return " ".join(piece for piece in words if not _SPACE_AND_MARKS.match(piece))
