"""The addresses of the files room."""

from __future__ import annotations

from django.urls import URLPattern, path

from memory_appliance.web.files.browse import files
from memory_appliance.web.files.edit import edit
from memory_appliance.web.files.forget import forget_file
from memory_appliance.web.files.history import history
from memory_appliance.web.files.new import new
from memory_appliance.web.files.read import raw, read

pages: list[URLPattern] = [
    path("agents/<slug:slug>/files", files, name="files"),
    path("agents/<slug:slug>/files/new", new, name="note-new"),
    path("agents/<slug:slug>/file", read, name="file"),
    path("agents/<slug:slug>/file/raw", raw, name="file-raw"),
    path("agents/<slug:slug>/file/edit", edit, name="file-edit"),
    path("agents/<slug:slug>/file/forget", forget_file, name="file-forget"),
    path("agents/<slug:slug>/history", history, name="history"),
]
