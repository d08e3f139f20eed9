"""What is no text is refused with what to do instead; text with a few bad bytes is read."""

import bz2
import gzip
import io
import json
import lzma
import random
import tarfile
import zipfile

import pytest

from readtrack.infra.errors import Invalid
from readtrack.ingest import parser
from readtrack.ingest.imports import commands
from readtrack.ingest.imports.commands import check_limits, parse_notes
from readtrack.ingest.imports.uploads import refusal_reason
from tests.tables import cases


def archive(name: str) -> bytes:
    packet = io.BytesIO()
    with zipfile.ZipFile(packet, "w") as folder:
        folder.writestr(name, "text " * 100)
    return packet.getvalue()


def tar() -> bytes:
    packet = io.BytesIO()
    with tarfile.open(fileobj=packet, mode="w") as folder:
        folder.addfile(tarfile.TarInfo("notes.md"), io.BytesIO())
    return packet.getvalue()


def box(brand: bytes) -> bytes:
    return b"\0\0\0\x18ftyp" + brand + b"\0\0\0\0mif1heic"


REFUSED = {
    "a PDF": (b"%PDF-1.7\n...", "is a PDF. Upload notes, BibTeX, RIS or CSV, or add the paper by its address."),
    "a PDF after a blank line": (b"\n%PDF-1.7\n...", "is a PDF."),
    "a zip": (archive("notes.md"), "is an archive. Unpack it"),
    "a Markdown folder": (archive("papers/A title.md"), "is a Markdown folder. Import it under “Markdown folder”"),
    "a packed Markdown folder": (archive("library/topics/storage.md"), "is a Markdown folder."),
    "a gzip": (gzip.compress(b"notes"), "is an archive."),
    "an xz": (lzma.compress(b"notes"), "is an archive."),
    "a zstd": (b"\x28\xb5\x2f\xfd\x04\x58\x29\x00\x00notes", "is an archive."),
    "a bzip2": (bz2.compress(b"notes"), "is an archive."),
    "a 7z": (b"7z\xbc\xaf\x27\x1c\0\4", "is an archive."),
    "a tar": (tar(), "is an archive."),
    "a docx": (archive("word/document.xml"), "is an office document. Save it as plain text"),
    "an EPUB": (archive("mimetypeapplication/epub+zip"), "is an office document."),
    "an SVG": (b'<?xml version="1.0"?>\n<svg xmlns="http://www.w3.org/2000/svg"/>', "is an image."),
    "a PostScript file": (b"%!PS-Adobe-3.0\n", "isn't text."),
    "an xls": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "is an office document."),
    "a HEIC": (box(b"heic"), "is an image."),
    "a PNG": (b"\x89PNG\r\n\x1a\n", "is an image."),
    "an MP4": (box(b"isom"), "is a video or audio file."),
    "four bytes": (b"\x00\x01\x02\x03", "isn't text. Upload notes, BibTeX, RIS or CSV."),
    "random bytes": (random.Random(1).randbytes(5_000), "isn't text."),
}
TEXTS = [
    b"# Notes\n\n- Attention is all you need\n",
    "論文のメモ\n".encode("shift_jis"),
    "论文笔记：训练\n".encode("gb18030"),
    "Café, naïve\n".encode("cp1252"),
    "- A paper\n".encode("utf-16"),
    b"PKI and [certificates](https://example.org)\n",
    b"GIF or PNG?\n",
    b"<p>An <svg></svg> in notes</p>\n",
    b"RIFF notes\n",
    b"A title with one bad byte \xff in it\n",
]


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_text_is_refused_with_what_to_do_instead(case):
    data, words = REFUSED[case]
    assert words in refusal_reason("a", data, len(data))


@pytest.mark.parametrize("data", TEXTS)
def test_text_in_any_encoding_is_accepted(data):
    assert refusal_reason("a", data, len(data)) == ""
    assert parse_notes(parser.decode(data)).entries


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"name": "package", "version": 1}),
        json.dumps([{"a": 1}, {"a": 2}], indent=2),
        '{"a": 1}\n{"a": 2}\n',
        "[1,2,3]",
        "[ null ]\n",
        "[" + "-1.5, " * 20_000 + "2]",
        '{"a": ' + "9" * 5_000 + "}",
        json.dumps([{"number": number, "words": "x" * 50} for number in range(4_000)]),
    ],
)
def test_unknown_json_is_refused_with_what_to_do_instead(text):
    with pytest.raises(Invalid, match="neither an export of readtrack nor CSL-JSON"):
        parse_notes(text)


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0" encoding="UTF-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"><entry/></feed>',
        '<?xml version="1.0"?><!-- of EndNote -->\n<xml><records><record/></records></xml>',
        "\ufeff<?xml version='1.0'?>\n<!DOCTYPE PubmedArticleSet PUBLIC '-//NLM//DTD' 'a.dtd'>\n<PubmedArticleSet/>",
    ],
)
def test_unknown_xml_is_refused_with_what_to_do_instead(text):
    with pytest.raises(Invalid, match="neither OPML nor an export of Zotero"):
        parse_notes(text)


@pytest.mark.parametrize(
    "text",
    [
        '<?xml version="1.0"?>\n<!DOCTYPE html>\n<html><p><a href="https://arxiv.org">A title</a></p></html>',
        '<?xml version="1.0"?>\n<opml version="2.0"><body><outline text="Topic"/></body></opml>',
        '<?xml version="1.0"?>\n<!-- of Foo --><?a b?>\n<opml><body><outline text="Topic"/></body></opml>',
        '<?xml version="1.0"?>\n<div><a href="https://arxiv.org">A title</a></div>',
        "Write `<?xml version='1.0'?><feed>` first.",
        "[A title](https://arxiv.org/abs/2401.00134)",
        "[1] A. Author. A title.",
        "[1]\n[A title](https://arxiv.org/abs/2401.00134)",
        '["A quoted title" and more',
        "{A brace} in notes",
        '[{"title": "A title", "DOI": "10.1145/1"}]',
    ],
)
def test_notes_with_brackets_are_no_unknown_json(text):
    assert parse_notes(text).entries


def test_an_export_of_a_newer_version_is_refused():
    with pytest.raises(Invalid, match="Update readtrack"):
        parse_notes('{"format": "readtrack-export", "version": 3, "papers": [\n{"title": "A"}\n]}')


def test_lines_in_different_encodings_are_each_read():
    data = (
        "- 训练推优化算法的论文\n".encode()
        + "- 训练推优化算法的论文\n".encode("gb18030")
        + "- Café\n".encode("cp1252") * 2
    )
    assert parser.decode(data).splitlines() == ["- 训练推优化算法的论文", "- 训练推优化算法的论文", "- Café", "- Café"]


@cases(
    "line",
    [
        "https://www.usenix.org/conference/osdi23/presentation/{}",
        "https://doi.org/10.1145/3600006.{}",
        "https://arxiv.org/abs/2401.{}",
        "[https://example.org/{0}](https://example.org/{0})",
    ],
)
def test_an_address_counts_once_and_notes_may_have_as_many_as_the_limit(monkeypatch, line):
    monkeypatch.setattr(commands, "MAX_ADDRESSES", 100)
    check_limits("\n".join(line.format(number) for number in range(10_000, 10_100)))
