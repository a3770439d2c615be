"""The model's weights in the form that fastembed reads, which would be downloaded otherwise.

    python -m benchmarks.peers.fastembed_model FOLDER CACHE

One ONNX graph that gives a vector a token, as fastembed pools them itself, beside the tokenizer, cut at the
256 word pieces that fastembed gives for this model.
"""

from __future__ import annotations

import json
import shutil
import sys
import warnings
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModel

_FOLDER = "fast-all-MiniLM-L6-v2"
_WINDOW = 256


def export(source: Path, cache: Path) -> None:
    target = cache / _FOLDER
    target.mkdir(parents=True)
    model = AutoModel.from_pretrained(source, attn_implementation="eager", use_safetensors=True)

    class Tokens(torch.nn.Module):  # type: ignore[misc]
        """Token ids to one vector a token."""

        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
            return self.model(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state

    inputs = ["input_ids", "attention_mask", "token_type_ids"]
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Tokens().eval(),
            tuple(torch.ones(2, 16, dtype=torch.long) for _ in inputs),
            str(target / "model.onnx"),
            input_names=inputs,
            output_names=["last_hidden_state"],
            dynamic_axes={name: {0: "texts", 1: "tokens"} for name in [*inputs, "last_hidden_state"]},
            opset_version=17,
            dynamo=False,
        )
    for name in ("config.json", "tokenizer.json", "special_tokens_map.json"):
        shutil.copyfile(source / name, target / name)
    settings = json.loads((source / "tokenizer_config.json").read_text())
    (target / "tokenizer_config.json").write_text(json.dumps({**settings, "model_max_length": _WINDOW}))


if __name__ == "__main__":
    export(Path(sys.argv[1]), Path(sys.argv[2]))
