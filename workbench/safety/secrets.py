"""Secrets in a text: keys, tokens and passwords, known by the form that their issuers gave them.

Each rule names where its form is described. No rule puts a condition behind an unbounded repetition, so the
time is linear in the length of the text, whoever wrote it. Placeholders are left out.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from workbench.frozen import frozen
from workbench.safety.terminal import visible_line

# -- what was found in a text that a person should see before it is trusted or recorded --------------


@frozen
class TextFinding:
    """A place in a text: characters ``start`` up to, not including, ``end``, and the rule that named it.

    ``shown`` is fit to be shown: a secret masked to its ends, hidden text made visible. A finding is a
    hint with its evidence, never a verdict.
    """

    rule: str
    start: int
    end: int
    shown: str

    def __str__(self) -> str:
        return f"{self.rule}: {self.shown}"

    def line(self, text: str) -> int:
        """The line of ``text`` on which it begins, from 1."""
        return text.count("\n", 0, self.start) + 1


def by_rule(findings: Iterable[TextFinding]) -> tuple[str, ...]:
    """One line a rule, in the order of the text: its name, how often, and the first thing it found."""
    grouped: dict[str, list[TextFinding]] = {}
    for finding in findings:
        grouped.setdefault(finding.rule, []).append(finding)
    return tuple(
        f"{rule}{f' ({len(group)} times)' if len(group) > 1 else ''}: {group[0].shown}"
        for rule, group in grouped.items()
    )


# -- the rules ---------------------------------------------------------------------------------------

_LONG = 11
"""Characters of the shortest value without a blank that a rule matches, with what must stand before it."""
_KEY_SEARCH = 20_000
"""Characters after the first line of a private key in which its last line is looked for."""


@frozen
class _Rule:
    """``hints``: without one of these (in lower case) in the text, the pattern cannot match.

    ``is_word``: what it matches has no blank in it, and at least ``_LONG`` characters.

    The pattern's group ``v`` is the secret itself. ``known`` counts its first characters that are the
    same for everybody. ``bits`` is the least entropy of the secret, in bits a character.
    """

    name: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    known: int
    bits: float
    is_word: bool


def _rule(
    name: str, hints: str, pattern: str, *, known: int = 4, bits: float = 2.5, is_word: bool = True
) -> _Rule:
    return _Rule(name, tuple(hints.split()), re.compile(pattern), known, bits, is_word)


_START = r"(?<![A-Za-z0-9_])"
_MARKS = r"[\"'`*_]{0,3}"
_STOPS = r"\s\"'`<,;\u3001-\u30ff\u3400-\u9fff\uac00-\ud7af"
_VALUE = rf"(?P<v>[^{_STOPS}>][^{_STOPS}]{{6,198}}[^{_STOPS}>.:!?)*_])"
"""What somebody chose or drew, up to a blank, a quotation mark or a word of a script without blanks."""
_SPOKEN = (
    r"(?:\b(?:passwor[dt]|passphrase|kennwort|contraseña|mot de passe|senha|пароль|hasło|wachtwoord"
    r"|kata sandi|mật khẩu)\b|密[码碼]|口令|パスワード|비밀번호)"
)
_SPOKEN_HINTS = (
    "passwor passphrase kennwort contraseña passe senha парол hasło wachtwoord sandi khẩu 密码 密碼 口令"
    " パスワード 비밀번호"
)
_ACCOUNT = r"(?P<handle>@)?+[\w.@+-]{1,60}[ \t\"'`*_]{1,6}[/|][ \t\"'`*_]{1,6}(?(handle)(?![*_]*@))" + _VALUE
"""`root / …`: whom one is, and the password behind a stroke; `@anna / @bob` are two people."""
_IS = (
    r"(?:is|was|ist|war|lautet|es|est|é|to|là|adalah)\b"
    r"(?: (?:now|jetzt|nun|ahora|maintenant|désormais|agora|teraz|nu)\b)?"
    r"|(?:sekarang|теперь|(?:cambi|restableci|actualiz)\w+ a|(?:changé|réinitialisé|modifié)e? (?:en|à|par)"
    r"|(?:alterad|redefinid|mudad)[ao] para|(?:сброш|измен|смен|установл|обновл)\w+ на"
    r"|(?:zmieni|zresetow|ustawi)\w+ na|(?:gewijzigd|veranderd|gereset) (?:in|naar)"
    r"|(?:diubah|direset|diganti) (?:menjadi|ke)|(?:đổi|đặt lại) thành)\b"
    r"|wurde (?:auf|in|zu)\b(?=[ \t]\S+ (?:zurück)?ge(?:setzt|ändert)\b)"
)
"""What stands between the word and the password, where somebody says what it is or became."""
_RULES = (
    # RFC 7468 and RFC 4716 (“-----BEGIN ... PRIVATE KEY-----”), RFC 9580 for OpenPGP blocks. A header
    # without a body is only somebody writing about keys.
    _rule(
        "private key",
        "-----begin",
        r"(?P<v>-----BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
        r"(?:[\s>]|\\[nr]){0,12}(?:[A-Za-z][A-Za-z-]{1,30}: [^\n]{0,120}\n[\s>]{0,4}){0,4}"
        r"[A-Za-z0-9+/=]{24,80})",
        known=27,
        is_word=False,
    ),
    # age-encryption.org/v1: Bech32 with the prefix AGE-SECRET-KEY-.
    _rule("age key", "age-secret-key-1", _START + r"(?P<v>AGE-SECRET-KEY-1[A-Z0-9]{58})", known=16),
    # AWS IAM user guide, “Unique identifiers”: the prefixes; the rest is base 32.
    _rule(
        "AWS access key",
        "akia asia abia acca",
        _START + r"(?P<v>(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16})(?![A-Za-z0-9])",
    ),
    # AWS CLI user guide, “Configuration and credential file settings”: 40 characters of base 64.
    _rule(
        "AWS secret key",
        "secret",
        r"(?i:secret_?access_?key|aws_?secret_?key)[\"'`]{0,2}[ \t]{0,3}[:= \t]{1,3}[\"'`]{0,2}"
        r"(?P<v>[A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=])",
        known=0,
        bits=3.5,
        is_word=False,
    ),
    # GitHub docs, “About authentication to GitHub”, token formats; up to 255 characters by its changelog.
    _rule(
        "GitHub token",
        "ghp_ gho_ ghu_ ghs_ ghr_ github_pat_",
        _START + r"(?P<v>gh[pousr]_[A-Za-z0-9]{36,251}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59})",
    ),
    # GitLab docs, “Token overview”, token prefixes.
    _rule(
        "GitLab token",
        "glpat- gldt- glrt- glptt- glft- glsoat- glcbt- glimt- glagent- gloas-",
        _START + r"(?P<v>gl(?:pat|dt|rt|ptt|ft|soat|cbt|imt|agent|oas)-[A-Za-z0-9_-]{20,300})",
        known=6,
    ),
    # Anthropic: the prefix names the kind and generation of a key; secretlint and gitleaks agree on it.
    _rule(
        "Anthropic key",
        "sk-ant-",
        _START + r"(?P<v>sk-ant-(?:api|admin|oat|ort|sid)[0-9]{2}-[A-Za-z0-9_-]{60,200})",
        known=12,
    ),
    # OpenAI: “T3BlbkFJ” is base 64 of “OpenAI”; older keys are 48 letters and digits, and other services
    # took the form over. Described by gitleaks, detect-secrets and secretlint.
    _rule(
        "API key",
        "sk-",
        _START + r"(?P<v>sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,220}|(?:or-v1-)?[A-Za-z0-9]{32,128}))",
        known=3,
        bits=3.0,
    ),
    # Slack docs, “Tokens” and “Sending messages using incoming webhooks”.
    _rule(
        "Slack token",
        "xox xapp-",
        _START + r"(?P<v>xox[abeoprs]-[0-9][0-9A-Za-z-]{15,250}"
        r"|xapp-[0-9]-[A-Z0-9]{8,20}-[0-9]{8,20}-[0-9a-f]{32,80})",
        known=5,
    ),
    _rule(
        "Slack webhook",
        "hooks.slack.com/",
        r"(?P<v>hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9/]{20,120})",
        known=15,
        bits=3.5,
    ),
    # Google Cloud docs, “Manage API keys” (AIza and 35 characters) and OAuth 2.0 client secrets.
    _rule(
        "Google key",
        "aiza gocspx-",
        _START + r"(?P<v>AIza[A-Za-z0-9_-]{35}|GOCSPX-[A-Za-z0-9_-]{28})(?![A-Za-z0-9_-])",
        bits=3.0,
    ),
    # Stripe docs, “API keys” and “Verify webhook signatures”.
    _rule(
        "Stripe key",
        "k_live_ k_test_ whsec_",
        _START + r"(?P<v>[sr]k_(?:live|test)_[A-Za-z0-9]{16,247}|whsec_[A-Za-z0-9+/]{32,128})",
        known=8,
    ),
    # Telegram Bot API, “Authorizing your bot”: the bot's number, a colon, 35 characters.
    _rule(
        "Telegram bot token",
        ":aa",
        r"(?<![0-9A-Za-z])(?:bot)?(?P<v>[0-9]{8,10}:AA[A-Za-z0-9_-]{33})(?![A-Za-z0-9_-])",
        known=0,
        bits=3.5,
    ),
    # npm docs, “About access tokens”; the format was announced with GitHub's.
    _rule("npm token", "npm_", _START + r"(?P<v>npm_[A-Za-z0-9]{36})(?![A-Za-z0-9])"),
    # PyPI's help on API tokens: a macaroon, whose first bytes always read the same in base 64.
    _rule(
        "PyPI token",
        "pypi-ageichlwas5vcmc",
        _START + r"(?P<v>pypi-AgEIcHlwaS5vcmc[A-Za-z0-9_-]{50,500})",
        known=5,
    ),
    # Hugging Face docs, “User access tokens”.
    _rule(
        "Hugging Face token",
        "hf_",
        _START + r"(?P<v>hf_[A-Za-z0-9]{34,40})(?![A-Za-z0-9])",
        known=3,
        bits=3.0,
    ),
    # The prefixes that these issuers document for GitHub's secret scanning (“Supported secret scanning
    # patterns”): SendGrid, DigitalOcean, Shopify, Databricks, Linear, Notion, Groq, xAI, Perplexity,
    # Replicate, HashiCorp Vault, Doppler, Supabase, Grafana, Figma, Netlify, Postman, Atlassian.
    _rule(
        "service token",
        "sg. dop_v1_ doo_v1_ dor_v1_ shpat_ shpss_ shpca_ shppa_ dapi lin_api_ ntn_ gsk_ xai- pplx- r8_"
        " hvs. hvb. dp.pt. dp.st. sbp_ glsa_ figd_ nfp_ pmak- atatt3",
        _START + r"(?P<v>SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}|do[opr]_v1_[0-9a-f]{64}"
        r"|shp(?:at|ss|ca|pa)_[0-9a-fA-F]{32}|dapi[0-9a-f]{32}(?:-[0-9])?|lin_api_[A-Za-z0-9]{40}"
        r"|ntn_[A-Za-z0-9]{46}|gsk_[A-Za-z0-9]{52}|xai-[A-Za-z0-9]{80}|pplx-[A-Za-z0-9]{48}|r8_[A-Za-z0-9]{37}"
        r"|hv[sb]\.[A-Za-z0-9_-]{24,300}|dp\.(?:pt|st)\.[A-Za-z0-9._-]{40,60}|sbp_[0-9a-f]{40}"
        r"|glsa_[A-Za-z0-9]{32}_[0-9a-fA-F]{8}|figd_[A-Za-z0-9_-]{40}|nfp_[A-Za-z0-9]{36}"
        r"|PMAK-[0-9a-f]{24}-[0-9a-f]{34}|ATATT3[A-Za-z0-9_=-]{100,250})(?![A-Za-z0-9])",
        known=3,
        bits=3.0,
    ),
    # RFC 7519: two JSON objects and a signature in base 64; `{"` is always `eyJ`.
    _rule(
        "JSON web token",
        "eyj",
        r"(?<![A-Za-z0-9_-])(?P<v>eyJ[A-Za-z0-9_-]{10,}+\.eyJ[A-Za-z0-9_-]{10,}+\.[A-Za-z0-9_-]{16,}+)",
        known=3,
        bits=3.5,
    ),
    # RFC 3986, user information: a password before the host.
    _rule(
        "password in a URL",
        "://",
        r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@\"'<>`]{0,100}:(?P<v>[^\s:/@\"'<>`]{3,200})"
        r"@[A-Za-z0-9\[]",
        known=0,
        bits=0.0,
    ),
    # RFC 6750: a bearer token.
    _rule(
        "bearer token",
        "bearer",
        r"(?i:\bbearer)[ \t]{1,3}(?P<v>[A-Za-z0-9._~+/-]{20,500})",
        known=0,
        bits=3.3,
        is_word=False,
    ),
    # The keyword lists of detect-secrets (KeywordDetector) and gitleaks (generic-api-key), in short, and what
    # a key is called in other languages. What a program draws begins with no mark: that is somebody's name,
    # or a place in a page.
    _rule(
        "password or key",
        "passw passphrase pwd secret token key credential ключ токен schlüssel clé clave chave klucz sleutel"
        " kunci khóa 密钥 密鑰 金鑰 令牌 キー トークン 키 토큰",
        r"(?i:passw(?:or)?d|passphrase|pwd|secret|credential|(?P<drawn>token|токен|令牌|トークン|토큰"
        r"|(?:api|access|auth|private|account)"
        r"[_ -]?key|api[_ -]?(?:ключ|schlüssel|sleutel|密[钥鑰]|金鑰|キー|키)|(?:ключ|clé|clave|chave|klucz"
        r"|kunci|khóa)(?: de| d[’'])?(?: l[’'])? ?api)|secret[_ -]?key)(?:_?\d{1,2})?"
        rf"{_MARKS}(?:[ \t]\([^()\n]{{0,40}}\))?[ \t]{{0,3}}(?::=|=>|[:=：])"
        rf"[ \t\"'`*_]{{0,6}}(?(drawn)(?![*_]*[&@#!])){_VALUE}",
        known=0,
        bits=0.0,
        is_word=False,
    ),
    # The same as people say it: `the password of the shop is …`, `Passwort vom Shop: …`.
    _rule(
        "spoken password",
        _SPOKEN_HINTS,
        rf"(?i:{_SPOKEN})(?:[ \t][\w.@+-]{{1,40}}){{0,6}}?[ \t\"'`*_]{{0,6}}(?:[:=：]|(?i:[ \t](?:{_IS}))"
        r"|已?(?:重置|重設|更改|修改|改|设置|更新|现在|現在)?[は是为為成]|[은는]|を(?=[^\n]{1,60}に(?:変更|設定|リセット))"
        r"|[을를](?=[^\n]{1,60}로 (?:변경|재설정|바꾸)))"
        rf"[ \t\"'`*_:]{{0,6}}(?![^\W\d_]+\s){_VALUE}(?=です|だ|に|입니다|으?로|[\W_]|\Z)",
        known=0,
        bits=0.0,
        is_word=False,
    ),
    _rule(
        "login",
        "ssh ftp rdp vnc login credential логин доступ",
        r"(?i:\b(?:ssh|s?ftp|rdp|vnc|logins?|credentials?|логин|доступ)\b)"
        rf"{_MARKS}[ \t]{{0,3}}[:=][ \t\"'`*_]{{0,6}}{_ACCOUNT}",
        known=0,
        bits=0.0,
        is_word=False,
    ),
    _rule(
        "user and password",
        "user benutzer utilisateur usuario usuário пользователь użytkownik gebruiker pengguna người"
        f" 用户 用戶 ユーザー 사용자 {_SPOKEN_HINTS}",
        r"(?i:\b(?:user(?:[_ ]?name)?|benutzer(?:name)?|utilisateur|usu[aá]rio|пользователь|użytkownik"
        rf"|gebruiker|pengguna|người dùng)\b|用[户戶]名?|ユーザー名?|사용자|{_SPOKEN})"
        rf"{_MARKS}[ \t]{{0,3}}[:=：][ \t\"'`*_]{{0,6}}{_ACCOUNT}",
        known=0,
        bits=0.0,
        is_word=False,
    ),
    # `anna@mill.example/…`: a path has more parts, or words.
    _rule(
        "user and password",
        "@",
        r"(?<![\w.+-])[\w.+-]{1,60}@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}[ \t\"'`*_]{0,6}/[ \t\"'`*_]{0,6}"
        rf"(?=[^\s/]+(?:\s|\Z)){_VALUE}",
        known=0,
        bits=0.0,
        is_word=False,
    ),
    # `10.20.30.40 root/…`: behind an address a stroke needs no blanks.
    _rule(
        "login",
        "/",
        r"(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?[\"'`*_]{0,3}[,:]?[ \t]{1,3}[\"'`*_]{0,3}"
        rf"[\w.@+-]{{2,60}}/(?=[^\s/]+(?:\s|\Z)){_VALUE}",
        known=0,
        bits=0.0,
        is_word=False,
    ),
)
_JUDGED = (
    "password in a URL",
    "bearer token",
    "password or key",
    "spoken password",
    "login",
    "user and password",
)
"""Rules whose form says little, so that the value has to look like a secret itself."""
_PLACEHOLDER = re.compile(
    r"(?i)example|placeholder|redacted|removed|changeme|change-me|your|dummy|sample|insert|xxx|\*\*\*|\.\.\."
    r"|…|todo|hidden|masked|password|passwd|s3cr3t$|^generate(?:[_-][a-z]+)+$|^(?:secret|token|key)[_-]abc123$"
    r"|^(?:generate|put|paste|enter|add|key|token|secret)(?:[_-][a-z]+){0,6}[_-]here(?:[_-](?:[a-z]+|\d{1,3})){0,4}$"
)
_MOST_REPEATED = 100
"""Different secrets of a text that are looked for elsewhere in it."""
_ELIDED = re.compile(r"\.\.\.|…")
"""Behind a value it says that only the beginning is written down."""
_WHOLE = 24
"""Characters from which a value that is judged is no mere beginning, whatever stands behind it."""
_TEMPLATE = re.compile(
    r"[$%{(\[<]|[&@#!](?!\S*\d)|[^\s]*(?:\(|\{\{|\$\{|://|\[\w-\w)|~?/[^\s/]+/|[A-Za-z]:\\|arn:|0x[0-9a-fA-F]{40}$"
)
_NAME_OF_SOMETHING = re.compile(
    r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"  # a UUID
    r"|[^\s]*\.[A-Za-z]{1,5}(?:[#:][^\s]*)?"  # a file, a host, an attribute
    r"|[0-9./:T+-]+Z?"  # a date, a time, a version
    r"|(?:[A-Za-z]+[0-9]{0,2}[-_./:+])+[A-Za-z]*[0-9]{0,2}"  # words and counts: staging-db-2
    r"|(?:[\w.-]*/)*(?:[a-z]+[_-])+(?:ed25519|ecdsa|rsa|dsa)"  # the file of a key
    r"|[A-Z]+[0-9]{0,2}(?:_[A-Z]+[0-9]{0,2})+="  # a variable of the environment, before its value
)
_PRODUCT = re.compile(r"[A-Za-z]+-?[0-9.]+[A-Za-z]{0,3}(?:-[a-z]+)?")
"""What stands behind a stroke as often as a password: a program with its version."""


def secrets_in(text: str) -> tuple[TextFinding, ...]:
    """What looks like a secret in ``text``, in the order of the text; no two overlap.

    The rules are tried from the most telling to the least: a value that fits two is named by the first.
    """
    # Most words are short: what holds no blank is looked for in the others first.
    words = " ".join([word for word in text.split() if len(word) >= _LONG])
    low, low_words = text.lower(), words.lower()
    found: list[tuple[int, int, TextFinding]] = []
    for order, rule in enumerate(_RULES):
        hinted = low_words if rule.is_word else low
        if any(hint in hinted for hint in rule.hints) and (not rule.is_word or rule.pattern.search(words)):
            for match in _matches(rule, text, low):
                value = match["v"].rstrip(".")  # the dots behind it fit some of the rules
                is_whole = rule.name not in _JUDGED or len(value) >= _WHOLE
                is_elided = not is_whole and _ELIDED.match(text, match.start("v") + len(value))
                if not is_elided and _looks_real(rule, value):
                    found.append((match.start("v"), order, _finding(rule, text, match)))
    # What is a password on one line is one wherever it stands.
    values = {text[one.start : one.end]: one for _, _, one in found if one.rule in _JUDGED}
    certain = [value for value in values if _is_random(value) and not _PRODUCT.fullmatch(value)]
    for value in certain[:_MOST_REPEATED]:
        for again in re.finditer(rf"(?<!\w){re.escape(value)}(?!\w)", text):
            found.append(
                (again.start(), len(_RULES), replace(values[value], start=again.start(), end=again.end()))
            )
    kept: list[TextFinding] = []
    for _, _, finding in sorted(found, key=lambda item: item[:2]):
        if not kept or finding.start >= kept[-1].end:
            kept.append(finding)
    return tuple(kept)


def _matches(rule: _Rule, text: str, low: str) -> Iterator[re.Match[str]]:
    """Where a rule fits, looked for only on the lines that hold a hint; ``low`` is the text in lower case.

    A private key takes several lines.
    """
    if rule.is_word or rule.name == "private key" or len(low) != len(text):
        yield from rule.pattern.finditer(text)
        return
    lines: set[tuple[int, int]] = set()
    for hint in rule.hints:
        at = low.find(hint)
        while at >= 0:
            end = low.find("\n", at)
            end = end if end >= 0 else len(low)
            lines.add((low.rfind("\n", 0, at) + 1, end))
            at = low.find(hint, end)
    for start, end in sorted(lines):
        yield from rule.pattern.finditer(text, start, end)


def masked(text: str) -> str:
    """``text`` with each secret as it may be shown, in as many lines."""
    out, at = [], 0
    for finding in secrets_in(text):
        out += [text[at : finding.start], finding.shown, "\n" * text.count("\n", finding.start, finding.end)]
        at = finding.end
    return "".join((*out, text[at:]))


def masked_line(text: str) -> str:
    """``text`` in one visible line, each secret as it may be shown."""
    return visible_line(" ".join(masked(text).split()))


def entropy(text: str) -> float:
    """Shannon's entropy of the characters of ``text``, in bits a character."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values())


def _finding(rule: _Rule, text: str, match: re.Match[str]) -> TextFinding:
    start, end = match.span("v")
    if rule.name == "private key":
        last = text.find("-----END ", end, end + _KEY_SEARCH)
        close = text.find("-----", last + 9, last + 60) if last >= 0 else -1
        end = close + 5 if close >= 0 else end
        return TextFinding(rule.name, start, end, match["v"].partition("KEY")[0].strip("- ") + " KEY …")
    return TextFinding(rule.name, start, end, _masked(match["v"], rule.known))


def _masked(secret: str, known: int) -> str:
    """The ends of a secret: what is the same for everybody, and a few characters of the rest."""
    few = min(4, (len(secret) - known) // (4 if known else 6))
    return f"{secret[: known or min(2, few)]}…{secret[len(secret) - few :]}"


def _looks_real(rule: _Rule, value: str) -> bool:
    """Whether a value that has the form of a secret looks like one, and not like a stand-in for it."""
    if entropy(value[rule.known :][:200]) < rule.bits:
        return False
    if rule.name not in _JUDGED:
        return True
    if _PLACEHOLDER.search(value) or _TEMPLATE.match(value):
        return False
    if rule.name == "login" and _PRODUCT.fullmatch(value):
        return False
    if rule.name == "password in a URL":
        return value.lower() not in ("pass", "pwd", "secret", "token", "user", "pw")
    return _is_random(value)


def _is_random(value: str) -> bool:
    """Whether somebody chose or drew these characters so that nobody guesses them."""
    letters = any(map(str.isalpha, value))
    if not letters or not value.isascii() or _NAME_OF_SOMETHING.fullmatch(value):
        return False
    kinds = sum(any(map(test, value)) for test in (str.islower, str.isupper, str.isdigit))
    mixed = kinds + (not value.isalnum())
    long = len(value) >= 16 and any(map(str.isdigit, value))
    return (mixed >= 3 and entropy(value) >= 2.7) or (long and entropy(value) >= 3.0)


# -- what may become a name: nothing that looks like a key or the beginning of one -------------------
# Names travel further than the text they come from: into paths, links, titles, topics and commit messages. So
# this is stricter than the table of secrets, which must be right when it speaks of a whole text.

_SPAN = 8_000
"""Characters on either side of a cut that are looked at for a secret which it would split."""
_BEGINS = re.compile(
    r"(?<![A-Za-z0-9])(?:gh[pousr]_|github_pat_|glpat-|xox[abeprs]-|npm_|pypi-|hf_|sk-(?:\w{1,8}-)?|rk_|pk_|sk_"
    r"|AKIA|ASIA|AIza|ya29\.|SG\.|eyJ|dop_v1_|shpat_)[A-Za-z0-9_-]{4,}",
    re.IGNORECASE,
)
_RUN = re.compile(r"[A-Za-z0-9_+/=-]{16,}")
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_TURNS = 5
"""Changes between letters and digits in one run, from which on it is nothing that people say."""
_CHANGE = re.compile(r"[A-Za-z](?=[0-9])|[0-9](?=[A-Za-z])")


def looks_like_key(text: str) -> bool:
    """Whether ``text`` holds a secret, the beginning of one, or a run of characters that could be one."""
    return (
        bool(secrets_in(text))
        or any(any(map(str.isdigit, found[0])) or "_" in found[0] for found in _BEGINS.finditer(text))
        or any(
            _UUID.fullmatch(run[0]) is None and len(_CHANGE.findall(run[0])) >= _TURNS
            for run in _RUN.finditer(text)
        )
    )


def clipped(text: str, most: int) -> str:
    """At most ``most`` characters from the beginning of ``text``; a secret at the cut is left out whole."""
    if len(text) <= most:
        return text
    first = max(0, most - _SPAN)
    around = text[first : most + _SPAN]
    for found in secrets_in(around):
        if first + found.start < most < first + found.end:
            return text[: first + found.start]
    return text[:most]
