"""The ASGI application: Django, and later what is mounted beside it."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("KEEPSAKE_PROCESS", "web")

django_application = get_asgi_application()

# `/mcp` is mounted here, in front of Django: none of Django's middleware is behind it.
application = django_application
