"""Memory Workbench beside the tools that a person could pick instead, measured in one run.

``python -m benchmarks.peers --help`` says how. Nothing here installs anything or opens a connection.
"""
