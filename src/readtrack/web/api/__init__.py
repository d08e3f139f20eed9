"""JSON API: one module or package per concept. Every module with a `router` is included."""
