"""Gathers what the admin shows: each of these registers its records with `tenants.admin.site`."""

import agents.admin  # noqa: F401
import memory.interfaces.admin.health
import memory.interfaces.admin.listeners
import memory.interfaces.admin.mutations
import memory.interfaces.admin.records
import memory.interfaces.admin.sharing
import memory.interfaces.admin.webhooks  # noqa: F401
import tenants.records  # noqa: F401
