"""Where a provider is, and the key for it: one normal form for each address, and no key is ever shown."""

from __future__ import annotations

import contextlib
import importlib.util
import ipaddress
import os
import re
from dataclasses import field
from urllib.parse import urlsplit

from workbench.config.settings import user_settings_path
from workbench.errors import ModelUnavailableError
from workbench.frozen import frozen

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[a-z0-9_]([a-z0-9_.-]{0,251}[a-z0-9_])?")
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A host that ends like this is an IPv4 address in one of its other notations, such as 134744072."""
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*")
_PRIVATE_NAMES = (".localhost", ".local", ".internal", ".lan", ".home.arpa", ".test")
_HINT = "write it like https://api.openai.com/v1 or http://localhost:11434/v1"


@frozen
class Endpoint:
    """An address below which a provider answers. ``url`` has no slash at its end and no credentials.

    ``private``: on this machine or in its own network, so that nobody charges for it.
    """

    url: str
    host: str
    private: bool


def require_client() -> None:
    """Raise ModelUnavailableError where the client is not installed that asks endpoints."""
    if importlib.util.find_spec("openai") is None:
        raise ModelUnavailableError(
            "openai, the client for language models and embedding providers, is not installed",
            hint="install the extra `language` (README, Install)",
        )


def endpoint_of(text: str, setting: str = "embedding") -> Endpoint:
    """The endpoint that ``text`` names, as ``<setting>_endpoint`` of the person's settings says it.

    Raises ModelUnavailableError, which never quotes what may be secret.

    Plain http is for private addresses only: what is sent is somebody's memory.
    """
    key_hint = f"put the key into {setting}_key or the environment"
    try:
        parts = urlsplit(text.strip())
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise _refused(setting, "is not an address") from error
    if parts.scheme not in _PORTS:
        raise _refused(setting, "must begin with https:// or http://")
    if parts.username is not None or parts.password is not None:
        raise _refused(setting, "contains a user name or a password", key_hint)
    if parts.query or parts.fragment:
        raise _refused(setting, "has more than a path", key_hint)
    path = parts.path.rstrip("/")
    address = None
    with contextlib.suppress(ValueError):
        address = ipaddress.ip_address(host)
    named = address is not None or (_HOST.fullmatch(host) and not _NUMBER.fullmatch(host))
    if not named or not _PATH.fullmatch(path) or "/.." in path:
        raise _refused(setting, "is not an address")
    # By the name alone: asking a name server would tell it, and answers change.
    by_name = "." not in host or host.endswith(_PRIVATE_NAMES)
    private = by_name if address is None else address.is_private
    if parts.scheme == "http" and not private:
        raise _refused(setting, f"is not encrypted, and {host} is not in your own network", "use https://")
    shown = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[parts.scheme]:
        shown += f":{port}"
    return Endpoint(f"{parts.scheme}://{shown}{path}", shown, private)


def _refused(setting: str, why: str, hint: str = _HINT) -> ModelUnavailableError:
    return ModelUnavailableError(f"{setting}_endpoint in your settings {why}", hint=hint)


_SENDABLE = re.compile(r"[\x21-\x7e]{1,4096}")
_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_OTHERS = 0o077


@frozen
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
        named = f"the variable {variable}" if known else f"the variable in {setting}_key_env"
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
    raise ModelUnavailableError(f"{where} contains no key", hint="a key is one word of printable ASCII")


def _warning() -> str:
    path = user_settings_path()
    try:
        open_to_others = bool(path.stat().st_mode & _OTHERS)
    except OSError:
        return ""
    return f"{path} contains a key and others can read it: `chmod 600` it" if open_to_others else ""
