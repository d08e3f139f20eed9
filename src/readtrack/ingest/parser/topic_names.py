"""The names in a field that lists topics.

A comma is part of a name: in a heading, in a label, in the name of a topic. Only a field that lists several names (tags,
keywords, a column of topics) is split, by the separators of its format, and there quotes or double brackets keep a name
whole: `"Storage, caching", [[Serving, online]]`.
"""

import re

_SEPARATORS = ",，、;；|\n"
_WHOLE = (
    r'"(?:[^"\n]|""){1,200}"|\[\[[^\[\]\n]{1,200}\]\]|`[^`\n]{1,200}`|'
    r"(?<![^\s,，;；])'[^'\n]{1,200}'(?!\w)"
)
_MARKS = " \t'`"


def split_topic_names(text: str, separators: str = _SEPARATORS) -> list[str]:
    """Return the names in a field that lists topics, without quotes, brackets and the `#` of tags."""
    pieces = re.finditer(rf"(?P<whole>{_WHOLE})|(?P<end>[{re.escape(separators)}]|\s(?=#))|.", text, re.DOTALL)
    names = [""]
    for piece in pieces:
        if piece["end"]:
            names.append("")
        else:
            names[-1] += _unwrap(piece["whole"]) if piece["whole"] else piece[0]
    return [name for piece in names if (name := piece.strip(_MARKS).lstrip("#").strip())]


def _unwrap(text: str) -> str:
    if text.startswith("[["):
        return text[2:-2].rpartition("|")[2]
    return text[1:-1].replace('""', '"')
