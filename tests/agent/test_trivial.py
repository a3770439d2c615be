"""Which messages memory is asked for at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.agent.context import meaningful_words, why_trivial

NODS = (
    "ok", "thanks!", "Thank you very much", "good morning", "hi there, how are you?", "yes please", "lgtm 👍",
    "go ahead", "Danke, weiter", "Guten Morgen!", "ja bitte", "merci", "Bonjour, ça va bien?", "sí, gracias",
    "perfetto, grazie", "спасибо, да", "你好", "谢谢！好的", "ありがとうございます", "はい、お願いします",
    "안녕하세요", "감사합니다", "สวัสดีครับ", "", "   ", "?!", "🙏🙏🙏",
)  # fmt: skip
QUESTIONS = (
    "which port does staging use?",
    "when is Juno's birthday party",
    "what about ERR_POOL_TIMEOUT",
    "Welchen Port benutzt Staging gerade?",
    "quel port utilise le serveur de staging",
    "¿qué puerto usa el servidor de pruebas?",
    "какой порт использует сервер",
    "我的狗叫什么名字",
    "犬の名前は何ですか",
    "우리 강아지 이름이 뭐예요",
    "ท่าเรือสเตจจิ้งใช้พอร์ตไหน",
)
_NOD = st.sampled_from(["ok", "Thanks", "hello", "yes", "please", "danke", "merci", "gracias", "👍", "!"])


@pytest.mark.parametrize("message", NODS)
def test_greetings_thanks_and_nods_look_nothing_up(message: str) -> None:
    assert why_trivial(message)


@pytest.mark.parametrize("message", QUESTIONS)
def test_a_question_of_any_script_is_looked_up(message: str) -> None:
    assert why_trivial(message) is None


def test_the_reason_says_what_is_missing() -> None:
    assert why_trivial("thanks, the") == "the message has no meaningful word"
    assert why_trivial("\n") == "the message is empty"


@given(st.lists(_NOD, max_size=12))
def test_any_number_of_nods_stays_a_nod(words: list[str]) -> None:
    assert why_trivial(" ".join(words))


@given(st.lists(_NOD, max_size=5), st.sampled_from(QUESTIONS))
def test_politeness_changes_nothing(polite: list[str], question: str) -> None:
    assert meaningful_words(" ".join([*polite, question])) == meaningful_words(question)


@given(st.text(max_size=300))
def test_any_text_is_judged(message: str) -> None:
    assert (why_trivial(message) is None) == bool(meaningful_words(message))


def test_one_word_said_often_is_one_word() -> None:
    assert meaningful_words("deploy deploy deploy deploy") == ("deploy",)


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("Wer ist Nyx?", ("nyx",)),
        ("что у меня за сервер", ("сервер",)),
        ("quem é o responsável?", ("responsavel",)),
        ("die hard in Berlin", ("die", "hard", "berlin")),
        ("the para unit died in La Paz", ("para", "unit", "died", "la", "paz")),
    ],
)
def test_function_words_count_in_their_own_language_only(message: str, said: tuple[str, ...]) -> None:
    assert meaningful_words(message) == said
