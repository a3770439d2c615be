"""What the screens show, read off the event loop, as frozen snapshots."""
