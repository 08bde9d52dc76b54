"""What is around every page: files of others unchanged, light or dark, the language, fragments for htmx."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders
from django.test import Client

from memory_appliance.web.chrome import MAIN
from memory_appliance.web.tabs import TABS
from tests.unit.web.markup import squeezed

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"
FIRST_LOAD_BYTES = 150_000


def test_vendored_files_are_those_of_the_checksums() -> None:
    sums = Path(str(finders.find("vendor/SHA256SUMS")))
    for line in sums.read_text().splitlines():
        digest, name = line.split()
        assert hashlib.sha256((sums.parent / name).read_bytes()).hexdigest() == digest


def test_a_chosen_theme_is_in_the_first_paint(admin: Client) -> None:
    assert "data-theme" not in admin.get("/").content.decode()
    assert admin.post("/accounts/theme/", {"theme": "dark", "next": "/components"})["Location"] == "/components"
    assert '<html lang="en" data-theme="dark">' in admin.get("/").content.decode()
    admin.post("/accounts/theme/", {"theme": "purple"})
    assert "data-theme" not in admin.get("/").content.decode()


@pytest.mark.parametrize("address", ["/system/about", "/system/roles/embed", "/users/new", "/keys/new"])
def test_a_main_link_stays_marked_on_the_pages_behind_it(admin: Client, address: str) -> None:
    link = f'<a href="/{address.split("/")[1]}"'
    page = squeezed(admin.get(address).content.decode())
    (tag,) = [tag for tag in page.split("<") if f"<{tag}".startswith(link) and "data-go" in tag]
    assert 'aria-current="true"' in tag


def test_the_language_is_the_browsers_until_one_is_chosen(client: Client, db: None) -> None:
    page = client.get("/accounts/login/", headers={"accept-language": "zh-CN,zh;q=0.9"}, follow=True)
    assert '<html lang="zh-hans"' in page.content.decode()
    client.post("/accounts/language/", {"language": "en"})
    page = client.get("/accounts/login/", headers={"accept-language": "zh-CN,zh;q=0.9"}, follow=True)
    assert '<html lang="en"' in page.content.decode()


@pytest.mark.parametrize("elsewhere", ["https://evil.example/", "//evil.example", "javascript:alert(1)"])
def test_preferences_never_lead_to_another_site(client: Client, db: None, elsewhere: str) -> None:
    assert client.post("/accounts/theme/", {"theme": "dark", "next": elsewhere})["Location"] == "/"


def test_htmx_gets_the_main_part_alone(admin: Client) -> None:
    page = admin.get("/components", headers={"HX-Request": "true"}).content.decode()
    assert "<h1>" in page and "<html" not in page and "<nav" not in page.split("<h1>")[0]


def test_the_first_load_is_small(admin: Client) -> None:
    page = admin.get("/", headers={"accept-encoding": "gzip"})
    assert page["Content-Encoding"] == "gzip"
    files = [link.split('"')[0] for link in gzip.decompress(page.content).decode().split('"/static/')[1:]]
    loaded = [Path(str(finders.find(link.split("?")[0]))).read_bytes() for link in files]
    assert len(loaded) >= 5
    assert len(page.content) + sum(len(gzip.compress(content, 6)) for content in loaded) < FIRST_LOAD_BYTES


def test_programs_are_answered_as_they_are(client: Client, db: None) -> None:
    answer = client.get("/api/v1/openapi.json", headers={"accept-encoding": "gzip"})
    assert answer.status_code == 200 and "Content-Encoding" not in answer


def test_no_letter_leads_to_two_places() -> None:
    letters = [place.key for place in (*MAIN, *TABS) if place.key]
    assert len(letters) == len(set(letters))


def test_no_line_of_a_template_is_longer_than_140_characters() -> None:
    long = [
        f"{path.relative_to(TEMPLATES)}:{number}"
        for path in TEMPLATES.rglob("*.html")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > 140
    ]
    assert long == []
