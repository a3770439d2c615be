"""Dialogs over a screen: a question, a choice, a text, the help."""
