"""Sites and services: recognize an address, ask arXiv, Crossref and others, read their answers."""
