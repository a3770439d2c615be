"""memsearch in a process that stays open; run with the Python of its virtual environment.

    python -P memsearch_process.py WORKSPACE MODEL STORE

``{"query", "k"}`` is answered with ``{"hits"}``, ``{"changed": FILE}`` with what was indexed of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys

from memsearch import MemSearch  # type: ignore[import-not-found]  # in an environment of its own


async def serve(workspace: str, model: str, store: str) -> None:
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print is no answer
    with MemSearch(
        [workspace], embedding_provider="local", embedding_model=model, milvus_uri=store
    ) as memory:
        await memory.search("warm", top_k=1)
        print(json.dumps({"ready": True}), file=answers, flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            if "changed" in request:
                said: object = {"indexed": await memory.index_file(request["changed"])}
            else:
                said = {"hits": await memory.search(request["query"], top_k=request["k"])}
            print(json.dumps(said), file=answers, flush=True)


if __name__ == "__main__":
    asyncio.run(serve(*sys.argv[1:]))
