"""ASGI middleware, one module per duty."""
