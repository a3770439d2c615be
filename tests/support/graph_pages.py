"""A small graph for tests: four pages, with relations both ways, days, trust, and a question or two."""

from __future__ import annotations

from tests.support.workspaces import LOG, Sandbox

TODAY = "2026-03-20"
SARAH, BOB, ATLAS, NATS = (
    "graph/person/sarah-chen.md",
    "graph/person/bob-lee.md",
    "graph/project/atlas.md",
    "graph/technology/nats.md",
)
PAGES = {
    SARAH: f"""---
name: Sarah Chen
type: person
aliases: [SC, 陳莎拉]
---
- [preference] Prefers async reviews <!-- wb: id=m1 src={LOG}#L5 trust=owner at=2025-03-20 -->
- [fact] Lives in Bremen <!-- wb: id=m2 valid_from=2025-01-01 src=a.md#L1 trust=agent -->
- [fact] Lives in Hamburg <!-- wb: id=m3 valid_from=2026-02-01 src={LOG}#L6 trust=owner -->
- works_on [[Atlas]] <!-- wb: id=r1 valid_from=2026-01-10 src={LOG}#L7 trust=agent confidence=0.8 -->
- works_on [[Titan]] <!-- wb: id=r2 valid_from=2025-01-10 valid_until=2025-12-31 -->
- knows [[Nobody Yet]]
""",
    BOB: """---
name: Bob Lee
type: person
---
- works_on [[Atlas]] <!-- wb: valid_from=2026-03-01 -->
""",
    ATLAS: """---
name: Atlas
type: project
aliases: [Project Atlas]
---
- [todo] Renew the certificate <!-- wb: id=t1 happens_at=2026-03-18 -->
- [todo] Call the harbour <!-- wb: id=t2 happens_at=2026-03-20 -->
- [event] The pilot starts <!-- wb: id=t3 happens_at=2026-03-25 -->
- [todo] Write the handbook <!-- wb: id=t4 happens_at=2026-06-01 -->
- [todo] Think about names <!-- wb: id=t5 -->
- uses [[NATS]] <!-- wb: valid_from=2026-02-01 -->
""",
    NATS: """---
name: NATS
type: technology
---
- [fact] A broker of messages
""",
    "graph/project/titan.md": "---\nname: Titan\ntype: project\n---\n- [fact] Came before Atlas\n",
}
TWIN = "graph/person/sarah-chen-2.md"
TWIN_PAGE = """---
name: Sarah Chenn
type: person
---
- [fact] Speaks Dutch <!-- wb: id=m9 -->
"""


def write_pages(sandbox: Sandbox, **more: str) -> None:
    """Write and commit them."""
    for path, text in (PAGES | more).items():
        sandbox.write(path, text)
    sandbox.commit("the graph")
