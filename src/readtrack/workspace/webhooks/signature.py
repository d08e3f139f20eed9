"""Secrets and signatures of webhooks, as Standard Webhooks defines them."""

import base64
import hmac
import secrets
from collections.abc import Mapping

PREFIX = "whsec_"


def new_salt() -> str:
    return secrets.token_hex(16)


def derive_secret(key: str, salt: str, webhook_id: int) -> bytes:
    """Return the secret of a webhook. It is not stored, so that a copy of the database alone is useless."""
    return hmac.digest(key.encode(), f"webhook:{webhook_id}:{salt}".encode(), "sha256")


def format_secret(secret: bytes) -> str:
    """Return the secret as receivers configure it."""
    return PREFIX + base64.b64encode(secret).decode()


def build_signed_headers(secret: bytes, message_id: str, timestamp: int, content: bytes) -> Mapping[str, str]:
    """Return the headers by which a receiver checks who sent `content`, and when."""
    signed_content = f"{message_id}.{timestamp}.".encode() + content
    signature = base64.b64encode(hmac.digest(secret, signed_content, "sha256")).decode()
    return {"webhook-id": message_id, "webhook-timestamp": str(timestamp), "webhook-signature": f"v1,{signature}"}
