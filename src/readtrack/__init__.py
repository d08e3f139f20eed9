"""A self-hosted web service in which a team tracks what it reads.

docs/architecture.md explains the packages.
"""

__version__ = "0.1.0"
