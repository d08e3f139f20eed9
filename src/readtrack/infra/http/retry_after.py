"""Wait times from Retry-After and rate limit headers."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

DAY_SECONDS = 24 * 60 * 60.0
DEFAULT_WAIT_SECONDS = 60.0  # Seconds to wait if the quota is used up and no reset time is given.
_A_DATE = 1e9  # Larger values are Unix timestamps, smaller ones are seconds from now.


def retry_after(header: str) -> float | None:
    """Return the seconds of a Retry-After header, between 0 and a day; None if it is unusable."""
    text = header.strip()
    if re.fullmatch(r"-?\d{1,300}", text, re.ASCII):
        return min(max(float(text), 0.0), DAY_SECONDS)
    try:
        parsed_time = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware_time = parsed_time if parsed_time.tzinfo else parsed_time.replace(tzinfo=UTC)
    return min(max((aware_time - datetime.now(UTC)).total_seconds(), 0.0), DAY_SECONDS)


def seconds_until_reset(status: int, headers: Mapping[str, str]) -> float | None:
    """Return the seconds until an exhausted request quota resets; None if requests are left."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return None
    seconds = retry_after(headers.get("retry-after", ""))
    reset = headers.get("x-ratelimit-reset", "").strip()
    if seconds is None and re.fullmatch(r"\d{1,12}", reset, re.ASCII):
        seconds = float(reset) - (time.time() if float(reset) > _A_DATE else 0.0)
    if seconds is None:
        return DEFAULT_WAIT_SECONDS if status in {403, 429} else None
    return min(max(seconds, 0.0), DAY_SECONDS)
