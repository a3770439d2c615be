"""The main screen: four panes, the preview, and what keys do there."""
