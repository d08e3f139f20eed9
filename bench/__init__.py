"""What pages cost beside the least that they could cost: `make bench`. docs/speed.md has the figures."""
