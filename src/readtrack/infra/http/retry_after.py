"""Wait times from Retry-After and rate limit headers."""

import re
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

DAY = 24 * 60 * 60.0
UNSAID = 60.0  # Seconds to wait if the quota is used up and no reset time is given.
_A_DATE = 1e9  # Larger values are Unix timestamps, smaller ones are seconds from now.


def retry_after(header: str) -> float | None:
    """Return the seconds of a Retry-After header, between 0 and a day; None if it is unusable."""
    text = header.strip()
    if re.fullmatch(r"-?\d{1,300}", text, re.ASCII):
        return min(max(float(text), 0.0), DAY)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return min(max((aware - datetime.now(UTC)).total_seconds(), 0.0), DAY)


def seconds_until_reset(status: int, headers: Mapping[str, str]) -> float | None:
    """Return the seconds until an exhausted request quota resets; None if requests are left."""
    if headers.get("x-ratelimit-remaining", "").strip() != "0":
        return None
    said = retry_after(headers.get("retry-after", ""))
    reset = headers.get("x-ratelimit-reset", "").strip()
    if said is None and re.fullmatch(r"\d{1,12}", reset, re.ASCII):
        said = float(reset) - (time.time() if float(reset) > _A_DATE else 0.0)
    if said is None:
        return UNSAID if status in {403, 429} else None
    return min(max(said, 0.0), DAY)
