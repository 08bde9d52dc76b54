"""`python -m memory_appliance.launch.documents_setup`: install the converter for documents (docs/documents.md)."""

from __future__ import annotations

from memory_appliance.boot.say import LaunchFailed, fail, say
from memory_appliance.launch.uv import ensure_uv, sync


def main() -> int:
    try:
        ensure_uv()
        sync(["--no-dev", "--extra", "documents"], on_line=lambda _: None)
    except LaunchFailed as failure:
        return fail(failure)
    say("the converter for documents is installed; restart the server")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
