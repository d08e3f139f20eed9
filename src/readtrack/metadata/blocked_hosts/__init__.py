"""The team's blocklist of hosts."""
