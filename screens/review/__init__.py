"""The inbox: proposals with their reasons, to accept, reword, reject or defer."""
