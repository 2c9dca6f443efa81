"""The admin's classes for who: tenant, members, keys, audit; users for operators."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.http import HttpRequest

from tenants.admin import AdminsOnly, OperatorAdmin, RecordAdmin, TenantAdmin, caller_of, site
from tenants.audit import record_each
from tenants.models import AuditEntry, AuditSeal, Membership, Role, Tenant, Token


@admin.register(Tenant, site=site)
class TenantRecord(TenantAdmin):
    """The tenant one works in, and no other."""

    editors = "administer"
    list_display = ("slug", "name", "memory_enabled", "space", "created_at")
    readonly_fields = ("slug", "space", "space_wanted", "created_at")


class Joining(forms.ModelForm):  # type: ignore[type-arg]
    """A new member is named, not chosen: a list would show the accounts of other tenants."""

    username = forms.CharField(max_length=150, help_text="The name of an account that exists")

    class Meta:
        model = Membership
        fields = ("role",)

    def clean_username(self) -> str:
        name = str(self.cleaned_data["username"])
        user = User.objects.filter(username=name, is_active=True).first()
        if user is None:
            raise forms.ValidationError("There is no such account.")
        if Membership.objects.filter(user=user).exists():
            raise forms.ValidationError("This account is a member already.")
        self.instance.user = user
        return name


@admin.register(Membership, site=site)
class MembershipRecord(AdminsOnly):
    """Only an owner makes or unmakes owners, and the last one stays."""

    editors = "administer"
    may_add = may_delete = True
    list_display = ("id", "user", "role", "created_at")
    list_filter = ("role",)
    list_select_related = ("user",)
    search_fields = ("user__username",)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        if obj is None:
            kwargs["form"] = Joining
        return super().get_form(request, obj, change, **kwargs)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("username", "role") if obj is None else ("user", "role")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("user",) if obj is not None else ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        may = super().has_change_permission(request, obj)
        return may and (obj is None or obj.role != Role.OWNER or _is_owner(request))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        may = super().has_delete_permission(request, obj)
        return may and (obj is None or not _is_last_owner(obj))

    def formfield_for_choice_field(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name == "role" and not _is_owner(request):
            kwargs["choices"] = [choice for choice in Role.choices if choice[0] != Role.OWNER]
        return super().formfield_for_choice_field(db_field, request, **kwargs)

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if change and "role" in form.changed_data:
            before = Membership.objects.select_for_update().get(pk=obj.pk)
            if before.role == Role.OWNER and _is_last_owner(before):
                raise PermissionDenied("a tenant keeps at least one owner")
        super().save_model(request, obj, form, change)


def _is_owner(request: HttpRequest) -> bool:
    caller = caller_of(request)
    return bool(request.user.is_superuser or (caller is not None and caller.role == Role.OWNER))


def _is_last_owner(membership: Membership) -> bool:
    others = Membership.objects.filter(role=Role.OWNER).exclude(pk=membership.pk)
    return membership.role == Role.OWNER and not others.exists()


@admin.register(Token, site=site)
class TokenRecord(AdminsOnly):
    """Prefix and dates; the key itself was shown once and is nowhere. One verb: revoke."""

    list_display = (
        "prefix", "kind", "name", "shared_agent", "scope", "tier", "created_at", "last_used_at",
        "revoked_at",
    )  # fmt: skip
    list_filter = ("kind", "scope", "tier", ("revoked_at", admin.EmptyFieldListFilter))
    search_fields = ("name", "prefix", "shared_agent")
    exclude = ("digest",)
    actions = ("revoke_selected",)

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    @admin.action(description="Revoke the selected", permissions=["revoke"])
    def revoke_selected(self, request: HttpRequest, rows: QuerySet[Token]) -> None:
        """Of every kind; those that are revoked stay as they are."""
        live = rows.filter(revoked_at=None).select_for_update(of=("self",)).order_by("pk")
        numbers = list(live.values_list("pk", flat=True))
        Token.objects.filter(pk__in=numbers).update(revoked_at=Now())
        caller = caller_of(request)
        assert caller is not None
        record_each("token.revoked", by=caller.actor, subject="token", subject_ids=numbers)
        self.message_user(request, f"{len(numbers)} revoked.")


@admin.register(AuditEntry, site=site)
class AuditRecord(AdminsOnly):
    list_display = ("at", "verb", "actor", "user", "subject", "subject_id")
    list_filter = ("actor", "subject")
    list_select_related = ("user",)
    search_fields = ("verb",)
    ordering = ("-at", "-pk")


@admin.register(AuditSeal, site=site)
class SealRecord(AdminsOnly):
    list_display = ("up_to", "at", "hash")
    ordering = ("-up_to",)


@admin.register(User, site=site)
class UserRecord(OperatorAdmin, UserAdmin):  # type: ignore[type-arg]
    """Accounts of the whole installation."""

    list_filter = ("is_superuser", "is_active")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return RecordAdmin.get_queryset(self, request)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A user who decided something stays: the decision names them. Switch them off instead."""
        return False
