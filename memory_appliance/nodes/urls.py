"""The addresses of the node door; a single server has none of them."""

from __future__ import annotations

from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_GET, require_POST

from memory_appliance.nodes.views import files, freeze, inventory, of_a_move

urlpatterns = [
    path("moves/<int:move_id>/freeze", csrf_exempt(require_POST(of_a_move(freeze)))),
    path("moves/<int:move_id>/inventory", require_GET(of_a_move(inventory))),
    path("moves/<int:move_id>/files", csrf_exempt(require_POST(of_a_move(files)))),
]
