"""Where the table of many workspaces lies: a folder, or object storage by URI; how it is reached.

Secrets come from the environment only, as the storage's own tools take them, and are in no message.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from indexing.embedding.port import cache_dir
from indexing.engine_errors import REINDEX_HINT, engine
from workbench.errors import IndexUnavailableError, UsageError

SCHEMES = ("s3", "gs", "az")
"""Object storage that is known by the beginning of a URI; everything else is a folder."""

HINT = "is it reachable, and are its credentials in the environment? What is done is kept: run it again"
_SECRET_NAME = re.compile(r"secret|key|token|passw|credential|sas|bearer|signature", re.IGNORECASE)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*)://", re.IGNORECASE)
_OF_A_CLOUD = re.compile(r"AWS_|AZURE_|GOOGLE_|GCP_|GCS_")
_SHORTEST_SECRET = 6


@dataclass(frozen=True, slots=True)
class Location:
    """``uri`` of a folder or of object storage, and the storage's ``options``; none of them is a secret."""

    uri: str
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def remote(self) -> bool:
        """Whether it is object storage."""
        return bool(_SCHEME.match(self.uri))


def place_of(uri: str = "", options: Iterable[str] = ()) -> Location:
    """The place that a person names: a URI, else a folder of the person's own; options as ``name=value``.

    Raises UsageError for a storage that is not known, and for a secret among the options.
    """
    scheme = _SCHEME.match(uri)
    if scheme is None:
        uri = os.path.abspath(os.path.expanduser(uri)) if uri else str(Path(cache_dir()) / "fleet")
    elif scheme[1].lower() not in SCHEMES:
        raise UsageError(
            f"{scheme[1]}:// is no storage for an index of a fleet",
            hint="a folder, or one of " + ", ".join(f"{name}://" for name in SCHEMES),
        )
    elif "@" in uri.partition("://")[2].partition("/")[0] or "?" in uri:
        raise UsageError("credentials do not belong in a URI", hint="put them into the environment")
    return Location(uri, dict(map(_option, options)))


@contextlib.contextmanager
def storage(what: str) -> Iterator[None]:
    """Turn any failure of the storage into IndexUnavailableError naming ``what``, without any secret."""
    try:
        with engine(what):
            yield
    except IndexUnavailableError as error:
        hint = HINT if error.hint in ("", REINDEX_HINT) else error.hint
        raise IndexUnavailableError(_without_secrets(error.message), hint=hint) from None


def ask_no_metadata_service() -> None:
    """Have clients take credentials from the environment and not from the machine they run on.

    Who wants those of the machine sets AWS_EC2_METADATA_DISABLED=false.
    """
    os.environ.setdefault("AWS_EC2_METADATA_DISABLED", "true")


def _option(said: str) -> tuple[str, str]:
    name, mark, value = said.partition("=")
    name = name.strip()
    if not mark or not name:
        shown = name if not _SECRET_NAME.search(said) else "an option"
        raise UsageError(f"{shown!r} has no value", hint="write NAME=VALUE, for example aws_region=eu-west-1")
    if _SECRET_NAME.search(name) or ("://" in value and "@" in value):
        raise UsageError(
            f"the option {name} looks like a secret, and what is typed is seen by others",
            hint=f"set it in the environment instead, as the storage's own tools do: {name.upper()}",
        )
    return name, value


def _without_secrets(text: str) -> str:
    """``text`` without the values of variables that name secrets of a storage."""
    for name, value in os.environ.items():
        if _OF_A_CLOUD.match(name) and _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET:
            text = text.replace(value, "…")
    return text
