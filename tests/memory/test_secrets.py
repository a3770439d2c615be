"""A secret is known by its form, shown masked, and harmless look-alikes are left in peace."""

from __future__ import annotations

import base64
import hashlib
import uuid
from datetime import date

import pytest

from workbench.safety.secrets import by_rule, entropy, masked, secrets_in
from workbench.workspace.demo import demo_commits

RANDOM = "q7Zk2Vx9Lm4Tb8Rw3Np6Yc1Hd5Js0GfAeUiOoQzXvBnMtKrPsWlDhFyCgEjQ2w9R5t7Y1u3I6o8P0aSdFgHjKlZxCvBnM"
"""Not from any generator, and of no service."""


def some(length: int) -> str:
    return (RANDOM * 4)[:length]


SECRETS = {
    "AWS access key": "AKIA" + "Q3EGV7ZK2LMNT5RW",
    "AWS secret key": ("aws_secret_access_key = " + some(40), some(40)),
    "GitHub token": "ghp_" + some(36),
    "GitLab token": "glpat-" + some(20),
    "Anthropic key": "sk-ant-api03-" + some(93),
    "API key": "sk-proj-" + some(74) + "T3BlbkFJ" + some(74),
    "Slack token": "xoxb-781236542736-2364535789652-" + some(24),
    "Slack webhook": ("https://hooks.slack.com/services/T024BE7LD/B024BE7LX/" + some(24), None),
    "Google key": "AIza" + some(35),
    "Stripe key": "sk_live_" + some(24),
    "Telegram bot token": "110201543:AA" + some(33),
    "npm token": "npm_" + some(36),
    "PyPI token": "pypi-AgEIcHlwaS5vcmc" + some(80),
    "Hugging Face token": "hf_" + some(34),
    "age key": "AGE-SECRET-KEY-1" + (some(90).upper() * 2)[:58],
    "JSON web token": ".".join(
        base64.urlsafe_b64encode(part).decode().rstrip("=")
        for part in (b'{"alg":"HS256"}', b'{"sub":"1234567890","iat":1516239022}', some(32).encode())
    ),
    "password in a URL": ("postgres://app:" + "Kj3" + "-vR8q@db.internal:5432/prod", "Kj3-vR8q"),
    "bearer token": ("Authorization: Bearer " + some(32), some(32)),
    "password or key": ("db_password: " + "tR7" + "vqK2m9x", "tR7vqK2m9x"),
    "spoken password": ("Passwort vom Shop ist Gei" + "ge!2026-lack", "Gei" + "ge!2026-lack"),
    "service token": "SG." + some(22) + "." + some(43),
    "private key": (
        "-----BEGIN OPENSSH PRIVATE KEY-----\n" + some(64) + "\n-----END OPENSSH PRIVATE KEY-----",
        None,
    ),
}


@pytest.mark.parametrize("rule", SECRETS)
@pytest.mark.parametrize("around", ["{}", "- told me `{}` at noon", '  "x": "{}",', "**{}**", "見て {} です"])
def test_a_secret_is_found_by_its_form_and_shown_masked(rule: str, around: str) -> None:
    sample = SECRETS[rule]
    written, secret = sample if isinstance(sample, tuple) else (sample, sample)
    text = around.replace("{}", written)
    (finding,) = secrets_in(text)
    assert finding.rule == rule
    if secret is not None:
        assert text[finding.start : finding.end] == secret
        assert secret not in finding.shown
    assert len(finding.shown) < 40
    lines = "\n" * text.count("\n", finding.start, finding.end)
    assert masked(text) == text[: finding.start] + finding.shown + lines + text[finding.end :]


@pytest.mark.parametrize(
    "name",
    ["sk-" + some(48), "sk-or-v1-" + hashlib.sha256(b"x").hexdigest(), "sk-svcacct-" + some(60)]
    + [f"gh{letter}_{some(36)}" for letter in "ousr"]
    + ["dop_v1_" + hashlib.sha256(b"x").hexdigest(), "shpat_" + hashlib.md5(b"x").hexdigest()]
    + ["lin_api_" + some(40), "gsk_" + some(52), "hvs." + some(90), "r8_" + some(37), "ntn_" + some(46)]
    + ["dapi" + hashlib.md5(b"y").hexdigest(), "xai-" + some(80), "pplx-" + some(48), "figd_" + some(40)]
    + ["github_pat_" + some(22) + "_" + some(59), "GOCSPX-" + some(28), "rk_test_" + some(24)]
    + [
        "ASIA" + "Q3EGV7ZK2LMNT5RW",
        "hf_" + some(34),
        "xoxp-283316862324-298911817009-298923149681-" + some(32),
    ]
    + ["https://api.telegram.org/bot110201543:AA" + some(33) + "/getMe"],
)
def test_each_kind_of_a_providers_keys_is_known(name: str) -> None:
    assert len(secrets_in(f"key {name}\n")) == 1


@pytest.mark.parametrize(
    "line",
    [
        "password = 'Winter2024!'",
        "API_KEY=" + some(24),
        "client-secret: " + some(20),
        "pwd := zX9#kk21",
        "**Passwort/Password:** " + "Qm4" + "xT7pLz",
        '"auth_token": "' + some(30) + '"',
        "token => " + some(22),
        "current token (since 2026-03-15): Kq7" + "#vT2wLm9",
        "Password: tR7" + "vqK2m9x_rsa",
        "Secret: prod_rsa_" + "9fKx2Lq7",
        "API key: 7F3A9_" + "KQ2LX_88ZPM_4TRW1",
        "License key token: ABCD1234_" + "EFGH5678_IJKL9012",
        "Passwort/Password: KUNDE_2026_GEHEIM",
        "password: abcdefgh1" + "jklmnop2rstuvwxy...",
    ],
)
def test_an_assignment_of_something_random_is_a_secret(line: str) -> None:
    (finding,) = secrets_in(line)
    assert finding.rule == "password or key"


@pytest.mark.parametrize(
    "line",
    [
        "- ssh: root / {}",
        "2. Login: sarah.chen | `{}`",
        "- **Логин:** admin / {} (не отвечает)",
        "Пароль от почты: {}",
        "hasło do panelu to {}",
        "Mật khẩu: `{}`",
        "kata sandi: {}",
        "密码：{}",
        "パスワードは{}",
        "비밀번호: {}",
        "密碼為{}",
        "비밀번호는 {}",
        "パスワードは{}です",
        "비밀번호는 {}입니다.",
        "Password of user bob@example.org was reset to `{}`",
        "The password was changed to {}",
        "The password is now {}",
        "Пароль пользователя bob@example.org сброшен на `{}`",
        "Пароль теперь {}",
        "Das Passwort von Bob wurde auf `{}` zurückgesetzt",
        "Das Passwort ist jetzt {}",
        "La contraseña de bob@example.org se cambió a `{}`",
        "Le mot de passe est maintenant `{}`",
        "Le mot de passe de Bob a été changé en {}",
        "A senha foi alterada para {}",
        "Hasło zmieniono na {}",
        "Het wachtwoord is gewijzigd in {}",
        "Kata sandi diubah menjadi {}",
        "Mật khẩu đã đổi thành {}",
        "密码已重置为 `{}`",
        "密碼現在是 {}",
        "パスワードを{}に変更した",
        "비밀번호를 {}로 변경했다",
        "User: root / {}",
        "- **Пользователь:** root / {}",
        "用户: root / {}",
        "密码: root / {}",
        "Old login: 10.20.30.40 root/{}",
        "- New server: `10.20.30.41:22` root/{}",
    ],
)
def test_a_password_is_known_in_many_languages_and_behind_the_name_of_its_user(line: str) -> None:
    for secret in ("Kq7" + "#vT2wLm9", "@Kq7" + "vT2wLm9"):
        (finding,) = secrets_in(line.format(secret))
        assert secret not in finding.shown


@pytest.mark.parametrize(
    "name", ["API key", "API ключ", "Ключ API", "API-Schlüssel", "Clé API ", "Clave API"]
)
def test_a_key_is_known_by_what_it_is_called_in_many_languages(name: str) -> None:
    key = "agent_" + hashlib.sha256(b"k").hexdigest()
    for line in (f"- {name}: `{key}`", f"**{name}：** {key}"):
        assert [line[one.start : one.end] for one in secrets_in(line)] == [key]


@pytest.mark.parametrize("name", ["API 密钥", "APIキー", "API 키", "令牌", "トークン", "Токен"])
def test_a_key_is_known_before_words_without_blanks(name: str) -> None:
    key = "agent_" + hashlib.sha256(b"k").hexdigest()
    line = f"{name}：{key}。"
    assert [line[one.start : one.end] for one in secrets_in(line)] == [key]


def test_a_password_may_begin_with_a_mark_and_hold_brackets() -> None:
    line = "Mail: geo@example.org, password: :zwF>" + "K%wD5kkQR"
    assert [line[one.start :] for one in secrets_in(line)] == [":zwF>" + "K%wD5kkQR"]


def test_a_password_behind_the_name_of_its_user_may_look_like_a_product() -> None:
    assert [one.rule for one in secrets_in("login / user: root / " + "Summer2024")] == ["user and password"]


def test_a_value_that_one_line_calls_a_secret_is_one_on_every_line() -> None:
    value = "hk3#mPq" + "L9xW2z"
    text = f"- SSH: root / {value}\n- tea\n- it was {value}, then not\n- {value}x is another\n"
    assert [one.line(text) for one in secrets_in(text)] == [1, 3]
    text = "access token: Context7\n- the Context7 server, and postgres://dash:dashing@localhost/dashing\n"
    assert [one.line(text) for one in secrets_in(text)] == [1, 2]


def test_numbered_keys_under_one_bullet_are_found_each() -> None:
    text = f"- keys:\n  - `HARBOUR_API_KEY={some(24)}`\n  - `HARBOUR_API_KEY_2={some(24)[::-1]}`\n"
    assert [one.line(text) for one in secrets_in(text)] == [2, 3]


@pytest.mark.parametrize("user", ["anna", "@anna42", "anna@mill.example"])
def test_a_password_behind_a_stroke_may_look_like_a_name(user: str) -> None:
    assert [one.rule for one in secrets_in(f"Login: {user} / Kq7" + "vT2wLm9")] == ["login"]
    assert bool(secrets_in(f"Login: {user} / @Katze" + "2955")) == (not user.startswith("@"))


@pytest.mark.parametrize(
    "line",
    [
        "- Demo logins: admin@mill.example / {}!",
        "- demo: anna@mill.example/{}!, bob@mill.example/{}x",
        "- **Account:** `anna@mill.example` / `{}` (in the vault)",
    ],
)
def test_a_password_behind_an_address_may_look_like_a_product(line: str) -> None:
    value = "Lumber" + "Admin2026"
    text = line.replace("{}", value)
    found = [text[one.start : one.end] for one in secrets_in(text)]
    assert found == [value, f"{value}x"][: line.count("{}")]


HARMLESS = [
    "pwd: ~/projects/atlas2",
    "pwd=/home/sarah/Projects/Atlas2",
    "pwd: C:\\Users\\Sarah\\Atlas2",
    "credential: arn:aws:iam::123456789012:role/Deploy",
    "ERC20 token: 0x" + hashlib.sha1(b"z").hexdigest(),
    "commit 3f1b2c4d5e6f7a8b9c0d1e2f3a4b5c6d7e8f9a0b fixes it",
    hashlib.sha256(b"y").hexdigest(),
    str(uuid.UUID(int=0x550E8400E29B41D4A716446655440000)),
    "token: 550e8400-e29b-41d4-a716-446655440000",
    "![x](data:image/png;base64," + base64.b64encode(bytes(range(256)) * 8).decode() + ")",
    "password: see the vault",
    "the password is in the safe under “pigeon”",
    "api_key: sk-...",
    "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "token: <token>",
    "api_key = your-api-key-123456",
    "password: example-password-1",
    "password=${DB_PASSWORD_2}",
    "password = os.environ['DB_PASSWORD']",
    "token = get_token(user1, scope2)",
    "secret: memory/2026-03-14.md#L12",
    "key: 2026-03-14T10:00:00Z",
    "max_tokens: 128000",
    "- **Token budget:** 20000-characters",
    "key_topics: [Walt Pritchard, Foghorn, Aroha]",
    "postgres://user:password@localhost/db",
    "postgres://app:${PASSWORD}@db/prod",
    "https://example.org:8080/a@b",
    "mailto:someone@example.org",
    "git@github.com:owner/name.git",
    "-----BEGIN PUBLIC KEY-----\n" + some(64) + "\n-----END PUBLIC KEY-----",
    "a file that begins with -----BEGIN PRIVATE KEY----- is one",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" + some(43) + " me@host",
    "AKIA is how the keys begin; AKIAXXXXXXXXXXXXXXXX",
    "task-force-1-of-the-sk-district-and-its-many-many-many-offices",
    "the risk-assessment-of-the-northern-harbour-board-of-2026",
    "src=memory/2026-03-14.md#L12 session=s91 trust=owner entry=7d86a1f3c2b1",
    "secret santa: 2026-12-24",
    "the access key: Ctrl+Shift+F12",
    "パスワード: 金庫を見て",
    "private key: `keys/deploy_ed25519` (never in git)",
    "Private key: id_rsa_2026.pub",
    "token: `HARBOUR7_TOKEN=<see the vault>`",
    "access token: WEATHER_API_KEY2",
    "login: see the page / wiki-12",
    "ssh: harbour.example.org / port 2222",
    "password: @sarah, she knows",
    "Token: @octocat99-bot",
    "API key: **@Anna42-ops** keeps it",
    "token: #A1b2-section",
    "VNC: windows / TightVNC2",
    "Login: Gmail / Office365",
    "SSH: yes / Ubuntu-22.04LTS",
    "SSH: user / ed25519-key",
    "RDP: Win11 | Parallels19",
    "Login: @Anna42 / @Bob2026x",
    "パスワードはBitwarden2の中",
    "パスワードをBitwarden2xに保存した",
    "비밀번호를 Bitwarden2x로 옮겼다",
    "Das Passwort wurde in Bitwarden2024x gespeichert",
    "the password reset page is SettingsPage2.tsx",
    "password: see 1Password",
    "password policy: 12 characters",
    "API 密钥: `sk-[a-zA-Z0-9]{20,}`",
    "docs: root/README.md",
    "10.0.0.1 nginx/1.25.3",
    "Write to anna@mill.example/bob@mill.example",
    "anna@mill.example / +49 30 1234567",
    "anna@mill.example/Phone2X/settings",
    "git clone git@mill.example/Tools2026/pump.git",
    "anna@mill.example / the mill-2",
    "10.0.0.1 root/etc/Passwd2X",
    "10.0.0.1 app/Service2",
    "10.0.0.1 admin/settings and/or user/repo",
    "User: see the page / wiki-12",
    "login: src/main.py",
    "JWT_SECRET=generate-a-secure-key-here-min-32-chars",
    'API_KEY="secret_abc123"  # never like this',
]


@pytest.mark.parametrize("end", ["...", "…"])
def test_a_value_of_which_only_the_beginning_is_written_down_is_none(end: str) -> None:
    line = "api_key: `sk-7Gq2" + some(8)
    assert secrets_in(line + "`")
    assert secrets_in(line + end + "`") == ()


@pytest.mark.parametrize("rule", [one for one in SECRETS if "password" not in one])
@pytest.mark.parametrize("end", ["...", "…"])
def test_a_whole_key_is_a_secret_whatever_stands_behind_it(rule: str, end: str) -> None:
    sample = SECRETS[rule]
    written, _ = sample if isinstance(sample, tuple) else (sample, sample)
    assert [finding.rule for finding in secrets_in(f"{written}{end}")] == [rule]


@pytest.mark.parametrize("text", HARMLESS)
def test_a_harmless_look_alike_is_left_in_peace(text: str) -> None:
    assert secrets_in(text) == ()


def test_a_key_of_many_lines_is_one_finding_that_covers_all_of_it() -> None:
    block = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n"
    block += "\n".join(some(64) for _ in range(20)) + "\n-----END RSA PRIVATE KEY-----"
    text = f"before\n{block}\nafter"
    (finding,) = secrets_in(text)
    assert text[finding.start : finding.end] == block
    assert finding.line(text) == 2
    assert some(10) not in finding.shown


def test_a_private_key_in_a_quotation_is_found() -> None:
    text = "> -----BEGIN RSA PRIVATE KEY-----\n> " + some(64) + "\n> -----END RSA PRIVATE KEY-----\n"
    assert [finding.rule for finding in secrets_in(text)] == ["private key"]


def test_a_value_that_fits_two_rules_is_named_by_the_more_telling_one() -> None:
    (finding,) = secrets_in(f"api_key: {SECRETS['Anthropic key']}")
    assert finding.rule == "Anthropic key"


def test_several_are_told_in_the_order_of_the_text_and_counted_by_rule() -> None:
    text = f"{SECRETS['npm token']} {SECRETS['GitHub token']} ghp_{some(36)[::-1]}"
    found = secrets_in(text)
    assert [f.rule for f in found] == ["npm token", "GitHub token", "GitHub token"]
    assert by_rule(found)[1].startswith("GitHub token (2 times): ghp_…")


def test_a_short_password_shows_nearly_nothing() -> None:
    (finding,) = secrets_in("password: tR7vqK2m9")
    assert finding.shown == "t…9"


def test_the_demo_has_its_secret_in_exactly_one_line() -> None:
    lines = {
        (path, line)
        for commit in demo_commits(date(2026, 11, 20))
        for path, data in commit.files.items()
        for line in (data or b"").decode().split("\n")
        if secrets_in(line)
    }
    ((_, line),) = lines
    assert "AKIAIOSFODNN7EXAMPLE" in line


MILLION = 1_000_000


@pytest.mark.parametrize(
    "piece",
    [
        "sk-",
        "sk-proj-",
        "eyJ",
        "eyJaaaaaaaaaaaaaaa.",
        "password:",
        "password ",
        "token=",
        "a://b:c",
        "://a",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----BEGIN A ",
        "ghp_",
        "xapp-1-AAAAAAAA-11111111-",
        "bearer ",
        "1",
        "110201543:AA",
        "AKIA",
        "glpat-",
        "xoxb-1",
        "secret_access_key ",
        "İ",
        "a.b-",
        "password" + " " * 5000,
        "password of a b c d wurde auf ",
        "10.0.0.1 root/",
        "用户: a / ",
        "clé de l'api",
        "password: aB3" + "xK7qLm ",
    ],
)
def test_hostile_text_of_a_million_characters_is_read_to_its_end(piece: str) -> None:
    """With a pattern that takes quadratic time this would not come back for hours."""
    text = piece * (MILLION // len(piece)) + f"\n{SECRETS['npm token']}\n"
    assert secrets_in(text)[-1].rule == "npm token"


def test_entropy_is_in_bits_a_character() -> None:
    assert entropy("aaaa") == 0
    assert entropy("abcd") == 2
