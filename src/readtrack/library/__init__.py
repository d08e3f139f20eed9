"""Papers and topics, and everything known about them."""
