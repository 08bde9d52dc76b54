from django.db import migrations, models
from django.db.models import F


def since_what_is_open(apps, schema_editor):
    """Until now a flush and a reset were recorded as one: nothing that an earlier note may hold is taken again."""
    apps.get_model("agents", "Transcript").objects.using(schema_editor.connection.alias).update(reset_from=F("open_from"))


class Migration(migrations.Migration):
    dependencies = [("agents", "0013_recall_event_choices")]

    operations = [
        migrations.AddField(
            model_name="transcript",
            name="reset_from",
            field=models.PositiveIntegerField(default=1, help_text="First part of what was said since the last reset."),
        ),
        migrations.RunPython(since_what_is_open, migrations.RunPython.noop),
    ]
