"""What the log writes, whoever else writes to the same file."""

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
