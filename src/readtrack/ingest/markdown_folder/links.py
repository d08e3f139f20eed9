"""Links in texts, as readtrack has them and as a folder has them: `[[ckpt]]` is `[[Checkpointing|ckpt]]` there. Pure.

A folder's link names a file; what was between the brackets is shown, so that it comes back as it was. What readtrack
itself reads as no link, in code or in a formula, stays as it is typed.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import count

from readtrack import markdown
from readtrack.infra.text import normalize
from readtrack.ingest.markdown_folder.front_matter import PAPERS, TOPICS
from readtrack.markdown.reference_keys import BRACKETS, key_of, key_of_name, short_title, split_brackets
from readtrack.metadata.registry import parse_ref as named_by

NoteResolver = Callable[[str], str]  # what stands between brackets -> the name of its note; blank when there is none
TitleResolver = Callable[[str], str]  # the name of a note -> what readtrack calls it; blank for another note
LONGEST = 2 * markdown.MAX_BYTES  # characters; longer ones cannot be kept anyway
_IN_TABLE = "\\|"  # how a bar is written in a cell of a table
_KEPT = 250  # characters between brackets, beside the number
_IN_FOLDER = re.compile(rf"\A(?:.*/)?(?:{PAPERS}|{TOPICS})/")  # programs may link by whole paths
_MEANS = re.compile(r"[`$\\]")


def to_folder_links(text: str, places: NoteResolver) -> str:
    """The text as the folder has it."""
    return _rewrite_links(text, lambda name, shown: _to_folder_link(places, name, shown))


def from_folder_links(text: str, titles: TitleResolver, places: NoteResolver) -> str:
    """The text as readtrack has it."""
    return _rewrite_links(text, lambda name, shown: _from_folder_link(titles, places, name, shown))


def map_paper_names(files: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What texts may call papers, from titles and files: the title before its beginning, the first before others.

    A beginning that several have means none of them.
    """
    titled = list(files)
    said = Counter(key_of_name(short_title(title)) for title, _file in titled)
    shorts = {key: file for title, file in titled if said[key := key_of_name(short_title(title))] == 1}
    whole = {key_of_name(title): file for title, file in reversed(titled)}
    return {key: file for key, file in {**shorts, **whole}.items() if key}


def resolve_note(places: Mapping[str, str], name: str) -> str:
    """The note that a name or an identifier means; blank when none does."""
    found = places.get(key_of(name), "")
    return found or (places.get(key_of_name(name), "") if named_by(name) else "")


def _to_folder_link(places: NoteResolver, name: str, shown: str) -> tuple[str, str]:
    file = places(name)
    return (file, shown) if file else (name, shown)


def _from_folder_link(titles: TitleResolver, places: NoteResolver, name: str, shown: str) -> tuple[str, str]:
    file = name if titles(name) else _IN_FOLDER.sub("", name)
    title = titles(file)
    if not title or (name == shown and normalize.key(title) == normalize.key(name)):
        return name, shown
    if name == shown:
        return title, title
    return (shown, shown) if places(shown) == file else (title, shown)


def _rewrite_links(text: str, change: Callable[[str, str], tuple[str, str]]) -> str:
    """The text with each of its links changed: from what it names and shows to what it shall name and show."""
    if "[[" not in text or len(text) > LONGEST:
        return text
    number = count()
    keys = {*markdown.find_reference_keys(BRACKETS.sub(lambda link: _number_link(next(number), link[1]), text))}
    number = count()

    def rewrite_link(link: re.Match[str]) -> str:
        bar = _find_separator(key_of_name(f"link {next(number)}"), link[1], keys)
        before = split_brackets(link[1].replace(_IN_TABLE, "|", 1) if bar == _IN_TABLE else link[1])
        after = change(*before) if bar else before
        if after == before:
            return link[0]
        return f"[[{after[0]}]]" if after[0] == after[1] else f"[[{bar.join(after)}]]"

    return BRACKETS.sub(rewrite_link, text)


def _number_link(number: int, inside: str) -> str:
    """The same link with a number for its name. Signs that may end code or a formula stay in it."""
    kept = inside if len(inside) < _KEPT else "".join(_MEANS.findall(inside))[:_KEPT]
    bar = "|" if "|" in inside and _IN_TABLE not in inside else _IN_TABLE
    return f"[[link {number}{bar}{kept}]]"


def _find_separator(key: str, inside: str, keys: Collection[str]) -> str:
    """What stands between name and words of that link: another sign in a cell of a table; blank when it is no link."""
    if f"{key}\\" in keys:  # the sign before the bar was read as one of the name: so this is no table
        return "|"
    if key not in keys:
        return ""
    return "|" if "|" in inside and _IN_TABLE not in inside else _IN_TABLE
