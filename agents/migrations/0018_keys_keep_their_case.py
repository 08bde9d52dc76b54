from django.db import migrations, models


def mark_what_is_there(apps, schema_editor):
    """Until now every key was kept in small letters: whose it was is seen when that chat goes on."""
    apps.get_model("agents", "Transcript").objects.using(schema_editor.connection.alias).update(folded=True)


class Migration(migrations.Migration):
    dependencies = [("agents", "0017_workspace_found_by_index")]

    operations = [
        migrations.AddField(
            model_name="transcript",
            name="folded",
            field=models.BooleanField(default=False, help_text="Of a time when keys had small letters alone."),
        ),
        migrations.RunPython(mark_what_is_there, migrations.RunPython.noop),
    ]
