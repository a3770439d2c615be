"""The main screen: four panes, the preview, and the commands of their keys."""
