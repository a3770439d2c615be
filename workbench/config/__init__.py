"""Settings, YAML read safely and edited in place, and files of the person's own."""
