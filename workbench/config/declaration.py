"""How a setting is declared: one field holds all there is to know of it; the rest is derived from that."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Declaration:
    """What is declared of a setting. Its type is that of its default."""

    default: object
    doc: str
    unit: str = ""
    """What its number counts; empty for weights, words and lists."""
    minimum: float | None = None
    """The least number; None: it must be above zero."""
    maximum: float | None = None
    choices: tuple[str, ...] = ()
    """The words that it may be; those of themes are known to whoever has loaded them."""
    pattern: str = ""
    """A regular expression of further words beside the choices."""
    members: tuple[str, ...] = ()
    """The words that a list may hold; empty for any."""
    unset: str = ""
    """What the negative number means that stands for none."""
    user_only: bool = False
    """Only the person's own file may say it."""
    secret: bool = False
    """It is never shown, also not in a message about what is wrong with it."""
    strict: bool = False
    """It says which words stay private, and who may have the others: no default stands in for it."""
    adds_up: bool = False
    """A workspace's list goes behind the person's, which it cannot replace."""
    by_workspace: bool = False
    """The person's file may say something else for each workspace."""


def setting(default: _T, doc: str, **more: Any) -> _T:
    """The field of a setting, with all that is to know of it; ``more`` are further fields of Declaration."""
    declared = Declaration(default=default, doc=doc, **more)
    return field(default=default, repr=not declared.secret, metadata={"declared": declared})
