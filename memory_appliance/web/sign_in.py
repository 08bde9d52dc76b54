"""Signing in and changing one's password: guesses are counted, and who came in is in the audit log."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView, PasswordChangeView
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext as _

from agents.access.first_owner import nobody_yet
from agents.core.actors import Actor
from agents.core.audit import record
from memory_appliance.admission.throttles import LOGIN_FAILURES, NAME_FAILURES, TooMany, refuse_when_used_up, take
from memory_appliance.refusals.codes import ErrorCode
from memory_appliance.web.page import bare_failure


class SignIn(LoginView):
    """The one login page, also of Django's admin."""

    template_name = "account/login.html"

    def get(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        """Where there is nobody who could sign in, the first owner is made."""
        return HttpResponseRedirect(reverse("start")) if nobody_yet() else super().get(request, *args, **kwargs)

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        try:
            refuse_when_used_up(LOGIN_FAILURES, _address(request))
            refuse_when_used_up(NAME_FAILURES, _name(request))
        except TooMany as error:
            return _wait(request, error)
        return super().post(request, *args, **kwargs)

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        record(actor=_actor(self.request), action="user.login")
        return response

    def form_invalid(self, form: AuthenticationForm) -> HttpResponse:
        """A name that nobody has is not noted: it may be a password in the wrong field."""
        name = _name(self.request)
        known = User.objects.filter(username__iexact=name).exists()
        record(
            actor=Actor("visitor", _address(self.request)),
            action="user.login.denied",
            target=f"user:{name}" if known else "",
        )
        try:
            take(LOGIN_FAILURES, _address(self.request))
            take(NAME_FAILURES, name)
        except TooMany as error:
            return _wait(self.request, error)
        return super().form_invalid(form)


class PasswordChange(PasswordChangeView):
    template_name = "account/password.html"
    success_url = reverse_lazy("overview")

    def form_valid(self, form: Any) -> HttpResponse:
        response = super().form_valid(form)
        record(actor=_actor(self.request), action="user.password")
        return response


def _wait(request: HttpRequest, error: TooMany) -> HttpResponse:
    response = bare_failure(
        request,
        status=ErrorCode.TOO_MANY_REQUESTS.status,
        message=_("Too many wrong passwords."),
        hint=_("Try again in %(n)s seconds.") % {"n": error.retry_after},
    )
    response["Retry-After"] = str(error.retry_after)
    return response


def _actor(request: HttpRequest) -> Actor:
    return Actor(f"user:{request.user.get_username()}", _address(request))


def _address(request: HttpRequest) -> str:
    return str(request.META.get("REMOTE_ADDR", ""))


def _name(request: HttpRequest) -> str:
    return request.POST.get("username", "").strip().casefold()[:150]
