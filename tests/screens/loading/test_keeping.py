"""A filter keeps the same entries whether files are parsed, told by their bytes, or known from before."""

from __future__ import annotations

import pytest

from screens.loading.reader import FilterScan, Store, digest_of, keeps
from screens.loading.workspace_model import Contents, Promoted, of_kind
from screens.panes.logs import LogsPane
from screens.panes.pane import Filter, KeptFiles, filter_of
from tests.support.workspaces import Sandbox
from workbench.memory.entry import Kind
from workbench.workspace.layout import MemoryFile

FILES = {
    "memory/2026-03-01.md": "# Day\n\n## Harbour\n\n- The gate code is 4711 <!-- wb: trust=external -->\n",
    "memory/2026-03-02.md": "# Day\n\n- The gate is green\n- The code <!-- wb: pinned=yes trust=owner -->\n",
    "memory/2026-03-03.md": "# Day\n\n- Quoted <!-- wb: trust=ex%74ernal -->\n- external pinned=yes trust=\n",
    "memory/2026-03-04.md": "# Day\n\n- STRASSE und straße <!-- wb: trust=agent at=2025-12-24 -->\n",
    "memory/2026-03-05.md": "",
}
TYPED = (
    *("gate", "gate code", '"gate code"', "gate -code", "harbour", "STRASSE", "2026-03-02", "2025-12"),
    *("external", "pinned", "owner", "agent", "-external", "-pinned gate", "unknown", "external pinned"),
    *("promoted", "unpromoted gate", '"pinned=yes"', "nothing", "memory/2026-03-04"),
)


class Counting(Store):
    """Counts the files that are parsed."""

    parsed = 0

    def contents(self, file: MemoryFile, limit: int = 1_000_000) -> Contents:
        self.parsed += 1
        return super().contents(file, limit)


@pytest.fixture
def files(sandbox: Sandbox) -> tuple[MemoryFile, ...]:
    for path, text in FILES.items():
        sandbox.write(path, text)
    return logs(sandbox)


def logs(sandbox: Sandbox) -> tuple[MemoryFile, ...]:
    return tuple(of_kind(Store(sandbox.workspace).files(), Kind.LOG))


def asked(typed: str) -> Filter:
    found = filter_of(typed, LogsPane.STATES)
    assert found is not None
    return found


def kept(scan: FilterScan, typed: str, files: tuple[MemoryFile, ...], promoted: Promoted) -> list[str]:
    wanted = KeptFiles(asked(typed), files, promoted)
    return sorted(e.address for one in scan.kept_in(wanted, files).values() for e in one.entries)


@pytest.mark.parametrize("typed", TYPED)
def test_what_is_kept_is_what_parsing_everything_would_keep(
    sandbox: Sandbox, files: tuple[MemoryFile, ...], typed: str
) -> None:
    store = Store(sandbox.workspace)
    entries = [entry for file in files for entry in store.contents(file).entries]
    promoted = Promoted(frozenset({entries[1].hash}), frozenset({(entries[-1].path, entries[-1].start_line)}))
    all_of_them = sorted(e.address for e in entries if keeps(asked(typed), digest_of(e), e.path, promoted))
    scan = FilterScan(store)
    assert kept(scan, typed, files, promoted) == all_of_them
    kept(scan, '-"no such words"', files, promoted)  # now all are known
    assert kept(scan, typed, files, promoted) == all_of_them
    assert kept(FilterScan(store, most=0), typed, files, promoted) == all_of_them


def test_files_that_are_known_are_parsed_only_where_they_hold_it(
    sandbox: Sandbox, files: tuple[MemoryFile, ...]
) -> None:
    store = Counting(sandbox.workspace)
    scan = FilterScan(store)
    kept(scan, "unpromoted", files, Promoted())
    for typed, parsed in (("gate code", 1), ("promoted", 0), ("pinned", 1), ("external", 2)):
        store.parsed = 0
        kept(scan, typed, files, Promoted())
        assert store.parsed == parsed, typed


def test_states_that_stand_nowhere_cost_no_parsing(sandbox: Sandbox, files: tuple[MemoryFile, ...]) -> None:
    store = Counting(sandbox.workspace)
    kept(
        FilterScan(store),
        "agent",
        tuple(file for file in files if file.path < "memory/2026-03-03"),
        Promoted(),
    )
    assert store.parsed == 0


def test_a_file_that_changed_is_looked_at_as_it_is(sandbox: Sandbox, files: tuple[MemoryFile, ...]) -> None:
    scan = FilterScan(Store(sandbox.workspace))
    assert len(kept(scan, "gate", files, Promoted())) == 2
    sandbox.write("memory/2026-03-05.md", "# Day\n\n- Another gate\n")
    sandbox.write("memory/2026-03-01.md", "# Day\n\n- No such thing\n")
    found = kept(scan, "gate", logs(sandbox), Promoted())
    assert [address[:20] for address in found] == ["memory/2026-03-02.md", "memory/2026-03-05.md"]


def test_what_is_remembered_has_a_bound(sandbox: Sandbox, files: tuple[MemoryFile, ...]) -> None:
    """With no room for all of them, some files are parsed for words that no entry has; with room, none."""
    for most, parsed in ((600, True), (600_000, False)):
        store = Counting(sandbox.workspace)
        scan = FilterScan(store, most=most)
        kept(scan, '-"no such words"', files, Promoted())
        store.parsed = 0
        kept(scan, "gate -memory", files, Promoted())
        assert (store.parsed > 0) is parsed
