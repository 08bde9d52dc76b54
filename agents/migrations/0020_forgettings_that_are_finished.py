from django.db import migrations, models


def mark_what_is_there(apps, schema_editor):
    """Until now every key was kept in small letters: such records count for each chat that may be meant."""
    apps.get_model("agents", "WorkspaceWrite").objects.using(schema_editor.connection.alias).exclude(session_key="").update(folded=True)
    apps.get_model("agents", "RecallToggle").objects.using(schema_editor.connection.alias).exclude(session="").update(folded=True)


FOLDED = {"default": False, "help_text": "Of a time when keys had small letters alone."}


class Migration(migrations.Migration):
    dependencies = [("agents", "0019_disk_quota")]

    operations = [
        migrations.AddField(
            model_name="tombstone",
            name="step",
            field=models.CharField(
                blank=True,
                choices=[("files", "Files"), ("rest", "Rest"), ("", "Done")],
                default="",
                help_text="What is to be done next, if any.",
                max_length=5,
            ),
        ),
        migrations.AddField(
            model_name="tombstone",
            name="name",
            field=models.CharField(
                blank=True, default="", help_text="The session key or path until all is done.", max_length=1024
            ),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="tombstone",
            name="taken",
            field=models.JSONField(
                default=list,
                help_text="Path, whole, first and last line of each text that goes, until somebody was told.",
            ),
        ),
        migrations.AddField(
            model_name="tombstone",
            name="problem",
            field=models.CharField(
                blank=True, default="", help_text="Why it cannot be finished yet.", max_length=500
            ),
            preserve_default=False,
        ),
        migrations.AddIndex(
            model_name="tombstone",
            index=models.Index(
                condition=models.Q(("step", ""), _negated=True), fields=["agent"], name="forgettings_to_finish"
            ),
        ),
        migrations.AddField(model_name="workspacewrite", name="folded", field=models.BooleanField(**FOLDED)),
        migrations.AddField(model_name="recalltoggle", name="folded", field=models.BooleanField(**FOLDED)),
        migrations.RunPython(mark_what_is_there, migrations.RunPython.noop),
    ]
