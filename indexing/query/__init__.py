"""Questions, parsed: the language of the search box, days in words, and conditions on entries."""
