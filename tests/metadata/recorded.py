"""Answers of services: real ones, where the samples are at hand, and small ones of our own in the same shape."""

import os
from pathlib import Path

import pytest

OWN = Path(__file__).parents[1] / "recordings"


def recorded(name: str) -> bytes:
    """A real answer; the test is skipped where there are none."""
    samples = os.environ.get("READTRACK_TEST_SAMPLES", "")
    if not samples:
        pytest.skip("READTRACK_TEST_SAMPLES names no folder of samples")
    return (Path(samples).parent / "recordings" / name).read_bytes()


def own(name: str) -> bytes:
    """An answer that we wrote in the shape of the real ones."""
    return (OWN / name).read_bytes()
