"""Drafts that a language model writes, where the operator set one up. A person saves them, or nobody."""
