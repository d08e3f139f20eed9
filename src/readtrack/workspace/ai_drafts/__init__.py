"""Drafts by a language model, if the operator has configured one.

Nothing is saved until a person does so.
"""
