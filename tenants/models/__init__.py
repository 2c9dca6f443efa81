from tenants.models.audit import AuditEntry, AuditSeal
from tenants.models.base import CurrentTenant, InTenantKey, TenantRow
from tenants.models.tenant import Membership, Role, Tenant
from tenants.models.token import Token
from tenants.models.window import RateWindow

__all__ = [
    "AuditEntry",
    "AuditSeal",
    "CurrentTenant",
    "InTenantKey",
    "Membership",
    "RateWindow",
    "Role",
    "Tenant",
    "TenantRow",
    "Token",
]
