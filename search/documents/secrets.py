"""mask_secrets(): strings that look like a password, a key or a card number are taken out of a text."""

from __future__ import annotations

import re

MASK = "[secret]"

_SHAPES = re.compile(
    r"""-----BEGIN[ A-Z]*PRIVATE\ KEY-----.*?(?:-----END[ A-Z]*PRIVATE\ KEY-----|\Z)
    | \b(?:sk|pk|rk)[-_](?:live[-_]|test[-_]|proj[-_]|ant[-_])?[A-Za-z0-9_-]{16,}
    | \bgh[pousr]_[A-Za-z0-9]{20,} | \bgithub_pat_[A-Za-z0-9_]{20,} | \bglpat-[A-Za-z0-9_-]{16,}
    | \bxox[abeoprs]-[A-Za-z0-9-]{10,} | \b(?:AKIA|ASIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{30,}
    | \bhf_[A-Za-z0-9]{20,} | \bma[rwa]_[A-Za-z0-9_-]{16,}
    | (?<![\w-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{4,}
    | (?<=[Bb]earer\ )[A-Za-z0-9._~+/=-]{16,}
    | (?<=://)[^/\s:@]+:[^/\s@]+(?=@)""",
    re.VERBOSE | re.DOTALL,
)
_NAMED = re.compile(
    r"""(?:
      \b(?:pass(?:word|wd|phrase|code)?|passwort|pin(?:\ ?code)?|secret|api[\ _-]?key|token|cvv
         |(?:alarm|door|gate|safe|access|entry|lock)\ ?code)\b
      | 密码|密碼|口令|暗证号|验证码|驗證碼|暗証番号|パスワード|비밀번호|비번|암호
      | (?<!\w)парол\w*+|(?<!\w)пин(?:-?код\w*+)? | contraseña | clave
    )
    (?:\s*[:=：＝]\s*|\s*(?:is|was|now|=|to|はその?|は|が|은|는|이|가|是|为|為|改成|改为|es|это|—|-)\s*|\s+)
    (?:["'`“「])?(?P<value>[^\s"'`”」，。,;；、]{0,100}\d[^\s"'`”」，。,;；、]*+
      |[A-Za-z0-9]{1,100}[-_!@\#$%^&*+][A-Za-z0-9!@\#$%^&*+_-]*+)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_CARD = re.compile(r"(?<![\d.])(?:\d[ -]?){12,18}\d(?![\d.])")
_LONG_WORD = re.compile(r"(?<![\w/.+=-])[A-Za-z0-9+/=_-]{32,}+(?![\w/.-])")
_LETTERS_AND_DIGITS = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def mask_secrets(text: str) -> str:
    """`text` with `[secret]` in place of what looks like one. A number alone is none unless a word says what it is."""
    text = _SHAPES.sub(MASK, text)
    text = _NAMED.sub(_without_value, text)
    text = _CARD.sub(lambda match: MASK if _luhn(match[0]) else match[0], text)
    return _LONG_WORD.sub(_without_random, text)


def _without_random(match: re.Match[str]) -> str:
    return MASK if all(kind.search(match[0]) for kind in _LETTERS_AND_DIGITS) else match[0]


def _without_value(match: re.Match[str]) -> str:
    value = match["value"].rstrip(".!?")
    start = match.start("value") - match.start()
    return match[0] if value == MASK else match[0][:start] + MASK + match[0][start + len(value) :]


def _luhn(text: str) -> bool:
    digits = [int(char) for char in text if char.isdigit()]
    doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0
