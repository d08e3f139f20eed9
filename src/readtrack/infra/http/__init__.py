"""The outgoing HTTP client. No other package opens connections."""
