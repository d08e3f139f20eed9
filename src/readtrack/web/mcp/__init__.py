"""The library for agents: a Model Context Protocol server, over HTTP at /mcp and over standard input and output."""
