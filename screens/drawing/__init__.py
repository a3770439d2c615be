"""What is drawn: text that is fit for a terminal, and rows."""
