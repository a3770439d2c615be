"""The clock of the interface: the one place that names today, so that pictures and tests can set it."""

from __future__ import annotations

import os
from datetime import date, datetime


def today() -> date:
    """The local date, or the one that WORKBENCH_TODAY names."""
    said = os.environ.get("WORKBENCH_TODAY")
    return date.fromisoformat(said) if said else date.today()


def now() -> datetime:
    """This moment, on the day that it is said to be."""
    return datetime.combine(today(), datetime.now().time()).astimezone()
