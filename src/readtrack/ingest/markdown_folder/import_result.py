"""What a folder is brought in with: its notes, what became of each so far, and what is told of it in the end."""

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from pydantic import ValidationError
from sqlalchemy.exc import IntegrityError

from readtrack.infra import quotas
from readtrack.infra.db import Write, savepoint
from readtrack.infra.errors import ReadtrackError, StorageUnavailable, TooManyRequests
from readtrack.infra.i18n import N_, ngettext
from readtrack.infra.i18n import gettext as _
from readtrack.infra.jobs import queue
from readtrack.infra.permissions import CurrentUser
from readtrack.infra.validation_messages import validation_message
from readtrack.ingest.markdown_folder.front_matter import FolderNote, PaperNote, TopicNote

LONGEST_QUOTED = 80  # characters of what is left out
MAX_SENTENCES = 100  # sentences on what was left out
BROKEN = N_("Something broke here; the log has the details.")
IMPORT_FAILED = "a part of a folder cannot be brought in"  # for the log


@dataclass
class FolderImportResult:
    """What came of a folder. `left_out`: a sentence on each thing that stays outside, or as it is here."""

    papers_added: int = 0
    papers_known: int = 0
    topics_added: int = 0
    topics_known: int = 0
    relations: int = 0
    tables: int = 0
    summaries: int = 0
    left_out: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._untold = 0

    def leave_out(self, sentence: str) -> None:
        """Tells so; of the later ones, when very much was told already, only how many they are."""
        if len(self.left_out) < MAX_SENTENCES:
            self.left_out.append(sentence)
            return
        self._untold += 1
        more = ngettext("{count} more thing was left out.", "{count} more things were left out.", self._untold)
        self.left_out[MAX_SENTENCES:] = [more.format(count=f"{self._untold:,}")]

    def leave_out_broken(self, called: str) -> None:
        """Tells so of what raised something unexpected, which the log has."""
        self.leave_out(_("{name}: {sentence}").format(name=called[:LONGEST_QUOTED], sentence=_(BROKEN)))

    @property
    def new(self) -> dict[str, int]:
        """How many of each kind are new here; nothing of those of which none is."""
        counted = {name.removesuffix("_added"): count for name, count in asdict(self).items() if name != "left_out"}
        return {name: count for name, count in counted.items() if count and not name.endswith("_known")}


@dataclass
class MarkdownFolder:
    """The notes by the names of their files, and the numbers here of those that have become something.

    `refused`: the names of notes that are not brought in. `exceeded`: by the verb of each quota that is used up, the
    refusal.
    """

    papers: dict[str, PaperNote]
    topics: dict[str, TopicNote]
    refused: Collection[str] = ()
    exceeded: dict[str, TooManyRequests] = field(default_factory=dict)
    paper_ids: dict[str, int] = field(default_factory=dict)
    topic_ids: dict[str, int] = field(default_factory=dict)


@dataclass
class FolderImport:
    """One transaction of it. `limited`: whether quotas apply."""

    tx: Write
    me: CurrentUser
    folder: MarkdownFolder
    brought: FolderImportResult
    limited: bool = True
    _left: dict[str, int] = field(default_factory=dict)

    def require_quota(self, verb: str) -> None:
        """Raise TooMany if one more is more than the person may add now.

        Counted once a transaction, and not again once it is exceeded: a folder may go on for very long after that.
        """
        if not self.limited:
            return
        if verb in self.folder.exceeded:
            raise self.folder.exceeded[verb]
        if verb not in self._left:
            self._left[verb] = quotas.remaining(self.tx, self.me, verb)
        if self._left[verb] <= 0:
            try:
                quotas.require(self.tx, self.me, verb)
            except TooManyRequests as problem:
                self.folder.exceeded[verb] = problem
                raise
        self._left[verb] -= 1

    def report_unplaced_text(self, called: str, note: FolderNote) -> None:
        """Tells of words for which there is no place here."""
        if note.loose:
            words = " ".join(note.loose.split())
            begin = words if len(words) <= LONGEST_QUOTED else f"{words[:LONGEST_QUOTED]}…"
            message = _("“{name}”: this stands outside of all parts and was left out: {words}")
            self.brought.leave_out(message.format(name=called, words=begin))

    @contextmanager
    def part(self, called: str) -> Iterator[None]:
        """Something that is whole or not at all; when it is refused or breaks, that is told, and holds up nothing else.

        What another added at the same moment, or a database that does not work, is no fault of it and is raised.
        """
        refusals = (IntegrityError, ReadtrackError, ValidationError)
        try:
            with queue.isolate_errors(IMPORT_FAILED, *refusals, called=called) as outcome, savepoint(self.tx):
                yield
            if outcome.problem is not None:
                self.brought.leave_out_broken(called)
        except StorageUnavailable:
            raise
        except ReadtrackError as problem:
            self.brought.leave_out(_("{name}: {sentence}").format(name=called, sentence=problem.message))
        except ValidationError as problem:
            said = " ".join(dict.fromkeys(map(validation_message, problem.errors())))
            self.brought.leave_out(_("{name}: {sentence}").format(name=called, sentence=said))


ImportStep = tuple[str, Callable[[FolderImport], None]]  # the name of a note, and a small piece of the work for it


def is_same_text(text: str, here: str) -> bool:
    """Whether two texts differ in no more than the ends of lines and what is blank round them."""
    return text.strip() == here.replace("\r\n", "\n").strip()
