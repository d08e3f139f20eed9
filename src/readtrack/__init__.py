"""readtrack: a self-hosted web service in which a team tracks what it reads. docs/architecture.md explains the tree."""

__version__ = "0.1.0"
