"""Utf8Renderer: answers as UTF-8 JSON, so that 中文 is readable in a terminal and takes three bytes, not six."""

from __future__ import annotations

import json
from typing import Any

from django.http import HttpRequest
from ninja.renderers import BaseRenderer
from ninja.responses import NinjaJSONEncoder


class Utf8Renderer(BaseRenderer):
    media_type = "application/json"

    def render(self, request: HttpRequest, data: Any, *, response_status: int) -> bytes:
        text = json.dumps(data, cls=NinjaJSONEncoder, ensure_ascii=False, separators=(",", ":"))
        # A file name that is not UTF-8 reaches us with lone surrogates; it is shown, never a crash.
        return text.encode("utf-8", "replace")
