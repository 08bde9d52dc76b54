"""Which folders may hold memory: real ones, inside the allowed roots or the data folder, never the server's own."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from django.conf import settings

from agents.core.errors import Invalid
from search.sentences import sentence

PRIVATE_FOLDERS = ("indexes", "run", "models", "backups", "replaced", "history", "transcripts", "evaluation", "logs")
"""Inside the data folder and the local folder, these are the server's own."""

MAX_PATH_CHARS = 1000


def data_dir() -> Path:
    """What is true: workspaces, transcripts, kept versions, backups. Several servers share it."""
    return Path(settings.MEMORY_DATA_DIR)


def make_folder(folder: Path) -> None:
    """Make `folder` and those above it, but never the data folder: a share that is away is not replaced by a new one.

    Raises `OSError`.
    """
    data = data_dir()
    if not data.is_dir() and (folder.is_relative_to(data) or folder.is_relative_to(data.resolve())):
        raise FileNotFoundError(errno.ENOENT, "the data folder is away", str(data))
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)


def local_dir() -> Path:
    """Of this server alone: indexes, sockets, models, logs. What is lost with it comes back from the data folder."""
    return Path(settings.MEMORY_LOCAL_DIR)


def index_path(slug: str) -> Path:
    return local_dir() / "indexes" / f"{slug}.sqlite"


def default_workspace(slug: str) -> Path:
    return data_dir() / "workspaces" / slug


def allowed_roots() -> tuple[Path, ...]:
    """As the owner wrote them; the data folder last."""
    return (*(Path(root) for root in settings.MEMORY_ALLOWED_ROOTS), data_dir())


def workspace_fault(workspace: str) -> str:
    """Why no service would have stored this workspace; "" when it is one. Nothing below the roots is looked at."""
    folder = Path(workspace)
    if "\0" in workspace or not folder.is_absolute() or ".." in folder.parts:
        return sentence("is no absolute path")
    try:
        refuse_server_folders(folder, "workspace", "")
    except Invalid:
        return sentence("takes in the server's own files")
    if outside_roots(folder):
        return sentence("lies outside the allowed roots (MEMORY_ALLOWED_ROOTS)")
    return ""


def outside_roots(folder: Path) -> bool:
    """Whether no allowed root holds it, by its name alone."""
    return not any(folder.is_relative_to(one) for root in allowed_roots() for one in (root, root.resolve()))


def in_workspace(workspace: str, path: str) -> bool:
    """Whether a collection at `path` lies in that workspace; a relative path is taken from there.

    Only the whole appliance's administrators may take in other folders: another agent's could be among them.
    """
    return not path.startswith(("/", "~")) or Path(os.path.normpath("/" + path.lstrip("/"))).is_relative_to(workspace)


def checked_folder(text: str, *, field: str, transcripts_of: str = "") -> Path:
    """The real path of the folder that `text` names. It may not exist yet.

    `transcripts_of` is the agent whose own transcripts the folder may hold: for collections of kind `sessions` only,
    whose privacy the gate knows.

    Raises `Invalid` when it is not absolute, leaves the allowed roots, passes a symlink, is a file, or would take
    in the server's own folders. Roots are trusted as the owner gave them; everything below them is looked at.
    """
    folder = _below_allowed_root(_absolute(text, field), field)
    refuse_server_folders(folder, field, transcripts_of)
    return folder


def checked_file(text: str, *, field: str) -> Path:
    """The real path of the file that `text` names, also one beside the server's own folders. Opening tells what it is.

    Raises like `checked_folder`.
    """
    path = _absolute(text, field)
    path = _below_allowed_root(path.parent, field) / path.name
    refuse_server_folders(path, field, "")
    return path


def _absolute(text: str, field: str) -> Path:
    if not text or len(text) > MAX_PATH_CHARS:
        raise _refused(
            field,
            sentence("A folder needs 1 to {max_path_chars} characters.", max_path_chars=MAX_PATH_CHARS),
            sentence("Give an absolute folder."),
        )
    if any(ord(character) < 32 or 0xD800 <= ord(character) <= 0xDFFF for character in text):
        raise _refused(field, sentence("A folder name may not hold control characters."), sentence("Remove them."))
    if not text.startswith("/"):
        raise _refused(
            field, sentence("The folder is not absolute."), sentence("Write the path from the root, without ~.")
        )
    if ".." in text.split("/"):
        raise _refused(field, sentence("The folder contains `..`."), sentence("Write the path without it."))
    return Path(os.path.normpath("/" + text.lstrip("/")))


def _below_allowed_root(folder: Path, field: str) -> Path:
    for root in allowed_roots():
        real_root = root.resolve()
        for spelling in (root, real_root):
            if folder.is_relative_to(spelling):
                return _walk(real_root, folder.relative_to(spelling).parts, field)
    raise _refused(
        field,
        sentence("The folder lies outside the allowed roots."),
        sentence("Use a folder inside the data folder, or add its root to MEMORY_ALLOWED_ROOTS and restart."),
        code="path_not_allowed",
    )


def _walk(root: Path, parts: tuple[str, ...], field: str) -> Path:
    folder = root
    try:
        for part in parts:
            folder /= part
            if folder.is_symlink():
                raise _refused(
                    field,
                    sentence("{folder} is a symlink, and symlinks are not followed.", folder=folder),
                    sentence("Give the real folder."),
                    code="path_not_allowed",
                )
        if folder.exists() and not folder.is_dir():
            raise _refused(
                field,
                sentence("{folder} is not a folder.", folder=folder),
                sentence("Give a folder of Markdown files."),
            )
    except OSError as error:
        raise _refused(
            field,
            sentence("{folder} cannot be looked at: {strerror}.", folder=folder, strerror=error.strerror),
            sentence("Check its owner and mode."),
        ) from error
    return folder


def refuse_server_folders(folder: Path, field: str, transcripts_of: str) -> None:
    """Raises `Invalid` for a folder that is, holds or lies in one of the server's own."""
    own = data_dir().resolve()
    if transcripts_of and folder.is_relative_to(own / "transcripts" / transcripts_of):
        return
    for private in (root / name for root in {own, local_dir().resolve()} for name in PRIVATE_FOLDERS):
        if private.is_relative_to(folder) or folder.is_relative_to(private):
            raise _refused(
                field,
                sentence("The folder would take in the server's own files."),
                sentence("Use a folder such as {own}/<agent>.", own=own / "workspaces"),
                code="path_not_allowed",
            )


def _refused(field: str, message: str, hint: str, *, code: str = "") -> Invalid:
    return Invalid(message, hint=hint, field=field, code=code)
