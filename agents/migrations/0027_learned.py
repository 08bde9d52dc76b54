import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('agents', '0026_default_settings'),
    ]

    operations = [
        migrations.CreateModel(
            name='RejectedLine',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('digest', models.BinaryField(help_text='Of what the line says, without case and bullet.', max_length=16)),
                ('at', models.DateTimeField(auto_now_add=True)),
                ('agent', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rejected_lines', to='agents.agent')),
            ],
            options={
                'constraints': (models.UniqueConstraint(fields=('agent', 'digest'), name='one_rejection_per_line'),),
            },
        ),
        migrations.AddField(
            model_name='workspacewrite',
            name='reviewed',
            field=models.CharField(blank=True, choices=[('', 'Open'), ('kept', 'Kept'), ('rejected', 'Rejected')], db_default='', default='', help_text='What a person decided.', max_length=8),
        ),
        migrations.AddIndex(
            model_name='workspacewrite',
            index=models.Index(condition=models.Q(('action', 'append'), ('reviewed', '')), fields=['agent', '-id'], name='writes_to_review'),
        ),
    ]
