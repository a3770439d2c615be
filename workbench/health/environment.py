"""The machine around the workspace: Python, libraries, git, the terminal."""

from __future__ import annotations

import codecs
import locale
import os
import sys
from importlib import metadata

from workbench.errors import NoGitError, SpecialFileError
from workbench.health.finding import Finding, Look
from workbench.health.subject import CheckSubject
from workbench.repository.git_runner import carrier_for

_OLDEST_PYTHON = (3, 11)
_PACKAGE = "memory-workbench"
_FOR_TESTS = "test"
_DUMB = ("", "dumb", "unknown")
_COLOURLESS = ("vt100", "vt102", "vt220", "ansi-m", "xterm-mono")


def python(_: CheckSubject) -> Look:
    """The interpreter, and that its text is UTF-8 where files have other names than ASCII."""
    version = ".".join(map(str, sys.version_info[:3]))
    findings = []
    if sys.version_info < _OLDEST_PYTHON:
        oldest = ".".join(map(str, _OLDEST_PYTHON))
        findings.append(Finding(what=f"Python {version} is too old", do=f"use Python {oldest} or newer"))
    if codecs.lookup(sys.getfilesystemencoding()).name != "utf-8":
        findings.append(
            Finding(
                what=f"file names are read as {sys.getfilesystemencoding()}",
                meaning="names with other letters than those of ASCII will not be found",
                do="set a UTF-8 locale, for example LC_ALL=C.UTF-8, or PYTHONUTF8=1",
            )
        )
    return Look(f"Python {version}", tuple(findings))


def libraries(_: CheckSubject) -> Look:
    """The libraries that this version asks for, and what is there of its extras, as they were tested."""
    from packaging.requirements import Requirement  # noqa: PLC0415 - for this check alone

    try:
        wanted = [Requirement(line) for line in metadata.requires(_PACKAGE) or ()]
        extras = set(metadata.metadata(_PACKAGE).get_all("Provides-Extra") or ()) - {_FOR_TESTS}
    except metadata.PackageNotFoundError:
        note = Finding(what="the package is not installed, so its libraries are not known", severity="info")
        return Look("run from its source", (note,))
    findings, shown = [], []
    for one in wanted:
        needed = one.marker is None or one.marker.evaluate({"extra": ""})
        if not needed and not any(one.marker.evaluate({"extra": name}) for name in extras if one.marker):
            continue
        try:
            found = metadata.version(one.name)
        except metadata.PackageNotFoundError:
            if needed:
                findings.append(_library(f"{one.name} is not installed", f"'{one.name}{one.specifier}'"))
            continue
        shown.append(f"{one.name} {found}")
        if not one.specifier.contains(found, prereleases=True):
            what = f"{one.name} {found} is not among the versions that were tested ({one.specifier})"
            findings.append(_library(what, f"'{one.name}{one.specifier}'"))
    return Look(", ".join(shown), tuple(findings))


def _library(what: str, requirement: str) -> Finding:
    return Finding(
        what=what,
        meaning="what needs it may fail, or give other answers than were tested",
        do=f"{os.path.basename(sys.executable)} -m pip install {requirement}",
    )


def git(place: CheckSubject) -> Look:
    """The program git, new enough to be told what not to run."""
    try:
        carrier = carrier_for(place.root)
    except (NoGitError, SpecialFileError) as error:
        meaning = "nothing can be promoted, forgotten or undone; browsing and searching work"
        return Look("git", (Finding(what=error.message, meaning=meaning, do=error.hint),))
    return Look("git " + ".".join(map(str, carrier.version_info)))


def terminal(_: CheckSubject) -> Look:
    """TERM, colours and the encoding of what is printed."""
    term = os.environ.get("TERM", "")
    encoding = locale.getpreferredencoding(False)
    findings = []
    if codecs.lookup(encoding).name != "utf-8":
        findings.append(
            Finding(
                what=f"the locale writes {encoding}, not UTF-8",
                meaning="other letters than those of ASCII cannot be shown, and the interface draws badly",
                do="set a UTF-8 locale, for example LC_ALL=C.UTF-8",
            )
        )
    if sys.stdin is not None and sys.stdin.isatty() and term in _DUMB:
        findings.append(
            Finding(
                what=f"TERM is {term or 'not set'}",
                meaning="the interface needs a terminal that can move its cursor; all commands work without",
                do="run it in a terminal that sets TERM, for example TERM=xterm-256color",
            )
        )
    if term in _COLOURLESS or os.environ.get("NO_COLOR"):
        why = "NO_COLOR is set" if os.environ.get("NO_COLOR") else f"TERM is {term}"
        findings.append(
            Finding(what=f"{why}: no colours", do="the high-contrast theme reads best then", severity="info")
        )
    return Look(f"TERM {term or 'not set'}, {encoding}", tuple(findings))
