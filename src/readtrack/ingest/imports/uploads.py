"""Detection of what cannot be read as notes, by its content, with one sentence on what to do instead."""

import json
import re
from collections.abc import Callable

from readtrack.infra.errors import invalid_field
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.ingest import parser
from readtrack.workspace.export.formats.markdown import MARK

MAX_FILE_BYTES = 200_000_000  # bytes
SAMPLE_BYTES = 65_536
_PDF = N_("{file} is a PDF. Upload notes, BibTeX, RIS or CSV, or add the paper by its address.")
_ARCHIVE = N_("{file} is an archive. Unpack it and upload the notes inside.")
_FOLDER = N_("{file} is a Markdown folder. Import it under “Markdown folder” (/export/markdown).")
_OFFICE = N_("{file} is an office document. Save it as plain text, CSV or HTML, or paste its text.")
_IMAGE = N_("{file} is an image. Type or paste its text.")
_RECORDING = N_("{file} is a video or audio file. Upload notes about it, or add it by its address.")
_DATABASE = N_("{file} is a database. Export the notes as text or CSV and upload that.")
_NOT_TEXT = N_("{file} isn't text. Upload notes, BibTeX, RIS or CSV.")
_UNKNOWN_JSON = N_(
    "This JSON is neither an export of readtrack nor CSL-JSON. Export BibTeX, RIS, CSV or CSL-JSON and upload that."
)
_UNKNOWN_XML = N_(
    "This XML is neither OPML nor an export of Zotero. Export BibTeX, RIS, CSV or CSL-JSON and upload that."
)
_NEWER_EXPORT = N_("This export was made by a newer version of readtrack. Update readtrack to import it.")
_READING_LIST = N_(
    "This is a list for reading that readtrack exported. Export a Markdown folder, JSON or CSV and import that."
)
_OFFICE_PARTS = (b"word/", b"xl/", b"ppt/", b"[Content_Types].xml", b"application/vnd.oasis", b"Index/Document.iwa",
                 b"application/epub+zip")  # fmt: skip
_OF_FOLDER = re.compile(rb"PK\x03\x04(?s:.{26})(?:[^\0]{1,200}/)?(?:papers|topics)/[^\0]{1,200}\.md")
_SIGNATURES = (
    (rb"\s*(?:\xef\xbb\xbf\s*)?%PDF-", _PDF),
    (rb"PK(?:\x03\x04|\x05\x06)", _ARCHIVE),
    (rb"\xd0\xcf\x11\xe0|\{\\rtf|bplist0", _OFFICE),
    (rb"\x1f\x8b|\xfd7zXZ\0|\x28\xb5\x2f\xfd|BZh[1-9]1AY&SY|7z\xbc\xaf|Rar!\x1a|\x04\x22\x4d\x18", _ARCHIVE),
    (rb"(?s:.{257})ustar", _ARCHIVE),
    (rb"SQLite format 3\0", _DATABASE),
    (rb"\x89PNG|\xff\xd8\xff|GIF8[79]a|II\*\0|MM\0\*|(?s:RIFF.{4}WEBP)", _IMAGE),
    (rb"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--[^>]{0,500}-->\s*|<!DOCTYPE svg[^>]{0,500}>\s*){0,3}<svg[\s>]", _IMAGE),
    (rb"%!PS", _NOT_TEXT),
    (rb"(?s:.{4})ftyp(?:hei|hev|mif|msf|avif)", _IMAGE),
    (rb"(?s:.{4})ftyp|\x1a\x45\xdf\xa3|OggS\0|ID3[\x02-\x04]|(?s:RIFF.{4}(?:WAVE|AVI ))|fLaC\0", _RECORDING),
)
_PATTERNS = tuple((re.compile(pattern), sentence) for pattern, sentence in _SIGNATURES)
_OTHER_XML = re.compile(
    r"[\ufeff\s]*<\?xml\s[^>]{0,200}\?>\s*(?:<!--(?:(?!-->).){0,2000}-->\s*|<\?[^>]{0,500}\?>\s*){0,5}"
    r"<(?!!--|!DOCTYPE\s(?:html|opml|rdf:RDF|NETSCAPE)|opml\b|rdf:RDF\b|/|"
    r"(?:html|body|div|details|section|article|main|table|[uo]l|dl|p|h[1-6])\b)[A-Za-z!]",
    re.IGNORECASE | re.DOTALL,
)
_CONTROL = re.compile("[\x00-\x08\x0e-\x19\x1c-\x1f\x7f]")
_MIN_STRANGE_CHARS = 3
_MAX_CONTROL_SHARE, _MAX_UNREADABLE_SHARE = 0.02, 0.2
_UNREADABLE = "\ufffd"


def refusal_reason(name: str, data: bytes, size: int) -> str:
    """Return why a file of `size` bytes that begins with `data` is rejected, or "" if it is text in any encoding."""
    file = f"“{name[:100]}”" if name else _("This file")
    if size > MAX_FILE_BYTES:
        message = _("{file} is larger than {limit} MB. Split it into smaller files.")
        return message.format(file=file, limit=MAX_FILE_BYTES // 1_000_000)
    sentence = next((sentence for pattern, sentence in _PATTERNS if pattern.match(data)), "")
    if sentence == _ARCHIVE and any(part in data for part in _OFFICE_PARTS):
        sentence = _OFFICE
    if sentence == _ARCHIVE and _OF_FOLDER.search(data):
        sentence = _FOLDER
    if not sentence and _is_binary(parser.decode(data)):
        sentence = _NOT_TEXT
    return _(sentence).format(file=file) if sentence else ""


def refuse_unreadable(sample: str, is_known_json: Callable[[str], bool]) -> None:
    """Raise Invalid for a text that begins like this if it is unknown JSON or XML, or was not text.

    `is_known_json`: returns True for a text of records that can be read.
    """
    from readtrack.ingest.parser.formats.exported_papers import is_newer_export  # loaded when it is needed

    file = _("This file")
    if sample.lstrip("\ufeff \t\r\n").startswith("%PDF-"):
        raise invalid_field("/text", "unreadable", _(_PDF).format(file=file))
    if _is_binary(sample):
        raise invalid_field("/text", "unreadable", _(_NOT_TEXT).format(file=file))
    if is_newer_export(sample):
        raise invalid_field("/text", "unreadable", _(_NEWER_EXPORT))
    if sample.lstrip("\ufeff \t\r\n").startswith(MARK):
        raise invalid_field("/text", "unreadable", _(_READING_LIST))
    if _is_json(sample) and not is_known_json(sample):
        raise invalid_field("/text", "unreadable", _(_UNKNOWN_JSON))
    if _OTHER_XML.match(sample):
        raise invalid_field("/text", "unreadable", _(_UNKNOWN_XML))


def count_unreadable(text: str) -> int:
    """Return how many characters of a decoded text could not be read."""
    return text.count(_UNREADABLE)


def _is_binary(sample: str) -> bool:
    control_count, unreadable_count = len(_CONTROL.findall(sample)), count_unreadable(sample)
    if max(control_count, unreadable_count) < _MIN_STRANGE_CHARS:
        return False
    is_control = control_count > _MAX_CONTROL_SHARE * len(sample)
    return is_control or unreadable_count > _MAX_UNREADABLE_SHARE * len("".join(sample.split()))


def _is_json(sample: str) -> bool:
    """Return True if a text, or one that begins like this, consists of JSON objects or a list."""
    text = sample.lstrip("\ufeff \t\r\n")
    may_be_reference = re.match(r"\[\s*(?:-?\d|true|false|null)", text)  # as `[1] [A title](address)`
    if not may_be_reference and not re.match(r"\{\s*[\"}]|\[\s*[\[{\"\]]", text):
        return False
    try:
        _value, end = json.JSONDecoder().raw_decode(text)
    except RecursionError:
        return True
    except json.JSONDecodeError as problem:  # of a sample: it ends within a value
        return len(sample) > SAMPLE_BYTES // 4 and (problem.pos >= len(text) - 20 or "Unterminated" in problem.msg)
    except ValueError:  # an integer of thousands of digits
        return True
    rest = text[end:].lstrip()
    return not rest or (not may_be_reference and rest.startswith(("{", "[")))
