"""What a person asked for, whole: enough to plan it, to show it, and to plan it anew when it is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from screens.drawing.clock import now
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An action with all that it needs; what it does not need stays as it is."""

    action: str
    addresses: tuple[str, ...] = ()
    section: str | None = None
    """The heading to go under."""
    into: str | None = None
    """The entry to be merged into, as an address."""
    to: str | None = None
    """The file to go to."""
    text: str | None = None
    """What the person wrote."""
    expected: str | None = None
    """What stood there when they began to write."""
    operation: str = ""
    """The operation to take back, or to do again; the newest when empty."""
    allow_flagged: bool = False
    allow_secrets: bool = False
    planner: Callable[[Workspace, Request], Plan] | None = None
    """Plans it, where ``action`` is none of those that this module knows. Called again when it is done."""


def plan_of(workspace: Workspace, request: Request) -> Plan:
    """The plan of what was asked for. Raises what planning it raises."""
    plan = (request.planner or _PLANNERS[request.action])(workspace, request)
    return replace(plan, allow_secrets=True) if request.allow_secrets else plan


def _promote(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415 - not before the first paint

    return operations.plan_promote(
        workspace,
        request.addresses,
        section=request.section,
        into=request.into,
        allow_flagged=request.allow_flagged,
    )


def _forget(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_forget(workspace, request.addresses)


def _edit(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_edit(
        workspace, request.addresses[0], request.text or "", expected=request.expected
    )


def _merge(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_merge(
        workspace, request.addresses, text=request.text, allow_flagged=request.allow_flagged
    )


def _move(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_move(workspace, request.addresses, to=request.to, section=request.section)


def _pin(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_pin(workspace, request.addresses, on=request.action == "pin")


def _quarantine(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    reason = suspicion(workspace, request.addresses)
    return operations.plan_quarantine(workspace, request.addresses, reason=reason)


def _release(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_release(workspace, request.addresses)


def _archive(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_archive(workspace, request.addresses or None)


def _restore(workspace: Workspace, request: Request) -> Plan:
    """The whole file as the newest commit has it."""
    from workbench import operations  # noqa: PLC0415

    return operations.plan_restore(workspace, request.addresses[0], workspace.history.head() or "")


def _undo(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_undo(workspace, request.operation or None)


def _redo(workspace: Workspace, request: Request) -> Plan:
    from workbench import operations  # noqa: PLC0415

    return operations.plan_redo(workspace, request.operation or None)


def _expire(workspace: Workspace, request: Request) -> Plan:
    from workbench.ingest.expiry import plan_prune  # noqa: PLC0415

    return plan_prune(workspace, now=now(), force=request.allow_flagged, actor="human")


_PLANNERS: dict[str, Callable[[Workspace, Request], Plan]] = {
    "promote": _promote,
    "forget": _forget,
    "edit": _edit,
    "merge": _merge,
    "move": _move,
    "pin": _pin,
    "unpin": _pin,
    "quarantine": _quarantine,
    "release": _release,
    "archive": _archive,
    "expire": _expire,
    "restore": _restore,
    "undo": _undo,
    "redo": _redo,
}


def allowed(request: Request, error: Exception) -> Request | None:
    """The same with a yes to what ``error`` warns of; None when it is no warning."""
    code = getattr(error, "code", "")
    if code in ("flagged", "doubtful") and not request.allow_flagged:
        return replace(request, allow_flagged=True)
    if code == "secret" and not request.allow_secrets:
        return replace(request, allow_secrets=True)
    return None


def suspicion(workspace: Workspace, addresses: Sequence[str]) -> str:
    """What makes these entries and pages suspicious, by rule; empty where only the person knows."""
    from workbench.safety.hidden_text import hidden_in  # noqa: PLC0415
    from workbench.safety.secrets import secrets_in  # noqa: PLC0415

    texts = [_source(workspace, address).decode("utf-8", "surrogateescape") for address in addresses]
    unseen = dict.fromkeys(finding.rule for text in texts for finding in hidden_in(text))
    secret = dict.fromkeys(finding.rule for text in texts for finding in secrets_in(text))
    named = ((what, ", ".join(rules)) for what, rules in (("hidden text", unseen), ("secret", secret)))
    return "; ".join(f"{what}: {rules}" for what, rules in named if rules)


def _source(workspace: Workspace, address: str) -> bytes:
    if "#" not in address:
        return workspace.document(address).data
    document, entry = workspace.locate(address)
    return document.data[entry.span.start : entry.span.end]
