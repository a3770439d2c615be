"""The doctor's list, in the order in which things are looked at, and repaired."""

from __future__ import annotations

from workbench.health import (
    books,
    clock,
    configuration,
    environment,
    holders,
    language,
    ledger,
    model,
    provider,
    repository,
    state,
    stores,
    unfinished,
    watching,
)
from workbench.health.finding import Check

CHECKS: tuple[Check, ...] = (
    Check("machine", "python", environment.python),
    Check("machine", "libraries", environment.libraries),
    Check("machine", "git", environment.git),
    Check("machine", "terminal", environment.terminal),
    Check("machine", "watching", watching.watching),
    Check("machine", "disk", state.disk),
    Check("machine", "clock", clock.clock),
    Check("workspace", "settings", configuration.settings),
    Check("workspace", "repository", repository.repository),
    Check("workspace", "git locks", repository.git_locks),
    Check("workspace", "owner", state.owners),
    Check("workspace", "permissions", state.permissions),
    Check("workspace", "locks", holders.locks),
    Check("workspace", "interrupted action", unfinished.operation),
    Check("workspace", "conflicts", unfinished.conflicts),
    Check("workspace", "leftovers", unfinished.leftovers),
    Check("workspace", "ledger", ledger.ledger),
    Check("model", "model", model.model),
    Check("model", "prepared form", model.prepared),
    Check("model", "provider", provider.provider),
    Check("model", "language model", language.language_model),
    Check("index", "books", books.books),
    Check("index", "belonging", books.belonging),
    Check("index", "model of vectors", model.vectors_of_model),
    Check("index", "words", stores.words),
    Check("index", "vectors", stores.vectors),
    Check("index", "flat copy", stores.flat),
    Check("index", "embedding cache", stores.cache),
    Check("index", "sync", unfinished.sync),
)
