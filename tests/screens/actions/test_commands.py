"""Every action of the interface is on the command line too, for people who use a screen reader.

What is not, says here why: a new action without a line in one of these tables fails.
"""

from __future__ import annotations

from typing import Final

import click
import pytest

from screens.actions.registry import ACTIONS
from workbench.cli.program import workbench

COMMANDS: Final = {
    "promote": "promote",
    "promote_to": "promote --heading --into",
    "forget": "forget",
    "edit": "edit",
    "edit_outside": "edit",
    "merge": "merge",
    "move": "move --to --heading",
    "pin": "pin",
    "quarantine": "quarantine",
    "archive": "archive",
    "restore_memory": "restore",
    "look": "promote --dry-run",
    "undo": "undo",
    "redo": "redo",
    "reindex": "reindex",
    "search": "search",
    "narrow": "log",
    "explain_hit": "search --explain",
    "related": "show --related",
    "prune": "episodes expire",
    "operations": "log",
    "recent": "recent",
    "entry_log": "log",
    "blame": "blame",
    "origin": "show",
    "conflicts": "inbox conflicts --show",
    "discard": "inbox conflicts --discard",
    "past_at": "search --as-of",
    "open_after": "search --as-of",
    "open_before": "search --as-of",
    "review": "inbox list",
    "accept": "inbox accept",
    "accept_marked": "inbox accept",
    "reword": "inbox edit",
    "reject": "inbox reject",
    "reject_because": "inbox reject --reason",
    "defer": "inbox defer",
    "withdraw": "inbox withdraw",
    "see_source": "inbox show",
    "why": "dream --explain",
    "dream": "dream",
    "roll_back": "dream --rollback",
    "graph_view": "graph show",
    "view_relations": "graph show",
    "view_pairs": "graph duplicates",
    "view_claims": "graph contradictions",
    "view_due": "graph todos",
    "find_entity": "graph find",
    "ask_graph": "graph search",
    "merge_pair": "graph merge",
    "merge_other_way": "graph merge",
    "keep_apart": "graph apart",
    "settle_keep": "graph settle",
    "settle_replace": "graph settle",
    "settle_both": "graph settle",
    "settle_reject": "graph settle",
    "mark_done": "graph update --done",
    "as_of_day": "graph show --on",
    "agent_view": "context",
    "agent_message": "context",
    "agent_memory": "context --bulletin",
    "agent_context": "context --bulletin",
    "agent_loaded": "context --loaded",
    "agent_most": "context --usage",
    "more_days": "context --days",
    "fewer_days": "context --days",
    "health": "doctor",
    "health_again": "doctor",
    "health_fix": "doctor --fix",
    "back_up": "backup",
    "run_tests": "check --tests-only",
    "migrate": "doctor --fix",
    "ingest": "ingest",
    "settings": "config show",
    "change_setting": "config set",
    "change_shared": "config set --workspace-file",
    "reset_setting": "config unset",
    "workspaces": "workspaces list",
    "everywhere": "search --all",
    "copy_entry": "get",
    "copy_given": "context",
    "raw_text": "context",
    "help": "keys",
}
"""The command, with the options that make it the same."""
OF_A_SCREEN: Final = {
    "mark range mark_all": "commands take any number of addresses",
    "confirm anyway decline save leave_text": "`--dry-run`, `--yes` and the exit code are the question",
    "down up top bottom half_down half_up page_down page_up unfold fold open": "a cursor",
    "pane_logs pane_memory pane_episodes pane_graph next_pane previous_pane": "panes",
    "zoom_in zoom_out zoom_reset preview_down preview_up": "room on the screen",
    "next_view previous_view next_part previous_part settings_page other_side health_read": "parts",
    "next_hit previous_hit older_search newer_search switch find find_done": "a terminal has these",
    "filter filter_done settings_filter all_operations widen": "another program filters lines",
    "past_older past_newer past_day_older past_day_newer": "`--as-of` names the moment",
    "go_there to_source to_other_source health_entry health_other agent_go": "addresses are printed",
    "copy_operation copy_path": "ids and paths are printed",
    "stop_dreaming health_stop stop_work": "ctrl+c ends a command",
    "one_hop two_hops three_hops walk_back what_is_over map": "how far one looks at a time",
    "month_before month_after as_of_today": "`--as-of` names the day",
    "write_message message_done older_message newer_message read_again memory_loaded": "an argument",
    "enter_setting leave_setting": "an argument",
    "blame_before blame_after": "`git blame` of an older commit; there is no command for it",
    "edit_keys key_profile": "a file of the interface, which an editor writes",
    "palette back quit": "ways through the interface",
}
"""What only moves about on a screen, by what stands for it elsewhere."""


def _command(words: list[str]) -> click.Command:
    here: click.Command = workbench
    for word in words:
        assert isinstance(here, click.Group), words
        here = here.commands[word]
    return here


def test_every_action_has_its_command_or_its_reason() -> None:
    only_seen = [name for names in OF_A_SCREEN for name in names.split()]
    listed = [*COMMANDS, *only_seen]
    assert sorted(listed) == sorted(action.id for action in ACTIONS)


@pytest.mark.parametrize("action", COMMANDS)
def test_the_command_of_an_action_exists_with_its_options(action: str) -> None:
    said = COMMANDS[action].split()
    found = _command([word for word in said if not word.startswith("--")])
    options = {option for one in found.params for option in (*one.opts, *one.secondary_opts)}
    assert {word for word in said if word.startswith("--")} <= options
