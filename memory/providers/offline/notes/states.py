"""States of a thing: which words say the same, and which exclude each other."""

from memory.providers.offline.text import stem

_AXES = """
    green passing passed passes pass succeeded successful success | red failing failed \
      failure fails fail broken | yellow
    up online available live reachable running operational working healthy | down offline \
      unavailable unreachable broken crashed dead out-of-service
    open reopened unresolved | closed shut resolved merged fixed
    draft | merged
    paid settled | unpaid outstanding overdue pending due
    approved accepted granted passed | rejected declined denied refused vetoed | pending
    pending todo planned queued unstarted | ongoing in-progress underway | paused blocked \
      suspended halted | done finished completed complete closed | cancelled canceled \
      abandoned scrapped dropped
    enabled on activated | disabled off deactivated
    active | inactive suspended archived retired deprecated discontinued expired cancelled \
      canceled closed
    delivered received arrived | in-transit undelivered pending lost | cancelled canceled
    shipped dispatched sent in-transit | cancelled canceled unshipped pending
    signed | unsigned
    on-track on-time punctual ahead | delayed behind late overdue blocked stuck | cancelled
    stable recovering healthy well | critical unstable ill sick | dead deceased
    increased doubled tripled rising \
      rose grew growing up higher improved | decreased halved falling fell dropped \
      declined shrank down lower worsened | flat unchanged
    public | private internal confidential
    confirmed proven verified | refuted disproved disproven
    confirmed | cancelled canceled unconfirmed tentative
    full | empty
    hired | fired
    mandatory required compulsory obligatory | optional voluntary
    allowed permitted | forbidden prohibited banned disallowed
    manual | automatic automated
    full-time | part-time
    won | lost
    sold | unsold
    busy occupied taken | free vacant available
    locked | unlocked
    cheap | expensive
    faster quicker | slower
    well smoothly good | badly poorly bad terribly
    booked | free vacant available
    raised raises | lowered lowers reduced reduces cut
    encrypted | unencrypted plaintext
    started | stopped
    synchronous sync | asynchronous async
    indoors indoor inside | outdoors outdoor outside
    married | single divorced widowed
    alive | dead deceased
    free | paid
    vegan vegetarian | omnivore carnivore
    remote | onsite
    internal | external
    permanent | temporary
    valid | invalid expired
    true | false
    high | low | medium
    easy | hard difficult
    hot | cold | warm
    wet | dry
    early | late
    tabs | spaces
    read-only | writable read-write
    gold | silver | bronze | platinum
    daily nightly | weekly | monthly | quarterly | yearly | hourly
""".strip()
AXES: list[dict[str, int]] = [
    {stem(word): pole for pole, part in enumerate(line.split("|")) for word in part.split()}
    for line in _AXES.splitlines()
]
STATES: dict[str, list[tuple[int, int]]] = {}
for _number, _axis in enumerate(AXES):
    for _word, _pole in _axis.items():
        STATES.setdefault(_word, []).append((_number, _pole))
# participles and verbs that say a state by themselves: "the deploy failed", "sales increased"
STATE_VERBS = frozenset(
    (
        "doubled tripled halved passed failed succeeded crashed increased decreased rose fell "
        "grew dropped declined improved "
        "worsened closed opened resolved merged fixed approved rejected accepted shipped delivered "
        "cancelled canceled paused finished completed started stopped expired enabled disabled won "
        "lost fails fail passes pass reopened arrived"
    ).split()
)


def exclude(x: str, y: str) -> bool:
    """Whether two stems are states of which a thing has one: open and closed."""
    return x != y and any(
        axis == other and pole != other_pole
        for axis, pole in STATES.get(x, ())
        for other, other_pole in STATES.get(y, ())
    )


def agree(x: str, y: str) -> bool:
    """Whether two stems are words for one state: down and offline."""
    return any(place in STATES.get(y, ()) for place in STATES.get(x, ()))
