"""OpenAI's library for Node.js against the chat proxy and a model on loopback."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

from tests.clients.packages import CACHE, NODE, install, search_path
from tests.integration.chat_proxy.conftest import House, house  # noqa: F401
from tests.integration.chat_proxy.test_openai_sdk import QUESTION, WHOLE

OPENAI = "openai-7.59.0"
IMAGE = "data:image/png;base64,iVBORw0KGgo="


def test_openais_library_for_node_finds_everything_as_without_a_proxy(house: House) -> None:  # noqa: F811
    install(NODE)
    install(OPENAI)
    script = Path(shutil.copy(Path(__file__).with_name("openai_node.mjs"), CACHE / OPENAI))
    house.upstream.left.clear()
    done = subprocess.run(
        ["node", str(script), QUESTION, IMAGE],
        env={
            "PATH": search_path(),
            "HOME": str(house.server.data_dir.parent),
            "OPENAI_BASE_URL": f"http://127.0.0.1:{house.port}/users/node/v1",
            "OPENAI_API_KEY": house.key,
        },
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "whole": WHOLE,
        "status": "ok",
        "stream": WHOLE,
        "tool": "weather",
        "image": WHOLE,
        "limited": "RateLimitError 429",
        "failed": "InternalServerError 500",
        "broken": "TypeError",  # what Node.js's fetch throws for a body that ends too early
        "left": 2,
        "models": ["loop-1"],
        "vector": [0.5, 0.25],
    }
    assert house.upstream.left.wait(10)
    asked = next(one.body for one in house.upstream.asked if IMAGE in json.dumps(one.body))
    block, image, text = asked["messages"][-1]["content"]
    assert "blue pot" in block["text"] and image["image_url"]["url"] == IMAGE and text["text"] == QUESTION
