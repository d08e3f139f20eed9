"""What services say of papers: who is asked, whether an answer fits, what is shown of it, what people decide."""
