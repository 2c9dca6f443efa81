"""A tenant that shares memory and is heard by a real receiver, for the tests of webhooks."""

from collections.abc import Sequence

from memory.events import deliver, subscriptions
from memory.events.envelope import SUBSCRIBABLE
from memory.models import Attempt, Delivery, Event, Webhook
from tenants.actor import COMMAND
from tests.factories import World
from tests.receivers import Receiver, Taken
from tests.sealed import make_shared

WORDS = "Zoë – 花生 1.0 </script>"


class Hooked(World):
    """`hook` hears of everything that can be heard, at the receiver's address."""

    def __init__(self, receiver: Receiver, events: Sequence[Event.Kind] = SUBSCRIBABLE) -> None:
        super().__init__()
        self.receiver = receiver
        self.hook, self.secret = self.subscribe(receiver.url, events)

    def subscribe(
        self, url: str, events: Sequence[Event.Kind] = SUBSCRIBABLE
    ) -> tuple[Webhook, str]:
        with self.inside():
            return subscriptions.subscribe(url=url, events=events, by=COMMAND)

    def write(self, text: str = WORDS) -> int:
        with self.inside():
            return make_shared(text, writer="planner").pk

    def work(self) -> None:
        """The stage over this tenant until it finds nothing."""
        while deliver.step(self.tenant.pk).taken:
            pass

    def time_passes(self) -> None:
        """Whatever waits for a time is due, and leases are over."""
        with self.inside():
            Delivery.objects.update(not_before=None)
            for row in Delivery.objects.exclude(lease_until=None):
                Delivery.objects.filter(pk=row.pk).update(lease_until=row.created_at)

    def deliveries(self) -> list[Delivery]:
        with self.inside():
            return list(Delivery.objects.order_by("id").select_related("event", "webhook"))

    def delivery(self) -> Delivery:
        (row,) = self.deliveries()
        return row

    def attempts(self) -> list[tuple[int | None, str]]:
        with self.inside():
            return list(Attempt.objects.order_by("id").values_list("status", "error"))

    def reread(self) -> Webhook:
        with self.inside():
            return Webhook.objects.get(pk=self.hook.pk)

    @property
    def taken(self) -> list[Taken]:
        return self.receiver.taken
