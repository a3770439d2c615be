"""A real sentence-transformers model, small enough to be made, exported and served by a test."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory


def make_tiny_model(folder: Path) -> Path:
    """Write a model with random weights, 16 dimensions and a window of 32 word pieces into ``folder``."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer import modules
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing
    from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

    torch.manual_seed(1)
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *"abcdefghijklmnopqrstuvwxyz0123456789"]
    vocabulary = {piece: at for at, piece in enumerate([*pieces, *(f"##{p}" for p in pieces[4:])])}
    raw = Tokenizer(WordPiece(vocabulary, unk_token="[UNK]"))
    raw.normalizer = BertNormalizer(lowercase=True)
    raw.pre_tokenizer = BertPreTokenizer()
    raw.post_processor = BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=raw, pad_token="[PAD]", unk_token="[UNK]", cls_token="[CLS]", sep_token="[SEP]"
    )
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        max_position_embeddings=64,
    )
    with TemporaryDirectory() as bert:
        BertModel(config).save_pretrained(bert)
        tokenizer.save_pretrained(bert)
        word = modules.Transformer(bert, max_seq_length=32)
        pooling = modules.Pooling(16, pooling_mode="mean")
        SentenceTransformer(modules=[word, pooling, modules.Normalize()]).save(str(folder))
    return folder
