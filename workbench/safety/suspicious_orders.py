"""Orders to an agent in a line of memory: run, fetch, follow, ignore, send, pay, in seven languages.

An order is a verb of a short table that meets an object of its kind: a command, an address, a secret, an
account, the agent's own answer or its rules. Most objects look the same in any language. How little is enough
depends on who speaks: what an agent notes for itself may well say `run make check`, a mail may not.
"""

from __future__ import annotations

import re
import unicodedata
from enum import Enum

from workbench.safety.prompt_injection import steers, without_cautions

_READ = 4_000
"""Characters that are looked at: an order that stands later is of a text nobody takes for one line."""


class _Verb(Enum):
    RUN = "run something"
    FETCH = "fetch something"
    FOLLOW = "follow what somebody else wrote"
    IGNORE = "leave its instructions"
    SEND = "send something away"
    PAY = "pay somebody"


_VERBS = {
    # English, German, French, Spanish, Russian; Chinese and Japanese together, as they part no words.
    _Verb.RUN: (
        "run running execute executing launch invoke install type paste enter call eval use",
        "führe führ führst führt führen ausführen auszuführen ausführst starte starten startest installiere"
        " installieren installierst rufe aufrufen gib eingeben verwende",
        "exécute exécutez exécuter lance lancez lancer installe installez installer tape tapez saisis saisissez"
        " utilise",
        "ejecuta ejecute ejecutar ejecutes ejecutas corre corra lanza lance lanzar instala instale instalar"
        " escribe pega usa",
        "запусти запустите запускай запускайте запускать запустить выполни выполните выполняй выполняйте"
        " выполнять выполнить установи установите установить введи введите вставь используй",
        "运行 執行 执行 启动 安装 输入 調用 调用 実行 起動 走らせ インストール 入力して",
    ),
    _Verb.FETCH: (
        "fetch download get open visit load read curl wget retrieve pull browse click",
        "lade lad laden herunterladen herunterzuladen hole hol holen abrufen abzurufen rufe öffne öffnen besuche"
        " besuchen lies lesen klicke klick",
        "récupère récupérez récupérer télécharge téléchargez télécharger ouvre ouvrez ouvrir visite visitez"
        " visiter consulte consultez charge chargez lis lisez clique cliquez va allez",
        "descarga descargue descargar abre abra abrir visita visite visitar obtén obtener consulta consulte"
        " lee lea carga haz",
        "скачай скачайте скачать скачивай загрузи загрузите загрузить загружай открой откройте открыть открывай"
        " перейди перейдите посети посетите прочитай прочитайте получи получите зайди зайдите",
        "下载 獲取 获取 抓取 打开 访问 訪問 读取 点击 取得 ダウンロード 開い 開く 開け アクセス 読み込",
    ),
    _Verb.FOLLOW: (
        "follow obey apply comply adopt do implement",
        "folge folgen befolge befolgen befolgst gehorche gehorchen tu tue tust mach",
        "suis suivez suivre obéis obéissez obéir applique appliquez appliquer respecte respectez fais faites",
        "sigue siga seguir sigas obedece obedezca obedecer aplica aplique cumple cumpla haz",
        "следуй следуйте следовать подчиняйся подчиняйтесь подчиняться соблюдай соблюдайте делай делайте"
        " выполни выполняй выполняйте выполните исполняй",
        "遵循 遵守 遵照 按照 服从 照做 照着 従っ 従い 従う 従え 守っ 遂行",
    ),
    _Verb.IGNORE: (
        "ignore disregard forget override bypass skip discard neglect drop",
        "ignoriere ignorier ignorieren ignorierst vergiss vergesst vergessen missachte umgehe übergehe verwirf",
        "ignore ignorez ignorer oublie oubliez oublier contourne contournez outrepasse",
        "ignora ignore ignorar ignores olvida olvide olvidar omite omita omitir descarta descarte",
        "игнорируй игнорируйте игнорировать проигнорируй забудь забудьте забыть отбрось обойди пренебреги",
        "忽略 无视 無視 忘记 忘掉 忘れ 绕过 不要理会 不要遵守",
    ),
    _Verb.SEND: (
        "send forward post upload mail email e-mail share transmit exfiltrate leak copy publish deliver reveal"
        " report",
        "sende senden sendest schicke schick schicken schickst leite weiterleiten weiterzuleiten poste lade"
        " hochladen hochzuladen übermittle teile verrate maile",
        "envoie envoyez envoyer transmets transmettez transmettre transfère transférez publie publiez partage"
        " partagez téléverse révèle révélez communique communiquez poste",
        "envía envíe enviar envíes manda mande mandar reenvía reenvíe reenviar sube suba comparte comparta publica"
        " revela revele transmite",
        "отправь отправьте отправлять отправить отправляй отправляйте перешли перешлите пересылай переслать"
        " вышли вышлите пошли пришли загрузи передай передайте поделись выложи раскрой сообщи",
        "发送 發送 发给 发到 转发 上传 提交到 泄露 寄给 分享 送っ 送信 送れ 送る 転送 アップロード 共有 教え",
    ),
    _Verb.PAY: (
        "pay transfer wire send buy purchase donate remit settle top",
        "zahle zahl zahlen bezahle bezahlen überweise überweisen überweist kaufe kaufen spende begleiche",
        "paie paye payez payer verse versez verser vire virez virer achète achetez transfère transférez règle"
        " réglez",
        "paga pague pagar transfiere transfiera transferir abona abone compra compre comprar dona ingresa gira",
        "оплати оплатите оплатить оплачивай заплати заплатите плати переведи переведите перевести переводи купи"
        " купите перечисли перечислите",
        "支付 付款 转账 轉帳 汇款 匯款 购买 打款 支払 振り込 振込 送金 購入",
    ),
}

_WORDS = re.compile(r"(?<![\w-])(?:e-mail(?!\w)|\w+)")
_VERBS_OF: dict[str, set[_Verb]] = {}
"""The verbs of each word, in scripts that part them."""
for _verb, _languages in _VERBS.items():
    for _word in " ".join(_languages[:-1]).split():
        _VERBS_OF.setdefault(_word, set()).add(_verb)
_UNPARTED = {verb: re.compile("|".join(languages[-1].split())) for verb, languages in _VERBS.items()}
"""In scripts that part no words any place will do."""


def _verbs_in(low: str) -> set[_Verb]:
    found = set().union(*(_VERBS_OF[word] for word in _VERBS_OF.keys() & set(_WORDS.findall(low))))
    if not low.isascii():
        found |= {verb for verb, pattern in _UNPARTED.items() if pattern.search(low)}
    return found


_ADDRESS = re.compile(
    r"(?:https?|hxxps?|ftp)://\S|\bwww\.\w|(?<![\w@./-])[\w-]{1,60}\.(?:com|net|org|io|ru|cn|jp|xyz|site|top|zip|info|biz"
    r"|example|invalid|test|sh|dev|app|co)(?:/\S|(?![\w.@-]))"
)
_LINK = re.compile(r"\b(?:link|url|enlace|lien|ссылк\w*|адрес\w*)\b|链接|リンク|网址")
_MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}\.\w")
_COMMAND = re.compile(
    r"`[^`\n]{2,300}`|(?<![\w.-])(?:curl|wget|bash|zsh|powershell|iex|sudo|chmod|chown|rm -\w+|eval|base64|npx|npm|pip3?"
    r"|python3?|node|perl|nc|netcat|ssh|scp|crontab|docker|git push)(?![\w-])(?=\s+[\w\"'$./~-]|\s*$)"
    r"|\|\s*(?:sudo )?(?:ba|z|da)?sh\b"
    r"|\b(?:command|script|shell|terminal|program|binary|code|befehl\w*|skript\w*|programm\w*|commande\w*|script\w*"
    r"|comandos?|programas?|команд\w*|скрипт\w*|программ\w*|код)\b"
    r"|命令|脚本|程序|终端|コマンド|スクリプト|プログラム|シェル"
)
_PIPED = re.compile(
    r"(?:curl|wget|iwr|fetch)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:(?:ba|z|da)?sh|python3?|perl|node|iex)\b"
    r"|(?:ba|z|da)?sh\s+(?:-c\s+[\"']?\$\(|<\()\s*(?:curl|wget)\b"
)
_SECRET = re.compile(
    r"\b(?:passwords?|passphrases?|credentials?|tokens?|(?:api|ssh|private|secret|access)[ -]?keys?|seed phrase|secrets?|cookies"
    r"|passw[oö]rt\w*|kennw[oö]rt\w*|zugangsdaten|schlüssel\w*|anmeldedaten"
    r"|mots? de passe|identifiants?|clés?(?: \w+)?|jetons?"
    r"|contraseñas?|credenciales|claves?|парол\w*|токен\w*|ключ\w*|учётны\w*|учетны\w*)\b"
    r"|(?<!\w)\.env\b|id_rsa|id_ed25519|\.ssh\b|密码|密碼|密钥|密鑰|令牌|凭证|凭据|私钥"
    r"|パスワード|秘密鍵|認証情報|トークン|鍵"
)
_STORE = re.compile(
    r"\b(?:memory\.md|memory files?|(?:chat|conversation|message) (?:history|log)s?|conversations?|inbox|mailbox|address book"
    r"|contacts|customer (?:list|data)|(?:all|every|the|any) (?:files?|notes?|e-?mails?|memor\w+|documents?|logs?|data)"
    r"|alle (?:dateien|notizen|mails|daten|unterhaltungen)|gespräch\w*|unterhaltung\w*|gedächtnis\w*|speicher\w*"
    r"|tous les (?:fichiers|messages|courriels)|toutes les \w+|mémoire|conversation\w*|historique"
    r"|todos los (?:archivos|mensajes|correos)|todas las \w+|memoria|conversaci\w+|historial"
    r"|все (?:файлы|письма|заметки|данные|сообщения)|всю \w+|память|памяти|переписк\w*|истори\w+)\b"
    r"|所有(?:文件|邮件|笔记|数据)|全部\w|记忆|对话|聊天记录|通讯录|すべての|全ての|全部の|記憶|会話|履歴|メモリ"
)
_ACCOUNT = re.compile(
    r"\b[a-z]{2}\d{2}(?: ?[\da-z]{4}){3,8}|\b0x[\da-f]{12,}|\bbc1[\da-z]{10,}"
    r"|\b(?:iban|bitcoins?|btc|eth(?:ereum)?|usdt|crypto|wallets?|gift cards?|account (?:number|no)|bank account"
    r"|paypal|wallet-?adresse|konto\w*|rechnung\w*|gutschein\w*|compte|facture\w*|portefeuille\w*|virement"
    r"|cuentas?|factura\w*|cartera|billetera|счёт\w*|счет\w*|кошел\w*|карт[уы])\b"
    r"|\b(?:the|this|an?|our) (?:\w+ )?(?:invoice|fee|fine|bill)\b"
    r"|[€$£¥₽]\s?\d|\d[\d.,]*\s?(?:€|\$|£|¥|₽|euros?|dollars?|usd|eur|руб\w*|元|円|人民币|ドル)"
    r"|账户|账号|帐户|钱包|比特币|发票|口座|ウォレット|ビットコイン|請求書|礼品卡|ギフト"
)
_ANSWER = re.compile(
    r"\b(?:before|prior to|after|when|whenever|while|with|in|to) (?:you |your |each |every |any |all |the |giving )*(?:answer|repl|respon)\w*"
    r"|\bbefore you (?:do|say|continue|start)\b|\bwithout (?:asking|telling)\b"
    r"|\b(?:bevor|ehe|vor|nach|wenn|in) (?:du |sie |ihr |der |jeder |deiner |einer |jede |dem )*(?:\w+ )?(?:antwort\w*|beantwort\w*)"
    r"|\b(?:avant|après) (?:de |d['’]|chaque |toute |ta |votre |que )*(?:tu |vous )?(?:répon\w+|réponse)"
    r"|\b(?:antes|después) de (?:cada |tu |su |la )?(?:respond\w+|contest\w+|respuesta)"
    r"|\b(?:перед|до|после|прежде) (?:чем |каждым |каждого |тем,? как |своим |своего |любым )*(?:ответ\w*|отвеча\w*)"
    r"|(?:回答|回复|答复|答覆|回覆)(?:任何|所有|用户|用戶|问题)*(?:之前|前|之后|后)|在(?:回答|回复|答复)|(?:回答|返答|返信|応答)\w{0,6}(?:前|後)|答える前"
)
_RULES = re.compile(
    r"\b(?:previous|prior|earlier|above|preceding|existing|all|any|your|my|system|the)\b[^.!?\n]{0,30}?"
    r"\b(?:instructions?|prompts?|rules?|guidelines?|directions?|orders?|restrictions?|safeguards?|training)\b"
    r"|\b(?:anweisung\w*|instruktion\w*|regeln?|vorgaben?|befehle?|richtlinien?|systemprompt)\b"
    r"|\b(?:instructions?|consignes?|règles?|directives?|ordres?)\b"
    r"|\b(?:instrucci\w+|reglas?|órdenes|directrices|indicaciones)\b"
    r"|\b(?:инструкци\w+|правил\w*|указани\w+|команд\w*|приказ\w*|предписани\w+)\b"
    r"|指令|指示|规则|規則|ルール|命令|提示词|プロンプト|说明|手順"
)
_EARLIER = re.compile(
    r"\b(?:previous|prior|earlier|above|preceding|all|any|your|system|bisherig\w*|vorherig\w*|früher\w*|alle\w*|deine\w*"
    r"|obig\w*|précédent\w*|antérieur\w*|toutes|tous|tes|vos|anterior\w*|previas?|previos?|todas|todos|tus|sus"
    r"|предыдущ\w*|прежн\w*|все|всех|свои|твои|прошл\w*|ранее)\b"
    r"|之前|以前|先前|上述|所有|一切|全部|此前|これまで|すべて|全て|上記|前の"
)
_THERE = re.compile(
    r"\b(?:them|it|that|there|page|link|file|site|whatever|what it says|darin|dort|ihnen|seite|datei|diesen|y|les|page|fichier"
    r"|ellas|ellos|allí|página|archivo|las|там|ним|ему|страниц\w*|файл\w*|написан\w*|указан\w*)\b|其中|里面|上面|页面|そこ|それ|ページ|内容|记载"
)
_MUST = re.compile(
    r"\b(?:you|du|sie|tu|vous|usted|ты|вы)\b|\b(?:always|never|must|should|please|now|immediately|first|then|immer|musst|müssen"
    r"|bitte|sofort|soll\w*|toujours|devez|dois|doit|svp|veuillez|immédiatement|siempre|debes?|debe|tiene\w*|por favor"
    r"|всегда|должен|должны|обязан\w*|нужно|надо|пожалуйста|немедленно|сначала)\b"
    r"|必须|必須|务必|一定|请|总是|始终|应该|立即|必ず|常に|ください|下さい|なさい|しろ|せよ|べき|ねば|こと$"
)
_FAR = re.compile(
    r"(?:https?|hxxps?|ftp)://(?!(?:localhost|127\.|10\.|192\.168\.|\[::1))[^\s`\"']{1,300}\.(?:sh|py|ps1|exe|bin|bat|js|pl|rb)\b"
)
"""A script that lies on somebody else's machine."""
_FIRST_PERSON = re.compile(
    r"\W{0,6}(?:i|we|i['’](?:ve|ll|m|d)|ich|wir|je|j['’]\w+|nous|yo|nosotros|я|мы|我们?|私)(?![\w-])"
)
"""Who says `I` tells what was done, and orders nobody."""


def suspicion(text: str, origin: str) -> str | None:
    """Why ``text`` of this origin (``owner``, ``agent``, ``external``, ``unknown``) waits for a person, marked, and does nothing until then; else None.

    It gives an agent an order, or imitates what only a program says to it. An agent's own log may hold what the
    owner wants it to ask about.
    """
    return order_in(text, origin) or steers(without_cautions(text) if origin == "agent" else text)


def order_in(text: str, origin: str) -> str | None:
    """What ``text`` orders an agent to do, for a person to read; None where it orders nothing suspicious.

    The owner gives orders as they like. An agent's own notes are suspected only where the object is a danger
    by itself. Of everybody else an order that an agent could carry out is enough.
    """
    if origin == "owner":
        return None
    low = unicodedata.normalize("NFKC", text[:_READ]).casefold()
    if ("|" in low or "(" in low) and _PIPED.search(low):
        return "orders an agent to run what it fetches"
    verbs = _verbs_in(low)
    if not verbs:
        return None
    if origin == "agent":
        low = without_cautions(low)
    found = _dangerous(low, verbs)
    if found is None and origin != "agent" and not _FIRST_PERSON.match(low):
        found = _doubtful(low, verbs)
    return f"orders an agent to {found.value}" if found else None


def _dangerous(low: str, verbs: set[_Verb]) -> _Verb | None:
    """Orders that no agent notes for itself."""
    if _Verb.IGNORE in verbs and _RULES.search(low) and _EARLIER.search(low):
        return _Verb.IGNORE
    if _Verb.FOLLOW in verbs and _ADDRESS.search(low) and _RULES.search(low):
        return _Verb.FOLLOW
    if {_Verb.FETCH, _Verb.FOLLOW} <= verbs and _away(low) and (_THERE.search(low) or _RULES.search(low)):
        return _Verb.FOLLOW
    if _ANSWER.search(low) and (_ADDRESS.search(low) or _SECRET.search(low)):
        return next(verb for verb in _Verb if verb in verbs)
    is_sent = _Verb.SEND in verbs and _away(low)
    if is_sent and (_SECRET.search(low) or (_MUST.search(low) and _STORE.search(low))):
        return _Verb.SEND
    if _Verb.RUN in verbs and _FAR.search(low):
        return _Verb.RUN
    return None


def _away(low: str) -> re.Match[str] | None:
    return _ADDRESS.search(low) or _MAIL.search(low)


def _doubtful(low: str, verbs: set[_Verb]) -> _Verb | None:
    """Orders that are suspicious for who gives them."""
    away = bool(_ADDRESS.search(low) or _LINK.search(low))
    secret, answer, rules = _SECRET.search(low), _ANSWER.search(low), _RULES.search(low)
    meets = {
        _Verb.IGNORE: rules,
        _Verb.RUN: _COMMAND.search(low) or away or answer,
        _Verb.FOLLOW: rules or away,
        _Verb.SEND: _MAIL.search(low) or away or secret or _STORE.search(low),
        _Verb.PAY: _ACCOUNT.search(low),
        _Verb.FETCH: away or answer or secret,
    }
    return next((verb for verb, met in meets.items() if verb in verbs and met), None)
