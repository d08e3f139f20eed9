"""The files that `readtrack import` reads: those named on the command line, and the notes in folders."""

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from readtrack.infra.models.columns import MAX_KEY_CHARS
from readtrack.ingest.imports.commands import MAX_TITLE_CHARS

STDIN = "-"
# Folders of notes also have images, scripts and settings in them.
NOTE_SUFFIXES = frozenset(
    [
        ".adoc", ".bbl", ".bib", ".ciw", ".csv", ".enw", ".htm", ".html", ".json", ".markdown", ".md", ".nbib", ".opml",
        ".org", ".rdf", ".ris", ".rst", ".tex", ".text", ".tsv", ".txt", ".xml",
    ]
)  # fmt: skip
_TEMPORARY_PREFIXES = (".", "~", "#")  # .#notes.md of Emacs, .syncthing.notes.md.tmp, ~$notes.csv of Excel


@dataclass(frozen=True)
class NoteFile:
    """A file to import. `title`: of its note. Files with the same title are revisions of one note, except in folders.

    `source`: the full path, by which the note of a file in a folder is known; "" if there is none, or a given title.
    """

    path: str
    title: str
    source: str = ""
    is_in_folder: bool = False


def list_note_files(
    paths: Sequence[str], title: str = "", *, on_error: Callable[[OSError], None]
) -> Iterator[NoteFile]:
    """Yield the files with these paths, and the notes in the folders among them and below.

    A note in a folder is titled by its path within the folder, or by a longer part of its path if another file's note
    has that title. Links are not followed: a shared folder must not publish
    files from outside. `on_error`: takes the errors of folders that can't be listed.
    """
    for path in paths:
        if path != STDIN and Path(path).is_dir():
            yield from _list_folder(path, on_error)
        elif path == STDIN or title:
            yield NoteFile(path, title)
        else:
            yield NoteFile(path, Path(path).name, _get_source(Path(path).resolve()))


def _list_folder(folder: str, on_error: Callable[[OSError], None]) -> Iterator[NoteFile]:
    root = Path(folder).resolve()
    for parent, folder_names, file_names in os.walk(folder, onerror=on_error):
        folder_names[:] = sorted(name for name in folder_names if not name.startswith(_TEMPORARY_PREFIXES))
        for name in sorted(file_names):
            path = Path(parent, name)
            if _has_note_name(name) and _is_regular_file(path):
                relative_path = path.relative_to(folder)
                title = _decode(relative_path)[-MAX_TITLE_CHARS:]
                yield NoteFile(str(path), title, _get_source(root / relative_path), is_in_folder=True)


def _get_source(full_path: Path) -> str:
    return _decode(full_path)[-MAX_KEY_CHARS:]


def _decode(path: Path) -> str:
    return os.fsencode(path.as_posix()).decode(errors="replace")


def _has_note_name(name: str) -> bool:
    return not name.startswith(_TEMPORARY_PREFIXES) and Path(name).suffix.lower() in NOTE_SUFFIXES


def _is_regular_file(path: Path) -> bool:
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except OSError:  # deleted since it was listed
        return False
