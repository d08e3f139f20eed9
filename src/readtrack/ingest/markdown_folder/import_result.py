"""State and result of a folder import: its notes, what became of each, and the messages at the end."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError

from readtrack.infra import action_quotas
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import ReadtrackError, StorageUnavailable, TooManyRequests
from readtrack.infra.i18n import N_
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation import validation_message
from readtrack.ingest.apply_details import DetailsImport
from readtrack.ingest.markdown_folder.notes import FolderNote, PaperNote, TopicNote

MAX_QUOTED_CHARS = 80  # characters quoted of a text that is left out
MAX_SENTENCES = 100  # messages on texts that are left out
BROKEN = N_("Internal error. See the server log.")
IMPORT_FAILED = "failed to import part of folder"  # for the log


@dataclass
class FolderImportResult:
    """The result of a folder import.

    `left_out`: a message for each part that was left out or not overwritten.
    """

    papers_added: int = 0
    papers_known: int = 0
    topics_added: int = 0
    topics_known: int = 0
    relations: int = 0
    tables: int = 0
    summaries: int = 0
    comments: int = 0
    questions: int = 0
    left_out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._untold = 0

    def leave_out(self, sentence: str) -> None:
        """Add a message. Beyond MAX_SENTENCES, only count the messages."""
        if len(self.left_out) < MAX_SENTENCES:
            self.left_out.append(sentence)
            return
        self._untold += 1
        self.left_out[MAX_SENTENCES:] = [_("{count} more skipped.").format(count=f"{self._untold:,}")]

    def leave_out_broken(self, name: str) -> None:
        """Add a message for a note that caused an unexpected error, which the log has."""
        self.leave_out(f"{name[:MAX_QUOTED_CHARS]}: {_(BROKEN)}")

    @property
    def new(self) -> dict[str, int]:
        """Return the number of new objects by kind, without zeros."""
        counts = {name.removesuffix("_added"): count for name, count in asdict(self).items() if name != "left_out"}
        return {name: count for name, count in counts.items() if count and not name.endswith("_known")}


@dataclass
class MarkdownFolder:
    """The notes of a folder by file name, and the ids of the objects they became.

    `rejected_files`: names of notes that are not imported. `exceeded`: the error of each exceeded quota, by its verb.
    """

    papers: dict[str, PaperNote]
    topics: dict[str, TopicNote]
    rejected_files: Collection[str] = ()
    exceeded: dict[str, TooManyRequests] = field(default_factory=dict)
    paper_ids: dict[str, int] = field(default_factory=dict)
    topic_ids: dict[str, int] = field(default_factory=dict)


@dataclass
class FolderImport:
    """One transaction of a folder import. `limited`: apply quotas."""

    tx: Write
    me: CurrentUser
    folder: MarkdownFolder
    result: FolderImportResult
    limited: bool = True
    _left: dict[str, int] = field(default_factory=dict)

    def require_quota(self, verb: str) -> None:
        """Raise TooManyRequests if the person has reached the quota of this verb.

        The quota is read once per transaction, and not again once it is exceeded: many more notes may follow.
        """
        if not self.limited:
            return
        if verb in self.folder.exceeded:
            raise self.folder.exceeded[verb]
        if verb not in self._left:
            self._left[verb] = action_quotas.remaining(self.tx, self.me, verb)
        if self._left[verb] <= 0:
            try:
                action_quotas.require(self.tx, self.me, verb)
            except TooManyRequests as problem:
                self.folder.exceeded[verb] = problem
                raise
        self._left[verb] -= 1

    def report_unplaced_text(self, name: str, note: FolderNote) -> None:
        """Add a message for text outside of all known sections."""
        if note.unparsed_text:
            text = " ".join(note.unparsed_text.split())
            excerpt = text if len(text) <= MAX_QUOTED_CHARS else f"{text[:MAX_QUOTED_CHARS]}…"
            message = _("“{name}”: skipped text outside any section: {words}")
            self.result.leave_out(message.format(name=name, words=excerpt))

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Run a part of the import in a savepoint.

        If it is invalid or fails, add a message and continue. Raise IntegrityError when another transaction added the
        same, and StorageUnavailable: neither is caused by the note.
        """
        refusals = (IntegrityError, ReadtrackError, ValidationError)
        try:
            with queue.isolate_errors(IMPORT_FAILED, *refusals, called=name) as outcome, savepoint(self.tx):
                yield
            if outcome.problem is not None:
                self.result.leave_out_broken(name)
        except StorageUnavailable:
            raise
        except ReadtrackError as problem:
            self.result.leave_out(f"{name}: {problem.message}")
        except ValidationError as problem:
            message = " ".join(dict.fromkeys(map(validation_message, problem.errors())))
            self.result.leave_out(f"{name}: {message}")

    @contextmanager
    def details(self, name: str) -> Iterator[DetailsImport]:
        """Apply details of the paper of that note, and count them in the result."""
        details_import = DetailsImport(self.tx, self.me, self.require_quota)
        yield details_import
        for kind, count in details_import.added.items():
            setattr(self.result, kind, getattr(self.result, kind) + count)
        for problem in details_import.problems:
            self.result.leave_out(f"{name[:MAX_QUOTED_CHARS]}: {problem}")


ImportStep = tuple[str, Callable[[FolderImport], None]]  # the name of a note, and one step of its import
