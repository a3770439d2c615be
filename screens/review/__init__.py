"""What waits for a person: proposals with their reasons, to accept, reword, reject or put off."""
