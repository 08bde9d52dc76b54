"""Nodes are gone: any server answers for any agent. What a fleet of nodes had spread has to be on one of them first."""

from django.core.exceptions import ImproperlyConfigured
from django.db import migrations, models


def refuse_a_fleet(apps, schema_editor):
    database = schema_editor.connection.alias
    names = sorted(apps.get_model("agents", "Node").objects.using(database).values_list("name", flat=True))
    if len(names) > 1:
        raise ImproperlyConfigured(
            f"the agents are spread over the nodes {', '.join(names)}; move them to one with the version before, remove "
            "the others, and start again: docs/scaling.md"
        )
    runs = apps.get_model("agents", "Run").objects.using(database).filter(agent=None, state__in=["queued", "running"])
    runs.exclude(node="").update(state="cancelled")


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0020_forgettings_that_are_finished'),
    ]

    operations = [
        migrations.RunPython(refuse_a_fleet, migrations.RunPython.noop),
        migrations.DeleteModel(name='AgentMove'),
        migrations.RemoveField(model_name='agent', name='node'),
        migrations.RemoveField(model_name='agent', name='frozen_at'),
        migrations.DeleteModel(name='Node'),
        migrations.RemoveConstraint(model_name='run', name='one_active_run_per_subject'),
        migrations.RemoveField(model_name='run', name='node'),
        migrations.AddConstraint(
            model_name='run',
            constraint=models.UniqueConstraint(condition=models.Q(('agent__isnull', True), ('state__in', ['queued', 'running'])), fields=('kind', 'subject'), name='one_active_run_per_subject'),
        ),
    ]
