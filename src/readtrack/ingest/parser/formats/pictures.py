"""Lines of images such as badges, banners and charts.

They create nothing unless an image links to a paper.
"""

import re

from readtrack.ingest.parser.document import EntryBlock, NoteDocument, Shape, skip_lines
from readtrack.ingest.parser.reasons import PICTURES

_PICTURE = r"!\[[^\[\]]{0,300}\]\([^()]{0,1500}\)"
_LINE = re.compile(rf"(?:[-*]\s)?(?:(?:\[\s?{_PICTURE}\s?\]\([^()]{{0,1500}}\)|{_PICTURE})[\s|·•]{{0,10}}){{1,60}}")


def read(page: NoteDocument, start: int) -> EntryBlock | None:
    text = page.text(start)
    if (
        "![" not in text[:4]
        or not _LINE.fullmatch(text)
        or any(link.paper_kind == "paper" for link in page.links_at(start))
    ):
        return None
    return skip_lines(page, start, start + 1, PICTURES, "blank")


SHAPE = Shape("pictures", 35, read)
