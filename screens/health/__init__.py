"""How the memory is doing, and what to do about what is not well."""
