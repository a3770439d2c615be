"""The key of a provider: from the environment or the person's own settings, and shown by nobody."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field

from workbench.config.settings import user_settings_path
from workbench.errors import ModelUnavailableError
from workbench.llm.endpoint import Endpoint

_SENDABLE = re.compile(r"[\x21-\x7e]{1,4096}")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_OTHERS = 0o077


@dataclass(frozen=True, slots=True)
class Key:
    """A key, or that there is none. ``source`` says where it is from; ``warning`` what is wrong with that."""

    source: str
    secret: str = field(default="", repr=False)
    warning: str = ""

    def conceal(self, text: str) -> str:
        """``text`` without the key in it."""
        return text.replace(self.secret, "[key]") if self.secret else text


def find_key(
    usual: str,
    endpoint: Endpoint,
    public: Endpoint,
    *,
    own: str = "",
    variable: str = "",
    setting: str = "embedding",
) -> Key:
    """The key to send to ``endpoint``. Raises ModelUnavailableError where one is needed and there is none.

    ``own`` is the settings' key, ``variable`` the variable that they name, ``usual`` the one that everybody
    uses: that one is a key for ``public`` and is sent nowhere else, unless it is named. ``setting`` is what
    the names of these settings begin with.
    """
    if own:
        return Key("your settings file", _sendable(own, f"{setting}_key in your settings"), _warning())
    if variable:
        known = bool(_VARIABLE.fullmatch(variable))  # anything else may be a key in the wrong place
        named = f"the variable {variable}" if known else f"the variable that {setting}_key_env names"
        if value := os.environ.get(variable, "").strip():
            return Key(named, _sendable(value, named))
        raise ModelUnavailableError(f"{named} is not set", hint="set it where you start the workbench")
    if endpoint.host == public.host:
        if value := os.environ.get(usual, "").strip():
            return Key(f"the variable {usual}", _sendable(value, f"the variable {usual}"))
        raise ModelUnavailableError(
            f"there is no key for {endpoint.host}",
            hint=f"set {usual}, or `{setting}: {{key: ...}}` in your own settings file",
        )
    return Key("none is sent")


def _sendable(value: str, where: str) -> str:
    if _SENDABLE.fullmatch(value):
        return value
    raise ModelUnavailableError(f"{where} holds no key", hint="a key is one word of printable ASCII")


def _warning() -> str:
    path = user_settings_path()
    try:
        open_to_others = bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return ""
    return f"{path} holds a key and others can read it: `chmod 600` it" if open_to_others else ""
