"""Signing in and out, under a tenant's prefix and without it. Guessing is slowed down."""

import hashlib
from datetime import timedelta
from typing import Any

from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.core.exceptions import ValidationError
from django.shortcuts import resolve_url
from django.utils.decorators import method_decorator

from tenants.limits import Limit, client_address, hit

WINDOW = timedelta(minutes=5)
TRIES_OF_A_NAME = 10
TRIES_OF_AN_ADDRESS = 50


class SignInForm(AuthenticationForm):
    """Counts each try, right or wrong, before the password is looked at."""

    def clean(self) -> dict[str, Any]:
        name = str(self.cleaned_data.get("username", "")).casefold()
        limits = [
            Limit("sign-in name", hashlib.sha256(name.encode()).hexdigest(), TRIES_OF_A_NAME),
        ]
        if self.request is not None:
            address = Limit("sign-in address", client_address(self.request), TRIES_OF_AN_ADDRESS)
            limits.insert(0, address)
        over = hit(limits, window=WINDOW)
        if over is not None:
            minutes = max(1, round(over.retry_after / 60))
            unit = "minute" if minutes == 1 else "minutes"
            raise ValidationError(f"Too many tries. Try again in {minutes} {unit}.", code="limit")
        return super().clean()


class SignIn(views.LoginView):
    """To where the visitor wanted to go, else to the queue."""

    template_name = "tenants/sign_in.html"
    form_class = SignInForm
    redirect_authenticated_user = True

    def get_default_redirect_url(self) -> str:
        return resolve_url("review:queue")


@method_decorator(login_not_required, name="dispatch")
class SignOut(views.LogoutView):
    """By POST only; back to the sign-in page of the same prefix."""

    def get_success_url(self) -> str:
        return resolve_url("sign-in")
