"""Lines that programs write or read: code, commands, output, logs, metadata, addresses, encoded data.

Told by form alone: how a line begins and ends, the marks in it, and its share of letters. The lists are
those of common programs, statements and headers; a sentence about one of them is still a sentence.
"""

from __future__ import annotations

import re

_CODE = re.compile(
    r"(?:```|~~~|#!|#include\b|@\w[\w.]*(?:\(|$)|//|/\*|\*/|\*\s@|#\s?(?:noqa|type:|pragma|pylint|fmt:"
    r"|TODO\()"
    r"|(?:async\s+)?def\s+\w+\s*\(|class\s+\w+\s*[(:{]|import\s+[\w.{*]+(?:\s+(?:as|from)\b.*|[,;].*)?$"
    r"|from\s+[\w.]+\s+import\b"
    r"|(?:const|let|var)\s+(?:mut\s+)?[\w{\[]+.*=|export\s+(?:default|const|function|class|type|interface)\b"
    r"|(?:public|private|protected|static|internal)\s+\w+.*[({;]|(?:pub\s+)?(?:fn|func|impl|struct|enum"
    r"|trait)\s+\w+.*[({]"
    r"|function\s*\w*\s*\(|(?:interface|type)\s+\w+\s*[={<]|package\s+[\w.]+;?$|use\s+[\w:]+::"
    r"|using\s+[\w.]+;"
    r"|(?:if|for|while|switch|catch|elif|else\s+if)\s*\(.*\)\s*\{?|(?:if|elif|while|for|with)\s.*:$"
    r"|(?:else|try|finally|do)\s*[:{]?$|(?:except|catch)\b.*[:{]$|return\b.*;$|(?:return|raise|yield"
    r"|await|throw|assert|del|print|pass|break|continue)\s+\S*[\w\])]\s*[(\[=!<>].*$"
    r"|</?[a-zA-Z][\w-]*(?:\s[^>]*)?>"
    r"|\w+(?:\.\w+)*\(.*\)\s*[;{]?$|(?:self|this)\.\w+|[\w.\[\]\"']+\s*(?:[+*/|&-]?=|:=|=>)\s*\S"
    r"|[.#]?[\w-]+\s*\{.*\}?$|[}\])]+[;,]*$|\{.*\}?$|\"[\w$-]+\"\s*:\s|[\w-]+:\s*\"[^\"]*\",?$"
    r"|(?i:select\s.+\sfrom\s|insert\s+into\s|update\s+\w+\s+set\s|delete\s+from\s|create\s+(?:table"
    r"|index|view|database)\s|alter\s+table\s|drop\s+table\s|grant\s.+\son\s)"
    r")"
)
_BRACKET = re.compile(r"[=(){}\[\];]")
_RETURN = re.compile(
    r"(?:return|yield|raise|assert|await|print|echo|throw)\b(?=.*[=+*/()\[\]{}<>\"'])[^.!?]*$"
)
_CODE_END = re.compile(r"(?:\)\s*;|\w\s*;|\{|=>|\}\s*[;,]?|\)\s*:)$")
_PROGRAMS_TEXT = """
    git npm npx yarn pnpm pip pip3 pipx uv python python3 node deno bun cargo rustc go docker podman
    kubectl helm terraform ansible make cmake gcc g++ clang mvn gradle java javac ruby gem bundle rails
    php composer perl bash sh zsh fish source export alias cd ls cp mv rm mkdir rmdir touch cat head
    tail less grep egrep rg ag find sed awk xargs sort uniq wc cut tr tee echo printf chmod chown chgrp
    ln tar gzip gunzip zip unzip curl wget ssh scp rsync sudo su apt apt-get dnf yum brew pacman snap
    systemctl service journalctl ps top htop kill killall df du free mount umount ping dig nslookup
    netstat ss ifconfig ip psql mysql sqlite3 redis-cli mongo aws gcloud az gh glab vim vi nano emacs
    code tmux screen crontab env which whoami man history pytest mypy ruff black eslint prettier tsc
    jest vitest for while if test watch time nohup set unset openssl gpg ffmpeg convert jq yq hostname
    uname date workbench"""
_PROGRAMS = frozenset(_PROGRAMS_TEXT.split())
_ARGUMENT = re.compile(
    r"(?:^|\s)(?:-{1,2}[A-Za-z][\w-]*(?:[=\s]|$)|&&|\|\|?|>{1,2}|2>&1|\$\w|\$\(|[~.]{0,2}/[\w.*-]|\*\.\w)"
    r"|[;\\]$|[\w.-]+@[\w.-]+"
)
_PROMPT = re.compile(
    r"(?:\$|>|%|❯|➜|»|>>>|\.\.\.|In \[\d+\]:)\s+\S|#\s+(?:\w+=\S+\s+)?(?P<root>[a-z][\w-]*)\s"
    r"|[\w.-]+@[\w.-]+:[^\s]*[$#]|PS [A-Z]:\\|[A-Z]:\\[^\s]*>|\([\w.-]+\)\s\$\s"
)
_STAMP = re.compile(
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:[.,]\d+)?(?:Z|[ ]?UTC|[+-]\d\d:?\d\d)?\]?"
    r"|\[?(?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d)?(?:[.,]\d+)?\]?"
    r"|(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)?,?\s?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov"
    r"|Dec)\s+\d{1,2}\s+\d\d:\d\d:\d\d"
)
_LEVEL = re.compile(
    r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|PASS(?:ED)?|FAIL(?:ED)?|OK"
    r"|SKIP(?:PED)?|XFAIL)\b\]?(?::|\s|$)"
)
_OUTPUT = re.compile(
    r"(?:Traceback \(most recent|File \"[^\"]+\", line \d|at [\w$.<>]+ ?\(|Caused by:"
    r"|\w+(?:\.\w+)*(?:Error|Exception|Warning)\b(?:\[\w+\])?:"
    r"|(?i:(?:fatal|error|warning|panic|note|hint|info|debug|remote|npm (?:warn|err!|notice)|stderr"
    r"|stdout|usage)(?:\[\w+\])?:?\s*(?::|(?<=npm warn)\s|(?<=err!)\s))"
    r"|npm (?:WARN|ERR!|notice)"
    r"|[d-][rwxsStT-]{9}[@+.]?\s|total \d+$|@@ [-+]\d|(?:---|\+\+\+) [ab]?/|diff --git "
    r"|index [0-9a-f]{6,}\.\.|[+-]{2,}\S*$"
    r"|On branch \S+$|E[A-Z]{4,}: "
    r"|(?:not )?ok \d+ -|\[(?:notice|info|warn|warning|error|debug|trace|hint|log|system)\] "
    r"|[A-Z][a-z]+-[A-Z][a-z]+: \S+$|Your branch is |Switched to (?:a new )?branch|\w+ (?:completed"
    r"|finished|migrated"
    r"|started|loaded|saved|created|updated|deleted|installed) (?:successfully|without errors?)\.?$"
    r"|nothing to commit|Changes (?:not staged|to be committed)"
    r"|Untracked files|\d+ files? changed"
    r"|(?:Successfully (?:installed|built|uninstalled)|Collecting|Downloading|Requirement already"
    r"|Building wheel|Compiling|Finished|Listening on|Serving|Enumerating objects|Counting objects"
    r"|Writing objects|Resolving deltas|Unpacking|Setting up|Fetching|Cloning into|Already up to date"
    r"|Everything up-to-date|Installing collected)\b[^.]*(?:[\d:/'%>=.…]|$)"
    r"|added \d+ packages|\d+ (?:passed|failed|errors?|warnings?|skipped)\b[^a-z]|Segmentation fault"
    r"|Killed$|Aborted|core dumped"
    r"|(?:bash|zsh|sh|fish|cmd|make(?:\[\d+\])?|\w+\.(?:py|js|ts|rs|go|c|cpp|java|sh)(?::\d+)+): "
    r"|\S+:\d+:(?:\d+:)?\s|(?:exit (?:code|status)|return code|rc)\b|[Pp]rocess (?:finished|exited"
    r"|terminated) with|\d+ bytes from|PING |--- \S+ ping"
    r"|(?:GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS|HTTP)[ /]\S+|\d{1,3}(?:\.\d{1,3}){3} |\[\s*\d+/\d+\]"
    r"|\(\d+/\d+\)|\d{1,3}%[ |]|[0-9a-f]{7,40}(?:\.\.|\s)"
    r"|To (?:https?://|git@|ssh://)|From (?:https?://|git@|github)|commit [0-9a-f]{7,40}|Merge: "
    r"|(?:Author|Date|Commit|AuthorDate):\s"
    r"|[✓✔✗✘●○×▶⚠ℹ➜→⏳✅❌]\s*\S.*[^.!]$|\S+::\S+|Ran \d+ |Compiled |\w+:\d+ https?://"
    r"|(?:[A-Z][A-Z_%]+ {2,})+[A-Z%]|[=*~_#.·-]{4,})"
)
_TABLE = re.compile(
    r"\|.*\|$|\+[-=+]{3,}\+$|[│┃┌└├╭╰┏┗═─━]|(?:[^\s|]+(?: [^\s|]+)*(?:(?<![.!?:,]) {2}| {3,})(?=\S)){2}"
    r"|(?:[^\s|]+(?: [^\s|]+)* {2,}(?=\S)){2}$|(?:[\w ]{1,30}: {1,4}\S+ {2,}){1,}\w+:"
)
_META_KEYS_TEXT = """
    agent agent_id aliases author branch category cc channel chat_id checksum client commit committer
    confidence content-type conversation_id cost created created_at cwd date digest duration elapsed
    encoding episode exit_code expires file format from hash host id importance job job_id kind l0 lang
    language last_updated level link locale md5 message_id model path permalink pid platform priority
    project_id provider reply_to role run run_id score sender session session_id session_key
    session_name sha256 size slug source source_id status subject tag tags temperature thread time
    timestamp title to token_count tokens tokens_used trigger type updated updated_at url user_id uuid
    version workspace"""
_META_KEYS = frozenset(_META_KEYS_TEXT.split())
_META = re.compile(
    r"(?:HEARTBEAT\w*|NO_REPLY|ANNOUNCE_SKIP|REPLY_SKIP|\[\[\w+[^\]]*\]\]|\[(?:tool|system|message"
    r"|thinking|image|file|audio|photo|sticker|attachment|reply)[\w ]*(?:\]|:))"
    r"|[A-Z][A-Z_]{3,}(?:_[A-Z]+)+$|[a-z][\w.-]*:\s+\S+$|Sent from my |<!--|---+$|\*\*\*+$"
)
_URL = re.compile(
    r"(?:<?(?:https?|ftp|file|s3|ssh|git)://\S+|www\.\S+|mailto:\S+|[\w.+-]+@[\w-]+\.[\w.]+)[>.)]?$"
)
_PATH = re.compile(r"[`\"']?(?:~|\.{1,2}|[A-Z]:|[\w.@-]+)?(?:[/\\][\w.@+ -]+)+[/\\]?[`\"']?$")
_ENCODED = re.compile(
    r"[A-Za-z0-9+/=_-]{40,}|(?:[0-9a-fA-F]{2}[ :]){12,}|(?:\\x[0-9a-f]{2}){4,}|data:[\w/+.-]+;base64"
)
_SIGN = re.compile(r"[^\w\s]|[\d_]")

_ENOUGH = 1_000
"""Characters of a line that show what it is."""


_FRAME = re.compile(r"^\s*(?:>\s?)*(?:[-*+•]\s+|\d{1,3}[.)]\s+)?(?:\[[ xX]\]\s+)?|\*\*|__(?=\w)|(?<=\w)__")
_KEY = re.compile(r"(?P<key>[^:\n]{1,40}):\s+(?P<rest>.+)")
_FOREIGN = re.compile("[\u0400-\u04ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_SAID = 6
"""Words from which what follows a name is a sentence and no argument."""


def machine_made(line: str) -> str | None:
    """What a program wrote or is to read, named for a person; None for what may be said by somebody."""
    line = line[:_ENOUGH]
    text = line.strip()
    plain = _FRAME.sub("", line).strip()  # without its list marker and bold marks
    if not plain or not any(map(str.isalpha, plain)):
        return "no words"
    return (
        _metadata(text, plain)
        or ("encoded data" if _is_encoded(plain) else None)
        or _address(plain)
        or ("a shell command" if _is_command(text, plain) else None)
        or ("program output" if _is_output(text, plain) else None)
        or ("code" if _is_code(line, plain) else None)
        or ("a table" if _TABLE.match(plain) and not plain.endswith((".", "!")) else None)
        or ("mostly symbols, not words" if _is_noise(plain) else None)
    )


def _key_and_rest(plain: str) -> tuple[str, str]:
    """``key`` and ``rest`` of ``key: rest``; else nothing and all of it."""
    found = _KEY.match(plain)
    return (found["key"], found["rest"]) if found else ("", plain)


def _is_said(text: str) -> bool:
    """Whether somebody seems to say it: it ends as a sentence does, or has as many words."""
    return text.endswith((".", "!")) or len(text.split()) >= _SAID


_ASSIGNED = re.compile(r"[A-Z_][A-Z0-9_]*=\S*(?:\s|$)")
_DIFF = re.compile(r"\s*[-+]{3} [ab]/")
_LOGGER = re.compile(r"(?:\S+ )?\S+\[\d+\]:|\S+\.\w+:\d+:? ")
_TAGGED = re.compile(r"[\s|-]*\[[\w.:/-]+\]")
_WORDS_TOO_TEXT = "if while time for test watch code make service history top go"
_WORDS_TOO = frozenset(_WORDS_TOO_TEXT.split())
"""Names of programs that a person may begin a line with as well."""
_COMPLAINS = re.compile(
    r"\b\d+ (?:passed|failed|total|skipped|errors?|warnings?|pending)\b,.*\b\d+ (?:passed|failed|total"
    r"|skipped|errors?|warnings?|pending)\b"
    r"|\(\d+(?:\.\d+)? ?(?:s|ms|sec|seconds|rows?|bytes|kB|MB)\)|^(?:\S+ ){0,2}\w*(?:Error|Exception): "
    r"|^-{3} [A-Z]"
    r"|^(?i:permission denied|connection refused|access denied|no such file|command not found|not found"
    r"|operation not"
    r" permitted|timed? ?out|syntax error|out of memory|no space left)\b"
    r"|: (?:No such file or directory|command not found|Permission denied|Is a directory|Not a directory)$"
)
_DURATION = re.compile(r"\bin \d+(?:\.\d+)? ?(?:ms|s|sec|seconds)$|(?:^|\s)\w+=\S+(?:\s+\w+=\S+)*$")
_COUNTED = re.compile(
    r"(?:last (?:login|seen|run|modified|updated|sync|edited|message)|total|count|number of|avg|average"
    r"|max|min|current"
    r"|elapsed|started|finished|generated|received|sent|mode|state)\b"
)


def _metadata(text: str, plain: str) -> str | None:
    if text.startswith("#") and re.match(r"#{1,6}(?:\s|$)", text):
        rest = text.lstrip("#").strip()
        return "a shell command" if _PROMPT.match(text) and _has_program(rest) else "a heading"
    if _META.match(plain):
        return "metadata"
    stamp = _STAMP.match(plain)
    if stamp and not plain[stamp.end() :].strip(" -–:.|UTCZ"):
        return "metadata"
    key, rest = _key_and_rest(plain)
    name = key.lower().strip("*_` ").replace(" ", "_")
    named = bool(key) and (name in _META_KEYS or "_" in key or _COUNTED.match(key.lower()) is not None)
    return "metadata" if named and not rest.endswith((".", "!")) and len(rest.split()) <= 8 else None


def _address(plain: str) -> str | None:
    if " " not in plain and _URL.match(plain):
        return "only an address"
    if len(plain.split()) <= 2 and _PATH.match(plain) and "/" in plain + "\\":
        return "only a path"
    return None


def _has_program(text: str) -> bool:
    return text.split(" ", 1)[0] in _PROGRAMS


def _is_command(text: str, plain: str) -> bool:
    inner = plain.strip("`").strip()
    first, _, rest = inner.partition(" ")
    if _is_prompted(text) or _ASSIGNED.match(inner):
        return True
    if first.startswith(("./", "~/", "/")) and rest:
        return not _is_said(rest)
    if first not in _PROGRAMS:
        return False
    words = rest.split()
    certain = not words or plain.startswith("`") or _ARGUMENT.search(rest) is not None
    return certain or (len(words) <= 4 and not inner.endswith((".", "!")) and not _is_said(rest))


_SET = re.compile(r"(?:\w+=\S*\s+|[$%>]\s+)+")
"""Variables and a prompt before a command."""
_OPTION = re.compile(r"\s-{1,2}[A-Za-z][\w-]*(?:[=\s]|$)")
_SCRIPT = re.compile(r"\./\S|(?:~|/[\w.-]+)/\S*\s|\S+\.(?:sh|ps1|bat|exe)(?:\s|$)")


def is_shell_command(code: str) -> bool:
    """Whether a shell would run ``code``: a program with what it is to do, or a script."""
    bare = _SET.sub("", code.strip(), count=1) if _SET.match(code) else code.strip()
    first, _, rest = bare.partition(" ")
    is_program = first in _PROGRAMS and bool(rest)
    return is_program or _SCRIPT.match(bare) is not None or _OPTION.search(bare) is not None


def _is_prompted(text: str) -> bool:
    """Whether a line begins as a shell prompts; ``>`` and ``#`` only before a program."""
    found = _PROMPT.match(text)
    if not found:
        return False
    said = (text[1:] if found["root"] else text[found.end() - 1 :]).strip()
    return text[0] not in ">#" or _has_program(said) or said[:1] in "./~"


def _is_output(text: str, plain: str) -> bool:
    said_by = plain.partition(": ")[0]
    return (
        any(rule.match(one) is not None for rule in (_OUTPUT, _DIFF) for one in (plain, text))
        or _DURATION.search(plain) is not None
        or _COMPLAINS.search(plain) is not None
        or (said_by in _PROGRAMS and said_by not in _WORDS_TOO)
        or _is_logged(plain)
    )


def _is_logged(plain: str) -> bool:
    """Whether a line is of a log: a time or nothing, and then a level, or who wrote it."""
    stamp = _STAMP.match(plain)
    after = plain[stamp.end() :].lstrip(" -–|[]:") if stamp else plain
    if _LEVEL.match(after) or (stamp and stamp.end() > 6 and _TAGGED.match(plain, stamp.end())):
        return True
    return stamp is not None and _LOGGER.match(after) is not None


def _is_code(line: str, plain: str) -> bool:
    if _CODE.match(plain):
        lead, rest = _key_and_rest(plain)
        return not (lead and _is_said(rest) and plain.endswith("."))
    if _RETURN.match(plain) or _CODE_END.search(plain):
        return True
    return line.startswith(("    ", "\t")) and _BRACKET.search(plain) is not None and not plain.endswith(".")


def _is_encoded(plain: str) -> bool:
    found = _ENCODED.search(plain)
    return (
        found is not None
        and "/" not in found[0][1:-1].replace("//", "")
        and (any(map(str.isdigit, found[0])) and len(found[0]) * 2 > len(plain.replace(" ", "")))
    )


def _is_noise(plain: str) -> bool:
    signs = len(_SIGN.findall(plain))
    return signs * 2 > len(plain) and not (_FOREIGN.search(plain) and len(plain) - signs > 4)
