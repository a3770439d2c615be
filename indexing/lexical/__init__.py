"""The keyword index: tantivy. Imports nothing heavier."""
