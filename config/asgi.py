"""The ASGI application: Django, and `/mcp` in front of it."""

import logging
import os
import warnings
from concurrent.futures import ThreadPoolExecutor

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("KEEPSAKE_PROCESS", "web")

import django
from django.db import OperationalError

from config.processes import end_with_server
from config.roles_check import refuse_unsafe_role

end_with_server()
# WhiteNoise reads a file in pieces, which are small: no reason to warn at every stylesheet.
warnings.filterwarnings("ignore", "StreamingHttpResponse must consume synchronous iterators")

django.setup(set_prefix=False)  # an address is of a request: SCRIPT_NAME holds the tenant's prefix

from config.handler import InOneThread  # noqa: E402 -- it reads settings
from config.warm import warm_in_the_background  # noqa: E402 -- it reads models: apps come first

try:
    with ThreadPoolExecutor(1) as aside:  # the server imports this from within its event loop
        aside.submit(refuse_unsafe_role).result()
except OperationalError:
    # The database is away: requests will say so until it is back.
    logging.getLogger("keepsake.start").warning("the database does not answer")

warm_in_the_background()

from config.mounted import mounted  # noqa: E402 -- it reads models: apps come first

application = mounted(InOneThread())
