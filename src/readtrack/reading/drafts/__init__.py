"""Drafts: unsaved text of a form, stored on the server and visible only to its author."""
