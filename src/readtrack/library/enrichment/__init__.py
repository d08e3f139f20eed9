"""Metadata enrichment: requests to services, verification of records, and choice of the fields shown."""
