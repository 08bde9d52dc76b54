"""`manage.py nodes list|add|remove|move|moves|cancel`: several servers as one. Exit code 1 with one clear line."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from agents.actors import CLI
from agents.errors import RuleError
from agents.nodes.moves import cancel_move
from agents.nodes.registry import add_node, enter_own_node, remove_node
from memory_appliance.management.nodes.listing import show_moves, show_nodes
from memory_appliance.management.nodes.move import move_agent


class Command(BaseCommand):
    help = "The nodes of a fleet and the agents on them; see docs/nodes.md."
    requires_system_checks = ()

    def add_arguments(self, parser: CommandParser) -> None:
        kinds = parser.add_subparsers(dest="kind", required=True, metavar="list|add|remove|move|moves|cancel")
        kinds.add_parser("list", help="who there is, who lives, who has how many agents")
        add = kinds.add_parser("add", help="enter a node before its first start, or change its address")
        add.add_argument("name")
        add.add_argument("url")
        remove = kinds.add_parser("remove", help="take out a node that has no agents")
        remove.add_argument("name")
        move = kinds.add_parser("move", help="move an agent with its files to another node")
        move.add_argument("agent")
        move.add_argument("--to", required=True, metavar="NODE")
        move.add_argument("--no-wait", action="store_false", dest="wait", help="start it and return")
        kinds.add_parser("moves", help="the latest moves and how far they are")
        cancel = kinds.add_parser("cancel", help="give a move up")
        cancel.add_argument("agent")
        kinds.add_parser("enter", help="what every start does: enter this server under its name")

    def handle(self, *args: Any, kind: str, **options: Any) -> None:
        try:
            if kind == "list":
                show_nodes(self.stdout)
            elif kind == "add":
                add_node(actor=CLI, name=options["name"], url=options["url"])
            elif kind == "remove":
                remove_node(actor=CLI, name=options["name"])
            elif kind == "move":
                move_agent(self.stdout, slug=options["agent"], target=options["to"], wait=options["wait"])
            elif kind == "moves":
                show_moves(self.stdout)
            elif kind == "cancel":
                cancel_move(actor=CLI, slug=options["agent"])
            elif taken := enter_own_node():
                self.stdout.write(f"  the first node: it takes the {taken} agents that are here")
        except RuleError as error:
            raise CommandError(f"{error.message} {error.hint}".strip()) from error
