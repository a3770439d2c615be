"""The index of many workspaces at once: one LanceDB table, in a folder or on object storage.

It is searched by keyword and by vectors like the index of one workspace, is made from the files alone, and
may be deleted at any time.
"""
