"""What an entry says of its origin, once it or its copy stands in another file."""

from __future__ import annotations

import secrets
from datetime import date

from workbench.memory.entry import Entry, Kind
from workbench.memory.markdown import Document
from workbench.memory.origin import OriginReader, log_trust
from workbench.memory.provenance import Provenance, least_trusted, provenance
from workbench.workspace.layout import ARCHIVE


def derived_provenance(document: Document, entry: Entry, today: date) -> Provenance:
    """The provenance of ``entry`` of ``document`` for the place that it goes to."""
    own, header = entry.provenance, document.front_matter
    session = (own and own.get("session")) or (header and header.text("session"))
    return provenance(
        {
            "id": "m" + secrets.token_hex(3),
            "src": f"{entry.path}#L{entry.start_line}",
            "entry": entry.hash,
            "session": session or None,
            "trust": trust_of(document, entry),
            "occurred_at": entry.date.isoformat() if entry.date else None,
            "at": today.isoformat(),
        }
    )


def trust_of(document: Document, entry: Entry) -> str:
    """No line speaks louder than the file that it stands in; a log is the agent's, but for what it quotes."""
    if entry.kind is Kind.LOG:
        return log_trust(OriginReader(document), entry)
    own, header = entry.provenance, document.front_matter
    in_file = header.text("trust") if header else None
    return least_trusted(in_file, (own and own.get("trust")) or in_file)


def trust_kept(document: Document, entry: Entry) -> str:
    """The trust that an entry keeps when it goes elsewhere itself.

    Curated memory speaks for itself line by line, and so does what left it for the archive.
    """
    if entry.kind is Kind.MEMORY or entry.path.startswith(ARCHIVE):
        return least_trusted(entry.provenance.get("trust") if entry.provenance else None)
    return trust_of(document, entry)
