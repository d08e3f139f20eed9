"""Sites, one module each with a SOURCE that recognizes its URLs; some also have a SERVICE."""
