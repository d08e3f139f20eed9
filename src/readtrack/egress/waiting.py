"""What Retry-After asks for."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

DAY = 24 * 60 * 60.0


def retry_after(header: str) -> float | None:
    """The seconds a Retry-After header asks for, between none and a day; None when it says nothing usable."""
    text = header.strip()
    if re.fullmatch(r"-?\d{1,300}", text, re.ASCII):
        return min(max(float(text), 0.0), DAY)
    try:
        then = parsedate_to_datetime(text)
    except (ValueError, OverflowError):
        return None
    aware = then if then.tzinfo else then.replace(tzinfo=UTC)
    return min(max((aware - datetime.now(UTC)).total_seconds(), 0.0), DAY)
