"""Papers that may be one: found, merged with everything of both, and taken apart again."""
