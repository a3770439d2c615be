"""Which language model the person named. None by default: then nothing is asked of anybody."""

from __future__ import annotations

import re

from workbench.config.settings import Settings
from workbench.errors import ModelUnavailableError
from workbench.llm.endpoint import endpoint_of, find_key, require_client
from workbench.llm.language_model import LanguageModel

PUBLIC = "https://api.openai.com/v1"
NONE = "none"
WITHOUT_MODEL = "without a language model"
"""What is said where one is named, and the rules alone do it."""
_USUAL_VARIABLE = "OPENAI_API_KEY"
_MODEL = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")


def open_language_model(settings: Settings, model: str = "") -> LanguageModel | None:
    """The model of the settings, or ``model`` at the same endpoint; None where no endpoint is named.

    ``none`` as the model is none. Nothing is sent before it is asked. Raises ModelUnavailableError, with what
    to correct, where it is named but cannot be used.
    """
    name = model or settings.language_model
    if name == NONE or not (settings.language_endpoint or model):
        return None
    if not settings.language_endpoint:
        raise ModelUnavailableError(
            "no endpoint of a language model is named in your settings",
            hint="write `language: {endpoint: 'http://localhost:11434/v1'}` into your own settings",
        )
    if not _MODEL.fullmatch(name):
        raise ModelUnavailableError(
            "language_model in your settings is no model's name", hint="for example qwen3:8b"
        )
    endpoint = endpoint_of(settings.language_endpoint, "language")
    key = find_key(
        _USUAL_VARIABLE,
        endpoint,
        endpoint_of(PUBLIC, "language"),
        own=settings.language_key,
        variable=settings.language_key_env,
        setting="language",
    )
    require_client()
    from workbench.llm.openai_compatible import OpenAICompatible  # noqa: PLC0415 - 0.5 s, for who named a model

    return OpenAICompatible(endpoint, name, key)


def language_model_or_why(settings: Settings, model: str = "") -> tuple[LanguageModel | None, str]:
    """The same; of one that is named and cannot be used no model, but why not, and what to do."""
    try:
        return open_language_model(settings, model), ""
    except ModelUnavailableError as error:
        return None, f"{error.message}; {error.hint}" if error.hint else error.message
