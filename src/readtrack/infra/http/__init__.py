"""The outgoing HTTP client. Nothing else opens a connection."""
