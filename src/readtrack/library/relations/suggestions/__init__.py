"""How papers come to be related: which one a person means, and which may belong together."""
