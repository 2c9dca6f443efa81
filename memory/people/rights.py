"""Who may do what to people's memories, in the words of the table of rights (E2).

A person is "own" to their token, and to the signed-in member who is that person (G14).
"""

from django.core.exceptions import PermissionDenied

from agents.models import Visitor
from tenants.caller import Caller


def is_own(caller: Caller, visitor: Visitor | None) -> bool:
    if visitor is None:
        return False
    if caller.sort == "person":
        return caller.visitor_id == visitor.pk
    return caller.user_id is not None and caller.user_id == visitor.user_id


def may_read_person(caller: Caller, visitor: Visitor | None) -> None:
    """Members, an organisation's key, the person."""
    if not (caller.is_member or caller.sort == "organisation" or is_own(caller, visitor)):
        raise PermissionDenied("reading a person's memories needs a member, a key or the person")


def may_write_person(caller: Caller, visitor: Visitor | None) -> None:
    """Editors, an organisation's key, the person."""
    if not (caller.can_edit or caller.sort == "organisation" or is_own(caller, visitor)):
        raise PermissionDenied("changing a person's memories needs an editor, a key or the person")


def may_set_for_person(caller: Caller, visitor: Visitor | None) -> None:
    """Settings, export, erase: admins, an organisation's key for every agent, the person."""
    if not (caller.can_administer or _whole_key(caller) or is_own(caller, visitor)):
        raise PermissionDenied("a person's settings need an admin, a key or the person")


def may_issue_for_person(caller: Caller) -> None:
    """Tokens of a person: admins and an organisation's key, never by another person token."""
    if not (caller.can_administer or _whole_key(caller)):
        raise PermissionDenied("a person's tokens need an admin or an organisation's key")


def may_reach_every_agent(caller: Caller) -> None:
    """What every agent knows about a person lies outside a key that is narrowed to one agent."""
    if caller.agent_id is not None:
        raise PermissionDenied("this key is narrowed to one agent")


def may_read_agent(caller: Caller) -> None:
    """Knowledge and categories: members and an organisation's key; no person token."""
    if not (caller.is_member or caller.sort == "organisation"):
        raise PermissionDenied("this needs a member or an organisation's key")


def may_curate(caller: Caller) -> None:
    """Knowledge and categories by hand: editors and an organisation's key."""
    if not (caller.can_edit or caller.sort == "organisation"):
        raise PermissionDenied("this needs an editor or an organisation's key")


def _whole_key(caller: Caller) -> bool:
    return caller.sort == "organisation" and caller.agent_id is None
