"""mask_secrets(): what looks like a secret is masked, what only looks like a number is not."""

from __future__ import annotations

import pytest

from search.documents.secrets import mask_secrets


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcdefghijklmnop1234",
        "ghp_abcdefghijklmnopqrstuvwx1234",
        "AKIAABCDEFGHIJKLMNOP",
        "eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl",
        "4111 1111 1111 1111",
        "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_a_secret_by_its_shape_is_masked(secret: str) -> None:
    assert mask_secrets(f"take {secret} please") == "take [secret] please"


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("the password is hunter-22.", "the password is [secret]."),
        ("WLAN-Passwort: blau7himmel", "WLAN-Passwort: [secret]"),
        ("保险箱密码是 000000，别说", "保险箱密码是 [secret]，别说"),
        ("パスワードは abc123 です", "パスワードは [secret] です"),
        ("비밀번호는 0000이야", "비밀번호는 [secret]"),
        ("пароль: zima2024", "пароль: [secret]"),
        ("my alarm code is 1-2-3-4 ok", "my alarm code is [secret] ok"),
    ],
)
def test_a_secret_by_its_name_is_masked(text: str, masked: str) -> None:
    assert mask_secrets(text) == masked


@pytest.mark.parametrize(
    "text",
    [
        "the rent is 950 from May, room 4411, call 070 123 45 67",
        "建档号尾数 3306，账期三十天",
        "the password policy changes in May",
        "order 1234567890123",
        "see docs/architecture.md and https://example.org/a/b?c=d",
    ],
)
def test_ordinary_numbers_and_words_stay(text: str) -> None:
    assert mask_secrets(text) == text
