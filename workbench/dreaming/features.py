"""The features of a line that the salience model sees: hashed n-grams of words and characters, and counts."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from workbench.dreaming.normalisation import folded_words, plain_words, template_of
from workbench.frozen import frozen

Floats = NDArray[np.float64]
Singles = NDArray[np.float32]
Integers = NDArray[np.int64]

# -- words by what they signal -----------------------------------------------------------------------
# Words are classed in English, German, Spanish, Portuguese, French, Italian, Dutch, Polish, Russian,
# Vietnamese, Indonesian, Chinese, Japanese and Korean. A word of five letters or more stands for all words
# that begin with it too, a shorter one for itself. Words of Chinese, Japanese and Korean are found anywhere
# in a text.

WORD_CLASSES = {
    "rules": """
        always never must only unless rule policy policies forbid forbidden require mandatory ensure avoid
        don't
        immer nie niemals muss müssen darf dürfen nur regel pflicht verboten grundsätzlich
        siempre nunca jamás debe deben solo sólo regla norma prohibido obligatorio
        sempre deve devem só regra proibido obrigatório apenas
        toujours jamais doit doivent règle interdit obligatoire uniquement
        mai solo soltanto regola vietato obbligatorio altijd nooit moet moeten alleen regel verboden
        verplicht
        всегда никогда нельзя должен должна должны правил только запрещ обязатель
        必须 必須 不要 不得 不许 禁止 永远 规则 規則 铁律 原则 原則 規定 规定 務必 务必 只能 一律 以后
        别用
        必ず ルール 厳守 徹底 のみ しない 今後 ないこと 항상 절대 반드시 금지 규칙 원칙 앞으로
        zawsze nigdy zasad reguł zakaz zabroni tylko musi muszą trzeba należy bezwzględn luôn đừng
        cấm phải chỉ buộc tuyệt selalu jangan wajib harus hanya dilarang aturan обязан строго
        следует сначала cuidado proibid obrigatór somente
    """,
    "lessons": """
        lesson learned learnt learning insight gotcha caveat pitfall workaround takeaway because
        gelernt erkenntnis stolper ursache weil lektion lección lecciones aprend causa porque
        lição lições leçon appris parce lezione imparato perché geleerd omdat oorzaak inzicht
        урок вывод причин потому 教训 教訓 经验 經驗 心得 根因 原因 踩坑 因为
        学び 知見 注意点 気付き 気づき 反省 ため 교훈 배운 원인 주의 때문
        lekcj wniosek wnioski przyczyn nauczyłem naucz ponieważ dlatego vì kinh rút pelajaran
        penyebab karena sebab aprendiz причина извлеч оказалось motivo
    """,
    "decisions": """
        decide decision chose chosen choose agreed settled adopt abandon replace switch instead
        entschied entscheid beschlossen gewählt vereinbart stattdessen umgestellt
        decid decisi acordado elegido elegimos reemplaz lugar combinado escolhi substitu
        décid décision choisi convenu remplac plutôt deciso scelto concordato sostitu invece
        besloten besluit gekozen afgesproken vervang решил решен решён договорил выбра вместо заменил
        决定 決定 定了 选择 選擇 改用 採用 采用 选定 方案 改成 改为 換成 换成 敲定
        方針 決め 廃止 変更 移行 切り替え 결정 정했 확정 선택 합의 바꿔 대신
        decyzj zdecydow wybran wybór ustalon uzgodn zamiast zamieni chốt chọn thống quyết thay
        memutuskan keputusan dipilih disepakati diganti daripada decisão decisões decidid escolha
        substituí утвержд выбор принято отказал
    """,
    "preferences": """
        prefer likes loves hates dislike wants favourite favorite taste
        bevorzug vorliebe mag möchte lieber prefier preferenc gusta gustan quiere odia favorit
        preferê gosta quer odeia préfér aime veut préférence déteste preferisc piace vuole
        voorkeur liever houdt wil предпоч любит любим хочет нравит
        喜欢 喜歡 偏好 习惯 習慣 讨厌 討厭 希望 想要 不喜
        好み 好き 嫌い 苦手 好む 선호 좋아 싫어 취향 원함
        preferuj woli lubi chce ulubion preferencj thích muốn ghét ưa suka ingin lebih mau prefere
        gostar хотят предпочт
    """,
    "settings": """
        config setting default account locat path folder directory port host server endpoint channel model
        provider schedule timezone retention limit threshold primary fallback stored
        einstellung standard konto ordner pfad zugang zeitzone ablage speicher
        ajuste cuenta carpeta ruta servidor puerto predetermin horario guardad ubicaci
        conta pasta caminho padrão porta servidores armazen fica
        réglage compte dossier serveur chemin défaut impostazion cartella percorso predefinit
        instelling map account standaard opgeslagen настро конфиг аккаунт папк путь сервер порт лежит
        хранит
        配置 设置 設置 設定 账号 帳號 地址 路径 路徑 目录 端口 服务器 默认 預設 环境 存放 放在 位于
        環境 接続 保存先 場所 サーバ チャンネル フォルダ 既定 置き場 설정 계정 경로 폴더 서버 포트 기본
        위치
        konfigur ustawie ścieżk katalog serwer domyśln lokalizac kanał harmonogram cấu đường thư
        kênh máy khoản mặc lokasi akun saluran alamat bawaan jadwal localizaç endereço configur
        diretório caminh канал домен адрес расположен
    """,
    "people": """
        user owner family wife husband mother father sister brother daughter friend colleague partner
        client
        customer team contact birthday name profile identity about lives works
        kunde kunden familie frau mann geburtstag kontakt kollege kollegin wohnt arbeitet
        cliente familia esposa marido cumpleaños contacto hermana hermano madre padre vive trabaja
        família aniversário contato equipe irmã irmão mãe pai mora trabalha
        famille femme mari anniversaire client équipe habite travaille famiglia moglie marito compleanno
        klant familie vrouw verjaardag collega woont клиент семья жена муж контакт коллег живёт живет
        работает
        用户 主人 客户 客戶 家人 妻子 老婆 老公 生日 联系人 聯絡 朋友 同事 身份 档案 老师 团队
        クライアント 顧客 家族 妻 夫 誕生日 連絡先 担当 について 情報 呼び方 고객 가족 아내 남편 생일
        연락처 담당
        użytkown właścic klient rodzin żona mąż brat siostra przyjaciel urodzin zespół mieszka
        pracuje anh chị vợ chồng khách nhóm tên bạn pengguna pemilik keluarga istri suami teman
        pelanggan tim nama usuári namorad filho filha пользоват владел команд семь друг
    """,
    "routines": """
        every daily weekly monthly nightly hourly yearly each automatic
        täglich wöchentlich monatlich jeden jede jedes automatisch jährlich
        diario diaria semanal mensual cada automátic todos mensal diári
        quotidien hebdomadaire mensuel chaque ogni giornalier settimanal mensil
        dagelijks wekelijks maandelijks elke iedere ежедневн еженедельн кажд ежемесячн автоматич
        每天 每日 每周 每週 每月 每年 每次 定期 自动 自動
        毎日 毎週 毎月 毎朝 毎年 毎回 매일 매주 매월 매달 매년 마다 자동
        codzienn każd tygodniow miesięczn automatycz regularn mỗi hằng hàng tuần ngày setiap harian
        mingguan bulanan otomatis semanalm регулярн
    """,
    "conditions": """
        not no if when whenever until without nor nicht kein keine keinen wenn falls bis ohne sobald
        si cuando hasta sin ni não nem quando até sem se ne pas lorsque jusqu sans
        non fino senza niet geen als wanneer totdat zonder не если когда до без нет
        不 别 如果 若 的时候 之前 不能 不再 ない なら とき まで 場合 前に
        않 없이 까지 이면 하면 전에 에만
        jeśli jeżeli gdy kiedy dopóki bez không nếu khi trước chưa jika kalau ketika tanpa tidak
        bukan sebelum кроме
    """,
    "work that is done": """
        done complete fixed finish added create updated remove deleted tested deploy merged pushed passed
        verif
        checked confirm sent publish implement shipped resolved built install ran success rebuil review
        erledigt fertig behoben geprüft getestet gesendet aktualisiert abgeschlossen erstellt
        hecho listo arreglado probado enviado actualiz complet terminad corregid cread
        feito pronto corrigid testad enviad atualiz conclu criad
        fait corrig testé envoyé terminé créé fatto corrett testato inviato aggiornat completat
        klaar afgerond getest verzonden bijgewerkt gemaakt
        сделан готово исправ провер отправ обнов заверш создан добавл
        完成 修复 修復 测试 測試 提交 推送 部署 更新 通过 創建 创建 发布 已经 跑完 新增
        完了 実施 実行 修正 作成 追加 確認 配信 対応 成功 완료 수정 배포 테스트 작성 추가
        zrobion ukończ naprawion gotow dodan dodał wysłan zaktualiz utworz usunię wdrożon sprawdz
        xong đã sửa hoàn thêm tạo gửi selesai diperbaiki dibuat ditambah dikirim diperbarui sudah
        berhasil criou adicion publicad реализ внедр собран убран подготов переделан задеплоен
    """,
    "passing states": """
        status progress healthy running online offline failed failing error down idle currently current
        today
        now results metric usage bug issue
        zustand fortschritt läuft aktuell heute fehler ergebnis
        estado progreso funcionando fallo hoy ahora resultado andamento falha hoje agora
        état progrès échec aujourd maintenant erreur stato oggi errore adesso vandaag fout momenteel
        статус прогресс сегодня сейчас ошибк результат
        状态 狀態 进展 進度 运行 正常 失败 今天 今日 目前 当前 结果 統計 统计 报错
        状態 状況 稼働 失敗 本日 現在 結果 使用量 오늘 상태 진행 정상 실패 현재 결과
        stan postęp działa błąd błędy wynik dzisiaj dziś teraz obecnie aktualn lỗi nay đang hiện
        trạng kemajuan berjalan gagal hari sekarang saat resultad problema erros atual симптом
        проблем работает состоян текущ problem symptom
    """,
    "plans": """
        todo next pending wait block tomorrow later plan task remind upcoming soon
        nächste morgen offen aufgabe erinner geplant später
        próxim pendiente mañana tarea recordatorio pendente amanhã tarefa lembrete
        prochain demain tâche rappel prossim domani compito attesa morgen taak volgende
        следующ завтра задач напомн план ожида
        待办 待辦 下一步 明天 计划 計劃 等待 任务 任務 打算 明日 次回 予定 待ち 未完 タスク リマインド
        課題
        다음 내일 할일 대기 예정 계획
        następn czeka oczekuj jutro zadani przypomn później tiếp chờ mai kế việc nhắc berikutnya
        menunggu besok rencana tugas nanti pendênci passos tarefas осталось остал шаги дальше позже
    """,
    "research and news": """
        research news article paper study studies survey finding analysis summary digest report tweet
        thread
        trend competit newsletter
        recherche artikel nachricht studie zusammenfassung bericht
        investigaci noticia artículo estudio resumen informe pesquisa notícia artigo estudo resumo
        relatório
        actualité étude résumé rapport ricerca notizie articolo riassunto onderzoek nieuws samenvatting
        исследован новост стать обзор отчет отчёт анализ
        调研 研究 新闻 新聞 文章 论文 分析 总结 總結 报告 報告 帖子 摘要 探索 样本
        調査 ニュース 記事 論文 まとめ レビュー 話題 조사 뉴스 기사 논문 분석 요약 보고
        badani artykuł wiadomoś raport analiz podsumow nghiên báo bài tích tin tổng penelitian
        berita laporan ringkasan pesquis литератур бенчмарк
    """,
    "the first person": """
        i i'm i've i'd i'll my mine me we we're we've we'll our us
        ich mein meine meinen meinem meiner mich mir wir unser unsere uns
        yo mi mis nos nosotros nuestra nuestro eu meu minha meus minhas nós nosso nossa
        je j'ai j'étais mon ma mes moi nous notre io mio mia miei noi nostro nostra ik mijn wij ons onze
        я мой моя мои мою мне меня мы наш наша нас нам
        我 咱 俺 私 僕 うちの 우리 나는 내가 저는 제가
        mój moja moje mnie mamy nasz nasze tôi mình chúng saya kami kita aku
    """,
    "session records": """
        session checkpoint heartbeat log logs audit conversation transcript compact handover timeline
        sitzung protokoll verlauf sesión registro conversaci sessão conversa journal
        sessione sessie gesprek сесси журнал разговор
        会话 會話 心跳 日志 日誌 对话 對話 记录 記錄 巡检
        セッション ログ 会話 ハートビート 記録 監視 세션 로그 대화 기록 하트비트
        sesj rozmow dziennik transkrypt podsumowanie phiên nhật sesi catatan percakapan хартбит
    """,
}
"""Class by class, the words that signal it."""

_PREFIX = 5
_PARTS = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WORDS = re.compile("[^\\W\\d_\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+(?:'[^\\W\\d_]+)?")


def word_classes(folded: str) -> Iterator[int]:
    """The class, as its place in ``WORD_CLASSES``, of each word of a casefolded text that has one."""
    for word in _WORDS.findall(folded.replace("’", "'")):
        yield from _of_word(word)
    if folded.isascii():
        return
    starts = _parts_by_start()
    for run in _PARTS.findall(folded):
        for at, sign in enumerate(run):
            for part, classes in starts.get(sign, ()):
                if run.startswith(part, at):
                    yield from classes


@functools.lru_cache(maxsize=50_000)
def _of_word(word: str) -> tuple[int, ...]:
    known = _known()
    stems = {word, *(word[:size] for size in range(_PREFIX, len(word)))}
    return tuple(sorted({number for stem in stems for number in known.get(stem, ())}))


@functools.cache
def _known() -> dict[str, tuple[int, ...]]:
    known: dict[str, tuple[int, ...]] = {}
    for number, words in enumerate(WORD_CLASSES.values()):
        for word in set(words.split()):
            known[word] = (*known.get(word, ()), number)
    return known


@functools.cache
def _parts_by_start() -> dict[str, list[tuple[str, tuple[int, ...]]]]:
    starts: dict[str, list[tuple[str, tuple[int, ...]]]] = {}
    for word, classes in _known().items():
        if _PARTS.fullmatch(word):
            starts.setdefault(word[0], []).append((word, classes))
    return starts


# -- n-grams -----------------------------------------------------------------------------------------
# An n-gram is a run of characters, or of words, in the folded text (``normalisation.template_of``). Its
# bucket comes from a polynomial of its characters modulo 2^64, so that all runs of a batch are hashed at
# once: with ``S`` the running sum of ``c[i] * P^i``, a run from a to b has the hash ``(S[b] - S[a]) * P^-a``,
# wherever it stands.

BUCKETS = 1 << 18
_BASE = 0x9E3779B97F4A7C15
_INVERSE = pow(_BASE, -1, 1 << 64)
_MIXER = 0xFF51AFD7ED558CCD
_CHARACTERS = (2, 3, 4, 5)
_MOST = 1_200
"""Characters of a block that are looked at."""
_MOST_HEADING = 200
_RECURRING = 3
"""Files from which on a heading is one that returns."""
_USUAL_HEADING = 3.0
"""The logarithm that stands for the length of a heading where there is none."""
_LAST_SIGN = 0x20000
_CJK = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_EMOJI = re.compile("[\u2600-\u27bf\U0001f300-\U0001faff]")


@frozen
class Line:
    """A block of a log as it is judged: its text, the heading that it stands under, and its file.

    ``spoken`` says that it is a sentence of a conversation, and no note; ``recurring`` that its heading
    returns in other files, as the parts of a daily report do.
    """

    text: str
    heading: str = ""
    path: str = ""
    spoken: bool = False
    recurring: bool = False


def recurring_headings(places: Collection[tuple[str, str]]) -> frozenset[str]:
    """Of the headings in ``places``, pairs of a heading and a path, those that stand in three files or more.

    They are told by their templates; one that begins with a number, mostly a date, is none.
    """
    places = frozenset(places)
    templates = {heading: template_of(heading[:_MOST_HEADING]) for heading, _ in places}
    files: dict[str, set[str]] = {}
    for heading, path in places:
        files.setdefault(templates[heading], set()).add(path)
    often = {name for name, paths in files.items() if name and name[0] != "0" and len(paths) >= _RECURRING}
    return frozenset(heading for heading, name in templates.items() if name in often)


def with_recurring(lines: Sequence[Line]) -> tuple[Line, ...]:
    """The lines of one memory, each told whether its heading returns in files of the others."""
    often = recurring_headings([(line.heading, line.path) for line in lines])
    return tuple(replace(line, recurring=line.heading in often) for line in lines)


@frozen
class Grams:
    """The n-grams of ``count`` lines: the line, the bucket and the value of each, in three (m,) arrays.

    Values are divided so that each field of a line has the same weight.
    """

    lines: Integers
    buckets: Integers
    values: Singles
    count: int

    def weighed(self, weights: Singles) -> Floats:
        """(n,) for each line the sum of its n-grams' values times their ``weights``, which are by bucket."""
        shares = (self.values * weights[self.buckets]).astype(np.float64)
        return np.bincount(self.lines, shares, minlength=self.count).astype(np.float64)

    def dense(self, width: int) -> Singles:
        """(n, width) float32: the n-grams of each line in fewer buckets, a power of two."""
        places = self.lines * width + (self.buckets & (width - 1))
        sums = np.bincount(places, weights=self.values, minlength=self.count * width)
        return sums.reshape(self.count, width).astype(np.float32)


@frozen
class Features:
    """What is seen of some lines. ``counts`` are (n, 55) float32 in order of ``NAMES``."""

    counts: Singles
    grams: Grams
    spoken: NDArray[np.bool_]
    """(n,) which of them are sentences of a conversation."""


@frozen
class _Field:
    salt: int
    characters: tuple[int, ...]
    words: tuple[int, ...]
    weight: float


FIELDS = (
    _Field(0x1B873593, _CHARACTERS, (), 1.0),
    _Field(0x2545F491, (), (1, 2), 1.0),
    _Field(0x3C6EF372, (3, 4), (1,), 0.7),
    _Field(0x5851F42D, (), (1,), 0.3),
)
"""Characters and words of the text, of its heading, and the words of its path."""


def features_of(lines: Sequence[Line]) -> Features:
    """The counts and the n-grams of all lines."""
    plain = [plain_words(line.text[:_MOST]) for line in lines]
    folded = [folded_words(words) for words in plain]
    fields = (
        folded,
        folded,
        [_heading(line.heading).folded for line in lines],
        [_path(line.path) for line in lines],
    )
    runs = [_runs(of, field) for of, field in zip(fields, FIELDS, strict=True)]
    of_line, buckets, values = map(np.concatenate, zip(*(run[:3] for run in runs), strict=True))
    counts = [tuple(_counts(*one)) for one in zip(lines, plain, folded, strict=True)]
    return Features(
        np.array(counts, np.float32).reshape(len(lines), len(NAMES)),
        Grams(of_line, buckets, values, len(lines)),
        np.array([line.spoken for line in lines], np.bool_),
    )


def word_grams(line: Line) -> Iterator[tuple[str, int, float]]:
    """Each word, and two words in a row, of a line's text: as they are folded, their bucket, their value."""
    text = template_of(line.text[:_MOST])
    seen: dict[int, float] = {}
    said: dict[int, str] = {}
    for _, bucket, value, first, last in zip(*_runs([text], FIELDS[1]), strict=True):
        seen[int(bucket)] = seen.get(int(bucket), 0.0) + float(value)
        said[int(bucket)] = f" {text} "[first:last]
    return ((said[bucket], bucket, value) for bucket, value in seen.items())


def _runs(texts: Sequence[str], field: _Field) -> tuple[Integers, Integers, Singles, Integers, Integers]:
    """The runs of one field of a batch: line, bucket and value of each, and where it begins and ends."""
    whole = "".join(f" {text} " for text in texts)
    code = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32).astype(np.uint64)
    powers, inverses = _powers(1 << len(code).bit_length())
    sums = np.zeros(len(code) + 1, np.uint64)
    np.cumsum((code + np.uint64(1)) * powers[: len(code)], out=sums[1:])
    of = np.repeat(np.arange(len(texts)), [len(text) + 2 for text in texts])
    first, last = _spans(code, of, field)
    hashes = (sums[last] - sums[first]) * inverses[first] + np.uint64(field.salt)
    hashes ^= hashes >> np.uint64(33)
    hashes *= np.uint64(_MIXER)
    hashes ^= hashes >> np.uint64(33)
    owner = of[first]
    runs_of = np.maximum(1, np.bincount(owner, minlength=len(texts)))
    values = (field.weight / np.sqrt(runs_of[owner])).astype(np.float32)
    return owner, (hashes & np.uint64(BUCKETS - 1)).astype(np.int64), values, first, last


def _spans(code: NDArray[np.uint64], of: Integers, field: _Field) -> tuple[Integers, Integers]:
    """Where the runs of a field begin and end in all signs; none goes over the end of its line."""
    starts = np.arange(len(of), dtype=np.int64)
    units = [(size, starts, starts + 1) for size in field.characters]
    if field.words:
        inside = np.concatenate(([False], _in_words()[np.minimum(code, _LAST_SIGN)]))
        edges = np.flatnonzero(inside[1:] != inside[:-1])
        units += [(size, edges[::2], edges[1::2]) for size in field.words]
    firsts, lasts = [], []
    for size, begins, ends in units:
        first, last = begins[: max(0, len(begins) - size + 1)], ends[size - 1 :]
        inside = of[first] == of[last - 1]
        firsts.append(first[inside])
        lasts.append(last[inside])
    return np.concatenate(firsts), np.concatenate(lasts)


@functools.cache
def _in_words() -> NDArray[np.bool_]:
    """For each sign whether it is part of a word, as ``\\w`` has it; for those above the last one, no."""
    return np.array([chr(sign).isalnum() or sign == ord("_") for sign in range(_LAST_SIGN)] + [False])


@functools.lru_cache(maxsize=4)
def _powers(count: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """``P^i`` and ``P^-i`` modulo 2^64 for i below ``count``."""
    factors = np.full((2, count), ((_BASE,), (_INVERSE,)), np.uint64)
    factors[:, 0] = 1
    powers, inverses = np.cumprod(factors, axis=1, dtype=np.uint64)
    return powers, inverses


# -- counts ------------------------------------------------------------------------------------------

_DONE = re.compile(r"\[[xX]\]|[✅✔☑✓]|~~")
_PAIR = re.compile(r"^\W*(?:\*\*)?[^\n:：=]{1,40}?(?:\*\*)?\s*[:：=](?:\*\*)?\s*\S")
_LABEL = re.compile(r"^\W*([^:：=→—–]{1,40}?)\s*[:：=→—–]")
_BOLD = re.compile(r"^\W*\*\*[^*]+\*\*")
_CLOCK = re.compile(r"\b\d{1,2}:\d\d\b")
_DIGIT = re.compile(r"\d")
_LETTERLESS = re.compile(r"[\W\d_]")
_CODE = re.compile(r"`[^`\n]+`")
_PLACE = re.compile(r"(?:^|[\s`(\"'：:])(?:~|\.{1,2})?/?(?:[\w.-]+/)+[\w.-]*")
_OWN_PLACE = re.compile(
    r"(?:^|[\s`(\"'：:])(?:~/|/(?:home|Users|root|opt|etc|var|srv|mnt|data|tmp|app)\b|[A-Z]:\\)"
)
_SOURCE_FILE = re.compile(
    r"\.(?:py|jsx?|tsx?|swift|rb|s?css|html|vue|go|rs|java|kt|php|c|cpp|h|erb|slim|ipynb)\b", re.IGNORECASE
)
_DATE = re.compile(r"\b20\d\d-\d\d|\b\d{1,2}[./]\d{1,2}[./](?:20)?\d\d|\d{1,2}月\d{1,2}[日号]")
_REFERENCE = re.compile(r"#\d+|\b[0-9a-f]{7,40}\b|\b\d{9,}\b", re.IGNORECASE)
_ITEM = re.compile(r"^\s*[-*+•]\s")
_CAPITAL = re.compile(r"(?<=[\w,;:] )[^\W\d_a-zà-öø-ÿа-я][\w’'-]+")
_EXCLAMATION = re.compile(r"[!！]\W*$")
_ADDRESSED = re.compile(
    r"^(?:[^\W\d_]{1,8},? )?[^\W\d_a-zà-öø-ÿа-я][\w’'-]+,\s|,\s[^\W\d_a-zà-öø-ÿа-я][\w’'-]+[.!?…]*\W*$"
)
"""A name that is called: before a comma at the beginning, or behind one at the end."""
_QUESTION = re.compile(r"[?？]\W*$")
_LOG = re.compile(r"(?:^|/)\d{4}-\d\d-\d\d[^/]+\.md$")

_FORMS = (
    "its length",
    "how usual its length is",
    "several lines",
    "digits",
    "few letters",
    "capitalised names",
    "emoji",
    "code spans",
    "an issue number or hash",
    "running text in a log",
    "a done mark",
    "a “key: value” form",
    "a bold lead-in",
    "a clock time",
    "a link",
    "a file path",
    "the length of its heading",
    "a heading with a clock time",
    "a log of one session",
    "a question",
    "an exclamation",
    "names of whom it is said to",
    "a place on the machine",
    "a file of source code",
    "a date",
    "a rule at its beginning",
    "a heading that returns",
)
_CLASSES = range(len(WORD_CLASSES))
_RULES = list(WORD_CLASSES).index("rules")
NAMES = (
    *_FORMS,
    *(f"words of {name}" for name in WORD_CLASSES),
    *(f"a heading or label of {name}" for name in WORD_CLASSES),
)
"""The plain counts, in their order, as "why" names them."""


def _counts(line: Line, plain: str, folded: str) -> Iterator[float]:
    """The counts of a line, in order of ``NAMES``; ``plain`` and ``folded`` are its words."""
    raw, heading = line.text[:_MOST], _heading(line.heading)
    some = max(1, len(plain))
    digits = len(_DIGIT.findall(plain))
    length = math.log1p(len(plain) if plain.isascii() else len(plain) + 1.5 * len(_CJK.findall(plain)))
    yield length
    yield (length - 4.5) ** 2
    yield min(3.0, math.log1p(plain.count("\n")))
    yield min(0.4, digits / some)
    yield len(_LETTERLESS.findall(plain)) > 0.5 * some
    yield min(4.0, len(_CAPITAL.findall(plain)))
    yield 0.0 if raw.isascii() else min(3.0, len(_EMOJI.findall(raw)))
    yield min(3.0, len(_CODE.findall(raw))) if "`" in raw else 0.0
    yield min(3.0, len(_REFERENCE.findall(raw))) if digits else 0.0
    yield line.path != "" and _ITEM.match(raw) is None
    for pattern in (_DONE, _PAIR, _BOLD):
        yield pattern.search(raw) is not None
    yield ":" in raw and _CLOCK.search(raw) is not None
    yield "https://" in raw or "http://" in raw
    yield "/" in raw and _PLACE.search(raw) is not None
    yield heading.length
    yield heading.has_clock
    yield _LOG.search(line.path) is not None
    yield _QUESTION.search(plain) is not None
    yield _EXCLAMATION.search(plain) is not None
    yield min(2.0, len(_ADDRESSED.findall(plain)))
    yield _OWN_PLACE.search(raw) is not None
    yield "." in raw and _SOURCE_FILE.search(raw) is not None
    yield digits > 0 and _DATE.search(raw) is not None
    yield _RULES in word_classes(" ".join(folded.split(maxsplit=2)[:2]))
    yield line.recurring
    said = list(word_classes(folded))
    label = _LABEL.search(folded)
    titled = heading.classes.union(word_classes(label[1])) if label else heading.classes
    yield from (min(2.0, said.count(number)) for number in _CLASSES)
    yield from (number in titled for number in _CLASSES)


@frozen
class _Heading:
    folded: str
    classes: frozenset[int]
    length: float
    has_clock: bool


@functools.lru_cache(maxsize=4_096)
def _heading(heading: str) -> _Heading:
    """What is seen of a heading: many lines stand under the same."""
    heading = heading[:_MOST_HEADING]
    folded = template_of(heading)
    return _Heading(
        folded=folded,
        classes=frozenset(word_classes(folded)),
        length=math.log1p(len(heading)) if heading else _USUAL_HEADING,
        has_clock=_CLOCK.search(heading) is not None,
    )


@functools.lru_cache(maxsize=4_096)
def _path(path: str) -> str:
    return template_of(path.replace("/", " ").replace("-", " ").replace("_", " "))
