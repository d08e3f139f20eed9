"""How the log is written: one event a line, for people or as JSON; never a secret, never a body."""

import logging
import sys

import structlog


def set_up_log(form: str, *, level: str = "INFO") -> None:
    """`form` is console or json. Everything goes to stderr; stdout is for what a command answers."""
    as_json = (structlog.processors.format_exc_info, structlog.processors.JSONRenderer())
    # plain tracebacks: the rich ones print local variables, secrets among them
    plain = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            *(as_json if form == "json" else (plain,)),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level]),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr, format="%(levelname)s %(name)s %(message)s")
