"""FastAPI dependencies shared by pages and API: database sessions, the current user, forms, paging."""
