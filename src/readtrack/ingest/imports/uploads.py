"""Detection of uploads that are not text, by their first bytes, with advice for each type."""

MAX_FILE_BYTES = 200_000_000  # bytes
SAMPLE_BYTES = 4096
_COPY = "Open it, copy the text and paste it here."
_UNPACK = "Unpack it and upload the notes inside."
_SAVE = "Save it as plain text, CSV or HTML, or paste its text here."
_READ = "Type or paste its text here."
_BEGINNINGS = (
    (b"%PDF-", "a PDF", _COPY),
    (b"PK\x03\x04", "a zip archive or an office document", f"{_UNPACK} {_SAVE}"),
    (b"\xd0\xcf\x11\xe0", "an office document", _SAVE),
    (b"{\\rtf", "an RTF document", _SAVE),
    (b"\x1f\x8b", "a compressed file", _UNPACK),
    (b"7z\xbc\xaf", "an archive", _UNPACK),
    (b"Rar!", "an archive", _UNPACK),
    (b"SQLite format 3\0", "a database", "Export the notes as text or CSV and upload that."),
    (b"bplist", "a binary property list", _SAVE),
    (b"\x89PNG", "an image", _READ),
    (b"\xff\xd8\xff", "an image", _READ),
    (b"GIF8", "an image", _READ),
    (b"RIFF", "an image or audio file", _READ),
    (b"II*\0", "an image", _READ),
    (b"\x7fELF", "a program", "Upload the notes themselves."),
)


def refusal_reason(name: str, data: bytes, size: int) -> str:
    """Return why a file that begins with `data` is rejected, or "" if it is text in any encoding."""
    file = f"“{name[:100]}”" if name else "The file"
    if size > MAX_FILE_BYTES:
        limit = MAX_FILE_BYTES // 1_000_000
        return f"{file} is {size / 1_000_000:.1f} MB; the limit is {limit} MB. Split it into smaller files."
    for signature, format_name, advice in _BEGINNINGS:
        if data.startswith(signature):
            return f"{file} is {format_name}, not text. {advice}"
    if _is_binary(data[:SAMPLE_BYTES]):
        return f"{file} isn't text. {_COPY}"
    return ""


def _is_binary(sample: bytes) -> bool:
    """Return True for NUL bytes at both even and odd offsets.

    UTF-16 has them at one of the two, or a byte order mark.
    """
    if sample.startswith((b"\xff\xfe", b"\xfe\xff", b"\0\0\xfe\xff")):
        return False
    return sample[::2].count(0) * 20 > len(sample) and sample[1::2].count(0) * 20 > len(sample)
