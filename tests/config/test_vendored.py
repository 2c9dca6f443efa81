"""Files of others that we serve are the ones the pinned packages carry."""

from pathlib import Path

import django_htmx
from django.conf import settings


def test_htmx_is_the_package_s_own() -> None:
    theirs = Path(django_htmx.__file__).parent / "static/django_htmx/htmx-2.min.js"
    folder = settings.BASE_DIR / "static/vendor/htmx"
    assert (folder / "htmx.min.js").read_bytes() == theirs.read_bytes()
    assert 'version:"2.0.10"' in theirs.read_text()
    assert "2.0.10" in (folder / "README.md").read_text()
