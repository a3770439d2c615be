"""Work that a clock starts: how it runs alone, what is kept of its runs, and how each job stands."""
