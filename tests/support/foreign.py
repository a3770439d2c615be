"""Workspaces as OpenClaw, Obsidian and basic-memory have them, with pages of our own beside theirs."""

from __future__ import annotations

from pathlib import Path

from tests.support.workspaces import EPISODE, Sandbox

DAY = "memory/2026-03-14.md"
NOTE = "memory/projects/harbour.md"
PERSON = "graph/person/ann-moss.md"
TWIN = "graph/person/ann.md"

OPENCLAW = {
    "MEMORY.md": """# Long-Term Memory

<!-- kept by hand: do not reorder -->

## User Preferences

- Likes tea
- **Editor:** uses *two* spaces <!-- said twice -->

## Project Facts

- The harbour opens at six

## Promoted From Short-Term Memory (2026-03-12)

<!-- openclaw-memory-promotion:memory:memory/2026-03-10.md:3:3 -->
- Weekly reports go out on Monday [score=0.878 recalls=2 avg=0.620 source=memory/2026-03-10.md:3-3]
<!-- openclaw-memory-promotion:memory:memory/2026-03-10.md:5:5 -->
- The staging host is quay-2 [score=0.834 recalls=1 avg=0.610 source=memory/2026-03-10.md:5-5]
""",
    "AGENTS.md": "# Agents\n\nRead `MEMORY.md` first.\n",
    "USER.md": "# User\n\n- Name: Ann\n",
    DAY: """# 2026-03-14

## 10:00 planning

- Ann prefers asynchronous reviews
- The crane needs a permit
  - ask the board
- We decided to move to the new quay

## Light Sleep
<!-- openclaw:dreaming:light:start -->
- Candidate: the crane; confidence: 0.62
<!-- openclaw:dreaming:light:end -->

A paragraph about the weather.
""",
    NOTE: (
        "# Harbour\n\n| what | when |\n| --- | --- |\n| opening | six |\n\n"
        "```sh\n# no heading, no #tag\nls [[x]]\n```\n"
    ),
}
OBSIDIAN = {
    "MEMORY.md": """---
tags: [memory, curated]
cssclasses:
  - wide
created: 2026-03-01
---
# Memory

## Preferences

- Likes tea ^tea
- See [[2026-03-14#^crane|the crane]] and [[harbour#Opening hours]]

## Facts

- The harbour opens at six ^open-6
- [ ] Renew the permit 📅 2026-04-01
""",
    DAY: """---
tags:
  - daily
aliases: ["Pi day", planning]
mood: 4
done: false
---
# 2026-03-14

- Ann prefers asynchronous reviews ^reviews
- The crane needs a permit ^crane
  - ask the board
- We decided to move to the new quay #decision
- [x] Call [[Ann Moss]] ✅ 2026-03-14

A paragraph that others embed. ^para

> [!note] A callout
> that stays as it is

%% a comment of Obsidian's %%
""",
    NOTE: """---
title: Harbour
---
# Harbour

![[2026-03-14#^para]]

## Opening hours

- From six, see [[MEMORY#^open-6]] and [[MEMORY#^tea]]
- [[2026-03-14#^reviews]], [[Ann Moss|Ann]] and [[#Opening hours]]
""",
    PERSON: """---
id: e-ann
name: Ann Moss
type: person
aliases: [Ann M.]
---
- [preference] Prefers asynchronous reviews ^pref
- works_on [[harbour]]
""",
}
BASIC_MEMORY = {
    "MEMORY.md": """---
title: Memory
type: note
permalink: memory
tags:
- curated
---
# Memory

## Preferences

- [preference] Likes tea #drink (said in May)
- pairs_with [[Harbour]] (at dawn)

## Facts

- The harbour opens at six
""",
    DAY: """---
title: 2026-03-14
type: note
permalink: memory/2026-03-14
---
# 2026-03-14

- [preference] Ann prefers asynchronous reviews #work (owner)
- [risk] The crane needs a permit #crane
- [decision] We decided to move to the new quay (board)
- follows [[Harbour]]
""",
    NOTE: """---
title: Harbour
type: project
permalink: projects/harbour
tags: [port, crane]
---
# Harbour

## Observations
- [fact] Opens at six #hours (sign)
- [tech] Runs on `#hash` codes
- A line with a #tag only

## Relations
- part_of [[Port Ellery]]
- "run by" [[Ann Moss]] (since 2020)
- Words about [[Ann Moss]] in a sentence
""",
    PERSON: """---
id: e-ann
name: Ann Moss
type: person
title: Ann Moss
permalink: people/ann-moss
---
- [preference] Prefers asynchronous reviews
- works_on [[Harbour]] (lead)
""",
}
PAGES = {
    TWIN: """---
id: e-ann-2
name: Ann
type: person
---
- [fact] Speaks Dutch
- knows [[Bob]]
""",
    "graph/person/bob.md": (
        "---\nname: Bob\ntype: person\n---\n- [fact] Lives in Oslo\n- [fact] Lives in Bergen\n"
    ),
}
SHAPES = {"openclaw": OPENCLAW, "obsidian": OBSIDIAN, "basic-memory": BASIC_MEMORY}


def workspace_of(shape: str, root: Path, *, crlf: bool = False) -> Sandbox:
    """A workspace of that shape, committed; ``crlf``: as a Windows editor with a BOM saved it."""
    sandbox = Sandbox(root)
    files = {PERSON: OBSIDIAN[PERSON]} | PAGES | SHAPES[shape]
    for path, text in files.items():
        data = text.encode()
        sandbox.write(path, b"\xef\xbb\xbf" + data.replace(b"\n", b"\r\n") if crlf else data)
    sandbox.commit(shape)
    assert (root / EPISODE).is_file()
    return sandbox
