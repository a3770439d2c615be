"""Your own memory on your own machine: ``python -m benchmarks.workspace DIR``."""
