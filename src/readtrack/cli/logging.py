"""Logging setup: one event per line, for people or as JSON, without secrets and request bodies."""

import logging
import sys
from contextlib import suppress

import structlog


def set_up_log(form: str, *, level: str = "INFO") -> None:
    """Configure logging to stderr, as stdout is for command output.

    `form` is "console" or "json".
    """
    as_json = (structlog.processors.format_exc_info, structlog.processors.JSONRenderer())
    # Plain tracebacks: rich ones print local variables, which may contain secrets.
    console_renderer = structlog.dev.ConsoleRenderer(
        colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(as_json if form == "json" else (console_renderer,)),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        # Each line in one write: where stderr is not buffered (PYTHONUNBUFFERED), those of several processes would mix.
        logger_factory=lambda *_args: _Logger(sys.stderr),
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")


class _Logger(structlog.WriteLogger):
    """Writes to a file. On a full disk or a closed pipe lines are lost, but what logs them does not fail."""

    def msg(self, message: str) -> None:
        with suppress(OSError, ValueError):
            super().msg(message)

    debug = info = warning = warn = error = err = critical = fatal = failure = exception = log = msg
