"""The request of an operation: enough to plan it, to show it, and to plan it again when it is carried out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from screens.drawing.clock import now
from workbench.errors import UsageError
from workbench.operations.registry import OPERATIONS, OperationSpec
from workbench.safety.secrets import secrets_in
from workbench.workspace.plan import Plan
from workbench.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An operation with all its parameters; those that it does not take keep their defaults."""

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
    """Plans it, where ``action`` is no operation of the registry. Called again when it is done."""


def plan_of(workspace: Workspace, request: Request) -> Plan:
    """The plan of the request. Raises what planning raises."""
    plan = (request.planner or _declared)(workspace, request)
    return replace(plan, allow_secrets=True) if request.allow_secrets else plan


_PARAMETERS = ("section", "into", "to", "text", "allow_flagged")
"""What a request may say beside the entries."""


def _declared(workspace: Workspace, request: Request) -> Plan:
    """The plan of an operation of the registry. Raises UsageError where it does not take what was said."""
    operation = OPERATIONS[request.action]
    given = {name: value for name in _PARAMETERS if (value := getattr(request, name)) not in (None, False)}
    if unknown := given.keys() - {parameter.name for parameter in operation.parameters}:
        raise UsageError(f"{operation.name} does not take {', '.join(sorted(unknown))}")
    if operation.draft:
        given["expected"] = request.expected
    if request.action == "quarantine":
        given["reason"] = suspicion(workspace, request.addresses)
    if request.action == "restore":
        given["at"] = workspace.history.head() or ""
    one = request.addresses[0] if request.addresses else request.operation or None
    return operation.planned(workspace, request.addresses if operation.subject.many else one, **given)


def declared_request(operation: OperationSpec, subject: str | Sequence[str], **given: Any) -> Request:
    """A request for a declared operation on ``subject``, with these parameters."""

    def plan(workspace: Workspace, _: Request) -> Plan:
        moment = {"now": now()} if operation.clock else {}
        return operation.planned(workspace, subject, **given, **moment)

    addresses = (subject,) if isinstance(subject, str) else tuple(subject)
    return Request(action=operation.name, addresses=addresses, planner=plan)


def _expire(workspace: Workspace, request: Request) -> Plan:
    from workbench.ingest.episodes import plan_prune  # noqa: PLC0415 - not before the first paint

    return plan_prune(workspace, now=now(), force=request.allow_flagged, actor="human")


EXPIRE = Request(action="expire", planner=_expire)
"""To remove the episodes that have expired."""


def allowed(request: Request, error: Exception) -> Request | None:
    """The request that agrees to what ``error`` warns of; None when it is no warning."""
    code = getattr(error, "code", "")
    if code in ("flagged", "doubtful") and not request.allow_flagged:
        return replace(request, allow_flagged=True)
    if code == "secret" and not request.allow_secrets:
        return replace(request, allow_secrets=True)
    return None


def suspicion(workspace: Workspace, addresses: Sequence[str]) -> str:
    """What makes these entries and pages suspicious, by rule; empty where only the person knows."""
    from workbench.safety.hidden_text import hidden_in  # noqa: PLC0415

    texts = [_source(workspace, address).decode("utf-8", "surrogateescape") for address in addresses]
    found = {
        "hidden text": dict.fromkeys(finding.rule for text in texts for finding in hidden_in(text)),
        "secret": dict.fromkeys(finding.rule for text in texts for finding in secrets_in(text)),
    }
    return "; ".join(f"{what}: {', '.join(rules)}" for what, rules in found.items() if rules)


def _source(workspace: Workspace, address: str) -> bytes:
    if "#" not in address:
        return workspace.document(address).data
    document, entry = workspace.locate(address)
    return document.data[entry.span.start : entry.span.end]
