"""What was found in a text that a person should see before the text is trusted or recorded."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextFinding:
    """A place in a text: characters ``start`` up to, not including, ``end``, and the rule that named it.

    ``shown`` is fit to be shown: a secret masked to its ends, hidden text made visible. A finding is a
    hint with its evidence, never a verdict.
    """

    rule: str
    start: int
    end: int
    shown: str

    def line(self, text: str) -> int:
        """The line of ``text`` on which it begins, from 1."""
        return text.count("\n", 0, self.start) + 1


def by_rule(findings: Iterable[TextFinding]) -> tuple[str, ...]:
    """One line a rule, in the order of the text: its name, how often, and the first thing it found."""
    grouped: dict[str, list[TextFinding]] = {}
    for finding in findings:
        grouped.setdefault(finding.rule, []).append(finding)
    return tuple(
        f"{rule}{f' ({len(group)} times)' if len(group) > 1 else ''}: {group[0].shown}"
        for rule, group in grouped.items()
    )
