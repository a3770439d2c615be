"""The index of many workspaces at once: one LanceDB table, in a folder or on object storage.

It knows words and meaning as the index of one workspace does, is told by the files alone, and may be deleted.
"""
