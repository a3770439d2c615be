"""Commands that were called otherwise: whoever types the old name is told the new one."""

from __future__ import annotations

import click

from workbench.errors import UsageError

RENAMED = {
    "agents": "connect",
    "conflicts": "inbox conflicts",
    "flagged": "check",
    "graph ask": "graph search",
    "health": "doctor",
    "loaded": "context --loaded",
    "migrate": "doctor --fix",
    "nightly": "jobs run nightly",
    "proposals": "inbox",
    "recalls": "context --usage",
    "record": "status --commit",
    "related": "show --related",
    "release": "quarantine --release",
}
"""What was typed after ``workbench``, and what is typed now."""


def refuse_renamed(ctx: click.Context, name: str) -> None:
    """Raises UsageError where ``name``, typed behind the command of ``ctx``, is called otherwise now."""
    old, group = name, ctx
    while group.parent is not None:
        old, group = f"{group.info_name} {old}", group.parent
    if old in RENAMED and not ctx.resilient_parsing:
        new = RENAMED[old]
        raise UsageError(f"`{old}` is called `{new}` now", hint=f"`workbench {new} --help` tells more")


class RenamedGroup(click.Group):
    """A group some of whose commands were called otherwise."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that ``args`` name. Raises UsageError for a name that is no more."""
        refuse_renamed(ctx, args[0])
        return super().resolve_command(ctx, args)
