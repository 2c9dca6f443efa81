"""Decisions that were not made: each with its HTTP status and a code, and why in words."""

from django.contrib.auth import get_user_model

from memory.models import Mutation


class ReviewRefused(Exception):
    """A decision that was not made. `status` is the HTTP answer; the message says why."""

    status = 409
    code = "refused"


class NoSuchMutation(ReviewRefused):
    """Unknown, or another tenant's: the same answer."""

    status = 404
    code = "not-found"


class MayNotDecide(ReviewRefused):
    status = 403
    code = "forbidden"


class InvalidEdit(ReviewRefused):
    status = 400
    code = "invalid"


class AlreadyDecided(ReviewRefused):
    code = "decided"

    def __init__(self, mutation: Mutation) -> None:
        self.mutation = mutation
        who = "the system"
        if mutation.resolved_by_id is not None:
            user = get_user_model().objects.filter(pk=mutation.resolved_by_id).first()
            who = user.get_username() if user is not None else f"user {mutation.resolved_by_id}"
        when = mutation.resolved_at.isoformat(timespec="seconds") if mutation.resolved_at else ""
        super().__init__(f"already {mutation.resolution} by {who} at {when}")


class ChangedSinceShown(ReviewRefused):
    code = "changed"


class Stale(ReviewRefused):
    code = "stale"


class OutOfScope(ReviewRefused):
    code = "out-of-scope"


class SwitchedOff(ReviewRefused):
    code = "off"


class NoConflict(ReviewRefused):
    code = "no-conflict"


class Unreadable(ReviewRefused):
    code = "unreadable"


class CannotUndo(ReviewRefused):
    code = "cannot-undo"
