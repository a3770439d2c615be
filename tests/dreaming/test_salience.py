"""The salience model: what it is made of, what it tells apart, and what an owner's decisions teach it."""

from __future__ import annotations

import random
from datetime import date, timedelta
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.salience import Labelled, collections, model_of, own_fit, read_real, write_model
from workbench.dreaming.features import BUCKETS, NAMES, Line, features_of, with_recurring
from workbench.dreaming.normalisation import plain_words, template_of
from workbench.dreaming.owner_model import LEAST, Example, learned, pairs_in_order
from workbench.dreaming.salience import base_model
from workbench.dreaming.vetoes import veto

DAY = date(2026, 5, 1)
PORTS = [
    f"The {name} service listens on port {number}"
    for number, name in enumerate(["api", "web", "mail", "db"], 80)
]
MEALS = [
    f"Had {what} with {who} at noon" for what in ("soup", "rice", "bread") for who in ("Ana", "Ben", "Kim")
]


def decisions(count: int, *, keep: list[str], drop: list[str]) -> list[Example]:
    """Decisions of an owner who keeps some lines and drops others, in turns."""
    return [
        Example(
            Line((keep if n % 2 else drop)[n // 2 % len(keep if n % 2 else drop)]),
            bool(n % 2),
            DAY + timedelta(n),
        )
        for n in range(count)
    ]


@given(st.lists(st.text(max_size=40), min_size=1, max_size=6))
def test_a_line_has_the_same_features_alone_and_among_others(texts: list[str]) -> None:
    lines = [Line(text, heading=text[:5], path="memory/2026-05-01.md") for text in texts]
    whole = features_of(lines)
    for number, line in enumerate(lines):
        alone = features_of([line])
        here = whole.grams.lines == number
        assert np.array_equal(whole.grams.buckets[here], alone.grams.buckets)
        assert np.array_equal(whole.grams.values[here], alone.grams.values)
        assert np.array_equal(whole.counts[number], alone.counts[0])


def test_grams_hash_the_same_on_every_machine() -> None:
    """The weights in the package are by bucket: another hash would make them noise."""
    found = features_of([Line("Backups run nightly, バックアップ")]).grams
    assert (len(found.buckets), int(found.buckets.sum())) == (113, 14694403)
    assert found.buckets.max() < BUCKETS


def test_words_are_known_by_what_they_signal_in_every_language() -> None:
    said = {
        "rules": (
            "Never deploy on Fridays",
            "Freitags niemals ausliefern",
            "Nigdy nie wdrażaj w piątek",
            "Đừng triển khai vào thứ Sáu",
            "Jangan rilis pada hari Jumat",
            "金曜のデプロイは禁止",
            "周五禁止部署",
        ),
        "decisions": (
            "We decided on Postgres",
            "Decidimos usar Postgres",
            "PostgreSQLに決めた",
            "决定用 PostgreSQL",
        ),
        "work that is done": ("Tests passed", "Тесты исправлены", "テスト完了", "배포 완료"),
    }
    for name, texts in said.items():
        place = NAMES.index(f"words of {name}")
        assert (features_of([Line(text) for text in texts]).counts[:, place] > 0).all(), name


def test_a_label_counts_as_a_heading_does() -> None:
    place = NAMES.index("a heading or label of lessons")
    lines = [Line("Lesson: check the port first"), Line("check the port first", "Lessons"), Line("check")]
    assert features_of(lines).counts[:, place].tolist() == [1.0, 1.0, 0.0]


def test_a_heading_that_returns_in_three_files_is_told() -> None:
    def flagged(heading: str, files: int) -> list[bool]:
        lines = [Line("Cash: 40", f"{heading}{n}", f"memory/2026-05-0{n}.md") for n in range(1, files + 1)]
        return [line.recurring for line in with_recurring(lines)]

    assert flagged("Portfolio status, day ", 3) == [True, True, True]
    assert flagged("Portfolio status, day ", 2) == [False, False]
    assert flagged("2026-05-0", 3) == [False, False, False]  # a day is no part of a report


def test_envelopes_stamps_and_marks_are_no_words() -> None:
    text = "- [x] ✅ [09:14] user: [Telegram Ana id:12] Use **tabs** [message_id: 99]"
    assert plain_words(text) == "Use tabs"
    for envelope in (
        "[Telegram Ana id:12]",
        "[WhatsApp +49151 2026-03-18 11:03 UTC]",
        "[cron:0f3a9b2c-11 Daily]",
    ):
        assert plain_words(f"- {envelope} - Use tabs") == "Use tabs"
    assert plain_words("<relevant-memories>\n- old\n</relevant-memories>\nUse tabs") == "Use tabs"


@pytest.mark.parametrize(
    "subject",
    [
        "[Telegram]",
        "[Telegram Integration] -",
        "[Line items]",
        "[Signal processing]:",
        "[Slack](https://x.example)",
    ],
)
def test_a_subject_in_brackets_is_no_envelope(subject: str) -> None:
    assert plain_words(f"- {subject} the key is rotated in May") == f"{subject} the key is rotated in May"


def test_lines_of_one_template_fold_into_one() -> None:
    one, other = "Backup 12 done, commit 4f9a1c2 pushed", "Backup 7 done, commit 0be77d1 pushed"
    assert template_of(one) == template_of(other) == "backup 0 done, commit # pushed"


@given(st.text(), st.text(max_size=80), st.text(max_size=80))
def test_any_text_has_finite_counts(text: str, heading: str, path: str) -> None:
    assert np.isfinite(features_of([Line(text, heading, path)]).counts).all()


def test_a_setting_that_is_noted_in_a_list_is_no_program_output() -> None:
    for text in (
        "- URL: https://shop.example.com/items",
        "- **Mail = Loops**",
        "- Pattern: `/p/<slug>/<name>/`",
    ):
        assert veto(text) is None, text
    assert veto("const mail = require('loops');") == "code"
    assert veto("Dear <name>, welcome to <company>") == "a template with blanks"


@pytest.mark.parametrize(
    "lead",
    [
        *(
            "Run this:",
            "**Re-run the analysis:**",
            "So starten:",
            "Ejecutar en el servidor:",
            "Запустить так:",
        ),
        *("在服务器上运行：", "次のコマンドを実行：", "다음을 실행:", "شغّل هذا الأمر:", "- इसे चलाएँ:"),
    ],
)
@pytest.mark.parametrize(
    ("block", "sentence"),
    [
        ("```bash\ncd app && node fetch.js\n# once a day\n```", "# Never on a Friday: it restarts the shop."),
        ("~~~\nuv sync\n\ngit add .\n~~~", "生产环境只在周二部署。"),
        ("| service | port |\n|---|---|\n| shop | 8443 |", "| Berlin | Das Lager schließt im Mai. |"),
    ],
)
def test_words_that_only_lead_in_code_or_a_table_are_no_memory(lead: str, block: str, sentence: str) -> None:
    assert veto(f"{lead}\n{block}") == "it only introduces what follows"
    first, _, rest = block.partition("\n")
    for text in (f"{first}\n{sentence}\n{rest}", f"{block}\nThe shop is in Lisbon"):
        assert veto(f"{lead}\n{text}") is None, text


def test_the_weights_are_small_and_quick_to_load() -> None:
    folder = resources.files("workbench.dreaming")
    size = sum(len((folder / name).read_bytes()) for name in ("salience.npy", "salience.json"))
    assert size < 2_000_000


def test_the_model_tells_the_collections_apart_in_each_language() -> None:
    lines = collections()
    scores = base_model().logits(lines.lines)
    for language in ("de", "en", "es", "ja", "pt", "zh"):
        here = np.array([one == language for one in lines.languages])
        area = pairs_in_order(scores[here], lines.truth[here])
        assert area is not None
        assert area > 0.7, language


def test_fitting_twice_writes_the_same_bytes(tmp_path: Path) -> None:
    every = collections()
    some = range(0, len(every.lines), 40)
    few = Labelled(
        tuple(every.lines[n] for n in some),
        tuple(every.labels[n] for n in some),
        tuple(every.sources[n] for n in some),
    )
    written = []
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        write_model(model_of(own_fit(few), read_real()), tmp_path / name)
        written.append({path.name: path.read_bytes() for path in (tmp_path / name).iterdir()})
    assert written[0] == written[1]


def test_decisions_move_what_is_like_them() -> None:
    base = base_model()
    owner = learned(base, decisions(30, keep=PORTS, drop=MEALS))
    kept, dropped = Line("The chat service listens on port 99"), Line("Had cake with Eve at noon")
    assert owner.active
    before, after = base.logits([kept, dropped]), owner.logits([kept, dropped])
    assert after[0] - after[1] > before[0] - before[1] + 0.5
    moved = owner.because(kept)
    assert moved is not None
    assert moved[0].accepted
    assert "port" in moved[0].line.text


def test_few_decisions_teach_nothing() -> None:
    owner = learned(base_model(), decisions(LEAST - 1, keep=PORTS, drop=MEALS))
    assert not owner.active
    assert owner.logits([Line("x y z")]) == base_model().logits([Line("x y z")])


def test_decisions_that_contradict_what_was_learned_switch_it_off() -> None:
    """First ports are kept and meals dropped, then the other way round: the last are foretold badly."""
    first = decisions(40, keep=PORTS, drop=MEALS)
    turned = [Example(one.line, not one.accepted, one.day) for one in decisions(40, keep=PORTS, drop=MEALS)]
    owner = learned(base_model(), [*first, *turned[:30]])
    assert not owner.active
    assert "worse" in owner.why_not


def test_random_decisions_leave_the_order_of_lines_nearly_as_it_was() -> None:
    dice = random.Random(3)
    all_of_them = collections()
    decided, judged = all_of_them.lines[:400:5], all_of_them.lines[400:1200:4]
    durable = [label == "durable" for label in all_of_them.labels[400:1200:4]]
    base = base_model()
    owner = learned(base, [Example(line, dice.random() < 0.5) for line in decided])
    before, after = (pairs_in_order(model.logits(judged), np.array(durable)) for model in (base, owner))
    assert before is not None
    assert after is not None
    assert after > before - 0.05


def test_old_decisions_weigh_less() -> None:
    old = [Example(Line(text), True, DAY - timedelta(days=900)) for text in MEALS]
    new = [Example(Line(text), False, DAY) for text in MEALS]
    owner = learned(base_model(), [*old, *new])
    assert float(owner.pull[: len(old)].sum()) < -float(owner.pull[len(old) :].sum())


def test_talk_is_told_apart_by_weights_of_its_own() -> None:
    own = collections()
    model = base_model()
    talk = [number for number, line in enumerate(own.lines) if line.spoken]
    truth = own.truth[talk]
    logits = model.logits([own.lines[number] for number in talk])
    area = pairs_in_order(logits, truth)
    as_notes = pairs_in_order(model.logits([Line(own.lines[number].text) for number in talk]), truth)
    assert area is not None
    assert as_notes is not None
    assert area > as_notes + 0.04
    kept = logits >= np.log(model.floor / (1 - model.floor))
    assert kept[truth].mean() > 0.8
    assert kept[~truth].mean() < 0.1
    notes = model.logits([line for line in own.lines if not line.spoken])
    assert 1.6 < logits.std() / notes.std() < 2.5


def test_what_speaks_for_a_spoken_line_is_what_talk_weighs() -> None:
    words = "My sister Ana moved to Porto in May, you know."
    assert base_model().reasons(Line(words, spoken=True)) != base_model().reasons(Line(words))
