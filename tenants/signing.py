"""Signing in and out, under a tenant's prefix and without it."""

from typing import Any

from django.contrib.auth import views
from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.forms import AuthenticationForm
from django.shortcuts import resolve_url
from django.utils.decorators import method_decorator


class SignIn(views.LoginView):
    """To where the visitor wanted to go, else to the queue."""

    template_name = "tenants/sign_in.html"
    form_class = AuthenticationForm
    redirect_authenticated_user = True

    def get_default_redirect_url(self) -> str:
        return resolve_url("review:queue")


@method_decorator(login_not_required, name="dispatch")
class SignOut(views.LogoutView):
    """By POST only; back to the sign-in page of the same prefix."""

    def get_default_redirect_url(self) -> str:
        return resolve_url("sign-in")

    def get_success_url(self) -> Any:
        return self.get_default_redirect_url()
