"""Start supervisord, pass on the wish to stop, and see that every process is gone in the end."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from types import FrameType

from memory_appliance.boot.say import say
from memory_appliance.launch.layout import Layout
from memory_appliance.launch.reaper import adopt_orphans, kill_children, wait_for

_SUPERVISORD = Path(__file__).with_name("supervisord.py")
"""By its path: it starts in the local folder."""


def serve(layout: Layout, config: str, environment: Mapping[str, str]) -> int:
    """Run until a signal comes or the supervisor ends. Returns the exit code: 0 after a wanted stop."""
    path = layout.run_dir / "supervisord.conf"
    path.write_text(config)
    adopt_orphans()
    asked = _StopRequests()
    process = subprocess.Popen(  # noqa: S603 - our own command
        [*_stop_with_us(), sys.executable, "-P", str(_SUPERVISORD), "--configuration", str(path)],
        cwd=layout.local_dir,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C reaches us alone; we stop the programs in order
    )
    asked.pass_on_to(process.pid)
    try:
        code = wait_for(process.pid)
    finally:
        kill_children()
        for socket in layout.sockets:
            socket.unlink(missing_ok=True)
        if layout.socket_dir != layout.run_dir:
            with contextlib.suppress(OSError):
                layout.socket_dir.rmdir()
    if asked.stopping:
        say("stopped")
        return 0
    say(f"error: the supervisor ended by itself ({code}); see {layout.log_dir}/supervisord.log")
    return 1


def _stop_with_us() -> list[str]:
    """Linux: even if we are killed, the supervisor is told to stop, and takes its programs along."""
    setpriv = shutil.which("setpriv")
    return [setpriv, "--pdeathsig", "TERM", "--"] if setpriv and Path("/proc").is_dir() else []


class _StopRequests:
    """The first signal stops in order, the second at once."""

    def __init__(self) -> None:
        self.stopping = False
        self._pid: int | None = None
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def pass_on_to(self, pid: int) -> None:
        self._pid = pid
        if self.stopping:
            self._send(signal.SIGTERM)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        again = self.stopping
        self.stopping = True
        if not again:
            say("\nstopping … (again to stop at once)")
        self._send(signal.SIGKILL if again else signal.SIGTERM)

    def _send(self, number: int) -> None:
        if self._pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, number)
