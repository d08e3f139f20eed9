"""Ports for servers that a test starts as processes of their own."""

import os
import socket
from itertools import count

FIRST, EACH = 20_000, 20  # below those that systems give to connections on their way out
_tried = count()


def free_port() -> int:
    """One that nobody listens on, and that another process of tests is not offered at this moment."""
    while True:
        port = FIRST + os.getpid() % 500 * EACH + next(_tried) % EACH
        try:
            with socket.create_server(("127.0.0.1", port)):
                return port
        except OSError:
            continue
