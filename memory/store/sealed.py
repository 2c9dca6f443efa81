"""Put the text of a shared memory under the customer's key, afterwards (D35)."""

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from memory.events.outbox import tell_nobody_of
from memory.models import Memory, MemoryVersion, Mention, Posting, Relation, Unextracted
from memory.sealing import DataKey, without_content


def seal(memory: Memory, key: DataKey) -> None:
    """Seal a memory that was written in the clear: row, versions, index entries, graph.

    What the memory says is the same, so its version stays and nobody is told. Its vectors stay,
    too. Entities that nothing mentions any more are left to the caller, who seals many. Inside
    `within`; the caller has locked the notes about the memory (`Unextracted`) and then the row.
    """
    sealed = key.seal(memory.content, uid=memory.uid)
    tell_nobody_of([memory.pk])  # a body that waits to be sent has the text in the clear
    Unextracted.objects.filter(memory=memory).delete()
    for entries in (Posting, Mention, Relation):
        entries._default_manager.filter(memory=memory).delete()
    for version in MemoryVersion.objects.filter(memory=memory, draft__content__isnull=False):
        version.draft = without_content(version.draft)
        version.save(update_fields=["draft"])
    memory.content, memory.sealed, memory.length, memory.extracted = "", sealed.text, 0, False
    memory.updated_at = Now()
    for hash in (sealed.hash, key.hash_of(f"{memory.uid} {sealed.hash}")):
        # A twin that was written sealed meanwhile has the text's hash. Both ids were answered, so
        # both stay, and the next duplicate finds the twin.
        memory.hash = hash
        try:
            with transaction.atomic():
                memory.save()
            return
        except IntegrityError:
            if hash != sealed.hash:
                raise
