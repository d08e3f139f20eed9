"""What the log writes, whoever else writes to the same file."""

import errno
import io
import sys
from typing import Any

import pytest
import structlog

from readtrack.cli.logging import set_up_log


class Unbuffered(io.BytesIO):
    """A stream that counts what is written to it at once."""

    writes = 0

    def write(self, data: Any) -> int:
        self.writes += 1
        return super().write(data)


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_line_is_written_at_once_so_that_processes_do_not_mix_their_lines(monkeypatch, form):
    kept, before = Unbuffered(), structlog.get_config()
    monkeypatch.setattr(sys, "stderr", io.TextIOWrapper(kept, "utf-8", write_through=True))  # as PYTHONUNBUFFERED does
    try:
        set_up_log(form)
        structlog.get_logger().info("request", path="/読む")
    finally:
        structlog.configure(**before)
    assert (kept.writes, kept.getvalue()[-1:]) == (1, b"\n")


class Full(io.StringIO):
    """A file on a full disk, or a pipe that nobody reads any more."""

    def write(self, _text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("form", ["console", "json"])
def test_a_line_that_cannot_be_written_fails_nothing(monkeypatch, form):
    before = structlog.get_config()
    monkeypatch.setattr(sys, "stderr", Full())
    try:
        set_up_log(form)
        structlog.get_logger().info("request")
        structlog.get_logger().exception("failed to renew job lease", job=1)
    finally:
        structlog.configure(**before)
