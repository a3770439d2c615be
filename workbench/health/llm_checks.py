"""The language model behind an API, as the settings name it, asked only with the person's word."""

from __future__ import annotations

from workbench.errors import ModelUnavailableError
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.llm.port import LanguageModelError, Message
from workbench.llm.provider import open_language_model

_WITHOUT = "sessions are summed up and memories proposed by rules alone, and it is said"
_SECONDS = 20.0
_TOKENS = 200
"""Enough for a model that thinks before it says a word."""


def language_model(place: CheckSubject) -> Look:
    """Whether one is named, can be used, and answers where that may be asked."""
    try:
        model = open_language_model(place.workspace.settings)
    except ModelUnavailableError as error:
        what = f"the language model cannot be used: {error.message}"
        return Look("cannot be used", (Finding(what=what, meaning=_WITHOUT, do=error.hint),))
    if model is None:
        return Look("none is named: rules do without, and nothing leaves this machine")
    if not place.network:
        return Look(f"{model.name}: not asked, as that needs --network")
    try:
        model.complete((Message("user", "Answer with one word."),), max_tokens=_TOKENS, timeout=_SECONDS)
    except LanguageModelError as error:
        do = "look at language_endpoint and language_model in your settings, and whether it runs"
        return Look(f"{model.name}: asked", (Finding(what=str(error), meaning=_WITHOUT, do=do),))
    return Look(f"{model.name}: asked, and it answers")
