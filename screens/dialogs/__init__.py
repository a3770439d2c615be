"""What is asked and told over a screen: a yes, a choice, a text, help."""
