from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0012_shared_tenancy"),
    ]

    operations = [
        migrations.AddField(
            model_name="mutation",
            name="sealed",
            field=models.BinaryField(null=True),
        ),
    ]
