"""Keys derived for one tenant and one purpose from the installation's MASTER_KEY (G12)."""

import hmac

from django.conf import settings


def tenant_secret(tenant_id: int, purpose: str) -> bytes:
    """32 bytes, the same for the same MASTER_KEY, tenant and purpose. HMAC-SHA256."""
    master = str(settings.MASTER_KEY).encode()
    return hmac.digest(master, f"{purpose}:{tenant_id}".encode(), "sha256")
