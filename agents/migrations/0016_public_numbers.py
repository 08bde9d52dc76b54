from django.db import migrations, models

_NUMBER = """
UPDATE {table} SET number = numbered.number
FROM (SELECT id, row_number() OVER (PARTITION BY agent_id ORDER BY id) AS number FROM {table}
      WHERE agent_id IS NOT NULL) AS numbered
WHERE numbered.id = {table}.id
"""
_COUNT = """
UPDATE agents_agent SET {counter} = COALESCE((SELECT max(number) FROM {table} WHERE agent_id = agents_agent.id), 0)
"""


def number_what_is_there(apps, schema_editor):
    """In the order in which it came, within each agent."""
    for table, counter in (("agents_run", "runs_numbered"), ("agents_recallevent", "recalls_numbered")):
        schema_editor.execute(_NUMBER.format(table=table))
        schema_editor.execute(_COUNT.format(table=table, counter=counter))


def _number():
    return models.PositiveBigIntegerField(default=0, help_text="Within the agent, from 1; 0 without an agent.")


class Migration(migrations.Migration):
    dependencies = [("agents", "0015_unfinished_writes")]

    operations = [
        migrations.AddField(
            model_name="agent",
            name="runs_numbered",
            field=models.PositiveBigIntegerField(default=0, help_text="The number of its latest run."),
        ),
        migrations.AddField(
            model_name="agent",
            name="recalls_numbered",
            field=models.PositiveBigIntegerField(default=0, help_text="The number of its latest recall event."),
        ),
        migrations.AddField(model_name="run", name="number", field=_number()),
        migrations.AddField(model_name="recallevent", name="number", field=_number()),
        migrations.RunPython(number_what_is_there, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="run", index=models.Index(fields=["agent", "number"], name="agents_run_agent_number_idx")
        ),
        migrations.AddIndex(
            model_name="recallevent",
            index=models.Index(fields=["agent", "number"], name="agents_recall_agent_number_idx"),
        ),
    ]
