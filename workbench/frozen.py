"""Frozen dataclasses with slots, which all values here are, declared in a word."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeVar, dataclass_transform

_T = TypeVar("_T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[_T]) -> type[_T]:
    """``cls`` as a dataclass with slots whose attributes cannot be set."""
    return dataclass(frozen=True, slots=True)(cls)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def frozen_kw_only(cls: type[_T]) -> type[_T]:
    """``frozen``, each attribute given by its name."""
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)
