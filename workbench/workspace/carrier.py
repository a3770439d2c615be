"""The only place that starts git: GitPython's command runner, made deaf to the workspace.

A repository's configuration, attributes and environment can name programs that git would run. Here they are
switched off, by means that win over every configuration file.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from workbench.errors import NoGitError

_OVERRIDES = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.fsync": "all",
    "core.quotePath": "false",
    "commit.gpgsign": "false",
    "gc.auto": "0",
    "i18n.commitEncoding": "UTF-8",
    "maintenance.auto": "false",
    "protocol.allow": "never",
}
_FILTER_KEYS = ("clean", "smudge", "process")


def reason(text: str) -> str:
    """The line in which git says what went wrong."""
    lines = str(text).strip().splitlines() or ["no reason given"]
    return next((line for line in lines if line.startswith(("fatal: ", "error: "))), lines[-1])


def carrier_for(root: Path) -> Any:
    """GitPython's command runner, started in ``root``, with no inherited GIT_* variable."""
    for name in [n for n in os.environ if n.startswith("GIT_") and not n.startswith("GIT_PYTHON_")]:
        del os.environ[name]
    os.environ["GIT_PYTHON_REFRESH"] = "quiet"
    import git  # noqa: PLC0415 - 50 ms that browsing does not need

    carrier = git.Git(os.fspath(root))
    try:
        carrier.version_info  # noqa: B018 - asks for the program once
    except (git.GitCommandNotFound, git.GitCommandError):
        raise NoGitError from None
    if not carrier.version_info:
        raise NoGitError
    carrier.update_environment(
        GIT_OPTIONAL_LOCKS="0",
        GIT_TERMINAL_PROMPT="0",
        GIT_ALLOW_PROTOCOL="",  # a partial clone must not fetch: its remote names the program to run
        GIT_NO_LAZY_FETCH="1",
        GIT_NO_REPLACE_OBJECTS="1",
    )
    return carrier


def configuration(carrier: Any) -> dict[str, str]:
    """The person's identity and the names of all filters, from every level of configuration."""
    status, out, _ = carrier.config(
        "--null",
        "--get-regexp",
        r"^(user\.(name|email)|filter\..*)$",
        with_extended_output=True,
        with_exceptions=False,
    )
    records = [] if status else out.split("\0")
    return dict(record.partition("\n")[::2] for record in records if record)


def configuration_overrides(configured: Mapping[str, str]) -> dict[str, str]:
    """Environment variables that win over every configuration file.

    Filters are emptied by name: even a plain index update may hash a file that changed in the same
    instant, and would run its clean filter for that.
    """
    filters = {key.rpartition(".")[0] for key in configured if key.startswith("filter.")}
    wanted = dict(_OVERRIDES)
    for name in sorted(filters):
        wanted |= {f"{name}.{key}": "" for key in _FILTER_KEYS} | {f"{name}.required": "false"}
    environment = {"GIT_CONFIG_COUNT": str(len(wanted))}
    for number, (key, value) in enumerate(wanted.items()):
        environment[f"GIT_CONFIG_KEY_{number}"] = key
        environment[f"GIT_CONFIG_VALUE_{number}"] = value
    return environment
