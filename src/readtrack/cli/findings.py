"""What may be wrong with a library, each as a sentence that says what to do."""

import ipaddress
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from readtrack import search
from readtrack.cli.context import open_unmigrated_database
from readtrack.infra import db, disk, events
from readtrack.infra.clock import now
from readtrack.infra.config import SECRET_FILE, SECRET_PREFIX, Settings, is_loopback
from readtrack.infra.db import Database, change_triggers, migrations
from readtrack.infra.db.orphans import move_orphans
from readtrack.infra.db.size import measure_database
from readtrack.infra.errors import ReadtrackError
from readtrack.infra.http.types import OFFLINE
from readtrack.infra.jobs import queue, scheduler
from readtrack.metadata.catalog import FILE, Catalog

MAX_LOG_BYTES = 256_000_000
CLOCK_TOLERANCE = timedelta(minutes=5)
OVERDUE = timedelta(minutes=10)
GRACE_SECONDS = 24 * 3600.0  # Age from which a file that a stopped process has left is removed.
OTHERS, GROUP_AND_OTHERS = stat.S_IRWXO, stat.S_IRWXG | stat.S_IRWXO
WIDEST_PRIVATE_PREFIX = 7  # Bits, of fc00::/7; 10.0.0.0/8 is narrower.


@dataclass(frozen=True)
class Finding:
    """Something that is wrong. `repair` mends it without losing anything and returns a sentence about what it did.

    With a warning, everything works for now; with a problem, something does not, or anyone on the machine can read it.
    """

    part: str
    message: str
    repair: Callable[[], str] | None = None
    is_problem: bool = True


def find(settings: Settings, *, full: bool = False) -> list[Finding]:
    """Return all findings. `full`: compare the database's indexes with its tables too."""
    return [
        *_find_unsafe_settings(settings),
        *_find_in_library(settings, full=full),
        *_find_in_folder(settings),
        *_find_catalog_problem(settings),
    ]


def _warn(part: str, message: str, repair: Callable[[], str] | None = None) -> Finding:
    return Finding(part, message, repair, is_problem=False)


def _find_unsafe_settings(settings: Settings) -> Iterator[Finding]:
    host = urlsplit(settings.base_url).hostname or ""
    if settings.base_url.startswith("http:") and not is_loopback(host):
        yield _warn("settings", "READTRACK_BASE_URL is http: passwords travel in the open. Use https.")
    if settings.secure and not settings.proxies:
        yield _warn(
            "settings",
            "READTRACK_BASE_URL is https, but READTRACK_TRUSTED_PROXIES is not set, so that everyone has the proxy's "
            "address in the log and in rate limits. Set it to the proxy's address.",
        )
    for text in settings.metrics_sources:
        if ipaddress.ip_network(text, strict=False).prefixlen < WIDEST_PRIVATE_PREFIX:
            yield _warn(
                "settings", f"READTRACK_METRICS_NETWORKS has {text}, a wide network. Name your monitoring only."
            )


def _find_in_library(settings: Settings, *, full: bool) -> list[Finding]:
    if not db.database_exists(settings.url):
        message = f"No library at {settings.shown_url}. Create one with `readtrack serve` or `readtrack migrate`."
        return [Finding("database", message)]
    try:
        with open_unmigrated_database(settings) as database:
            return [*_find_in_database(settings, database, full=full)]
    except ReadtrackError as error:
        return [Finding("database", error.message)]


def _find_in_database(settings: Settings, database: Database, *, full: bool) -> Iterator[Finding]:
    current, expected = db.current_revision(database)
    if current not in {None, *migrations.known_revisions()}:
        yield Finding("schema", migrations.NEWER)
        return
    if current != expected:
        state = f"The database schema is {current}" if current else "The database has no readtrack tables"
        yield Finding("schema", f"{state}; this version needs {expected}. Back up, then run `readtrack migrate`.")
        return
    damage, index_damage = db.integrity_problems(database, full=full)
    if damage:
        yield from (Finding("integrity", message) for message in damage)
        return  # Nothing else that is read there can be relied upon, and nothing is to be written.
    move = partial(_move_orphans, settings)
    for message in db.foreign_key_problems(database):
        yield Finding("references", f"{message} Restore the last backup, or move such rows to a file.", move)
    yield from _find_index_problems(settings, database, index_damage)
    yield from _find_trigger_problems(settings, database)
    yield from _find_job_problems(settings, database)
    yield from _find_clock_problem(database)
    yield from _find_log_problem(database)
    for message in db.version_problems(database):
        yield _warn("version", message)


def _find_index_problems(settings: Settings, database: Database, damage: list[str]) -> Iterator[Finding]:
    messages = damage
    if not damage:  # A damaged index can't be compared.
        with database.read() as tx:
            messages = search.check(tx)
    rebuild = partial(_rebuild_index, settings)
    yield from (Finding("search", message, rebuild) for message in messages)


def _find_trigger_problems(settings: Settings, database: Database) -> Iterator[Finding]:
    with database.read() as tx:
        messages = change_triggers.find_trigger_problems(tx.connection())
    yield from (Finding("changes", message, partial(_install_triggers, settings)) for message in messages)


def _find_job_problems(settings: Settings, database: Database) -> Iterator[Finding]:
    with database.read() as tx:
        failed = queue.count_failed_jobs(tx, except_error=OFFLINE if settings.offline else "")
        stuck, oldest_due_at = queue.count_stuck_jobs(tx), queue.oldest_due_at(tx)
        failures = scheduler.list_failures(tx)
        is_working = scheduler.is_worker_running(scheduler.last_heartbeat(tx))
    for failure in failures:
        yield _warn(
            "tasks",
            f"The periodic task “{failure.name}” failed at {failure.failed_at:%Y-%m-%d %H:%M} UTC ({failure.error}). "
            f"Next try at {failure.next_at:%H:%M}. See the worker's log for details.",
        )
    if failed:
        jobs = "1 job has failed" if failed == 1 else f"{failed} jobs have failed"
        retry = "List them with `readtrack jobs --failed`, retry one with `readtrack jobs --retry ID`."
        yield _warn("jobs", f"{jobs}. {retry}")
    if stuck:
        jobs = "1 job is stuck" if stuck == 1 else f"{stuck} jobs are stuck"
        message = f"{jobs}: their worker is gone, or the clock was far ahead when they were planned. Start a worker."
        yield Finding("jobs", message, partial(_release_jobs, settings))
    if oldest_due_at and oldest_due_at < now() - OVERDUE and not is_working:
        yield _warn("worker", f"Jobs wait since {oldest_due_at:%Y-%m-%d %H:%M} UTC, but no worker runs. Start one.")


def _find_clock_problem(database: Database) -> Iterator[Finding]:
    with database.read() as tx:
        latest = events.latest_event_at(tx)
    if latest and latest > now() + CLOCK_TOLERANCE:
        yield _warn(
            "clock",
            f"The clock says {now():%Y-%m-%d %H:%M} UTC, but the latest entry is of {latest:%Y-%m-%d %H:%M}. Set the "
            "clock; if it was wrong then, entries sort wrongly until that time.",
        )


def _find_log_problem(database: Database) -> Iterator[Finding]:
    """Find out whether SQLite's log grows because something has been reading for long."""
    with database.read() as tx:
        log_bytes = measure_database(tx).wal_bytes or 0
    if log_bytes > MAX_LOG_BYTES:
        message = f"The write-ahead log has {log_bytes // 1_000_000} MB, because a process has been reading for long"
        yield Finding("disk", f"{message}. End it, such as a backup that hangs, or restart readtrack.")


def _find_catalog_problem(settings: Settings) -> Iterator[Finding]:
    catalog = Catalog.open(settings.data / FILE)
    problem = catalog.problem()
    catalog.close()
    if problem:
        yield _warn("catalog", problem)


def _find_in_folder(settings: Settings) -> Iterator[Finding]:
    """Find what is wrong with files and disk: space, permissions, links, and files left by stopped processes."""
    if settings.data.is_dir():
        yield from _find_disk_problems(settings)
        yield from _find_open_files(settings)
        yield from _find_stray_files(settings)


def _find_disk_problems(settings: Settings) -> Iterator[Finding]:
    free_bytes = disk.free_bytes(settings.data)
    if free_bytes < settings.min_free_bytes:
        yield Finding("disk", f"Only {free_bytes // 1_000_000} MB are free in {settings.data}. Free some space.")
    if not os.access(settings.data, os.W_OK | os.X_OK):
        yield Finding("permissions", f"{settings.data} isn't writable. Run readtrack as the owner of that folder.")


def _find_open_files(settings: Settings) -> Iterator[Finding]:
    for path, forbidden in _private_paths(settings):
        mode = stat.S_IMODE(path.stat().st_mode)
        if mode & forbidden:
            message = f"{path} is open to other users (mode {mode:04o}). Run `chmod {mode & ~forbidden:04o} {path}`."
            restrict = partial(_restrict, path, mode & ~forbidden)
            yield Finding("permissions", message, restrict, is_problem=path != settings.data)


def _find_stray_files(settings: Settings) -> Iterator[Finding]:
    database_path = db.database_file(settings.url)
    if database_path and database_path.is_file() and database_path.stat().st_nlink > 1:
        message = f"{database_path} has another name (a hard link). Remove that; opened by both, the database breaks."
        yield Finding("files", message)
    for path in settings.data.glob(f"{SECRET_PREFIX}*"):
        if time.time() - path.stat().st_mtime > GRACE_SECONDS:
            message = f"{path} was left by a process that was stopped. Remove it."
            yield _warn("files", message, partial(_remove, path))


def _private_paths(settings: Settings) -> Iterator[tuple[Path, int]]:
    """Yield files and folders that exist, with the permissions that they must not have."""
    if os.name != "posix":
        return
    yield settings.data, OTHERS
    candidates = [(settings.data / SECRET_FILE, GROUP_AND_OTHERS)]
    if path := db.database_file(settings.url):
        candidates += [(path.with_name(path.name + suffix), OTHERS) for suffix in ("", "-wal", "-shm")]
    yield from ((path, forbidden) for path, forbidden in candidates if path.is_file())


def _move_orphans(settings: Settings) -> str:
    path = settings.data / f"orphans-{now():%Y%m%d-%H%M%S-%f}.jsonl"
    with open_unmigrated_database(settings) as database:
        count = move_orphans(database, path)
        with database.write() as tx:
            search.rebuild(tx)
    return f"Moved {count} rows that refer to missing rows to {path}."


def _rebuild_index(settings: Settings) -> str:
    with open_unmigrated_database(settings) as database, database.write() as tx:
        search.rebuild(tx)
    return "Rebuilt the search index."


def _install_triggers(settings: Settings) -> str:
    with open_unmigrated_database(settings) as database, database.write() as tx:
        change_triggers.install_triggers(tx.connection())
    return "Created the triggers that record changes. The feed of changes sends everything once more."


def _release_jobs(settings: Settings) -> str:
    with open_unmigrated_database(settings) as database, database.write() as tx:
        count = queue.release_stuck_jobs(tx)
    return f"Made {count} stuck jobs due."


def _restrict(path: Path, mode: int) -> str:
    path.chmod(mode)
    return f"Changed the mode of {path} to {mode:04o}."


def _remove(path: Path) -> str:
    path.unlink(missing_ok=True)
    return f"Removed {path}."
