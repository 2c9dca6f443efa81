CREATE OR REPLACE FUNCTION tenants_with_work(wanted text, most integer)
RETURNS TABLE (tenant_id bigint)
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT w.tenant_id FROM (
        SELECT c.tenant_id, c.last_received_at AS since
        FROM agents_conversation c
        JOIN agents_agent a ON a.id = c.agent_id
        WHERE (wanted = 'observe' AND a.mode = 'reviewed'
               OR wanted = 'extract' AND a.mode = 'automatic')
          AND c.observed_to < c.last_position AND c.parked_at IS NULL
          AND (c.not_before IS NULL OR c.not_before <= now())
        UNION ALL
        SELECT o.tenant_id, o.created_at
        FROM memory_observation o
        WHERE wanted = 'reconcile' AND o.status IN ('new', 'deferred') AND o.parked_at IS NULL
          AND (o.not_before IS NULL OR o.not_before <= now())
        UNION ALL
        SELECT u.tenant_id, u.not_before
        FROM memory_unembedded u
        WHERE wanted = 'embed' AND u.parked_at IS NULL
          AND (u.not_before IS NULL OR u.not_before <= now())
        UNION ALL
        SELECT e.tenant_id, e.created_at
        FROM memory_event e
        WHERE wanted = 'deliver' AND e.dispatched_at IS NULL
        UNION ALL
        SELECT d.tenant_id, d.created_at
        FROM memory_delivery d
        WHERE wanted = 'deliver' AND d.status = 'waiting' AND d.parked_at IS NULL
          AND (d.not_before IS NULL OR d.not_before <= now())
        UNION ALL
        SELECT h.tenant_id, h.created_at
        FROM memory_hearing h
        WHERE wanted = 'listen' AND h.status = 'waiting' AND h.parked_at IS NULL
          AND (h.not_before IS NULL OR h.not_before <= now())
        UNION ALL
        SELECT r.tenant_id, r.next_run_at
        FROM agents_scheduledrun r
        WHERE wanted = 'scheduled' AND r.active AND r.parked_at IS NULL
          AND (r.next_run_at IS NULL OR r.next_run_at <= now())
          AND (r.not_before IS NULL OR r.not_before <= now())
        UNION ALL
        SELECT x.tenant_id, x.not_before
        FROM memory_unextracted x
        WHERE wanted = 'graph' AND x.parked_at IS NULL
          AND (x.not_before IS NULL OR x.not_before <= now())
        UNION ALL
        SELECT m.tenant_id, m.expires_at
        FROM memory_memory m
        WHERE wanted = 'sweep' AND m.deleted_at IS NULL AND m.superseded_by_id IS NULL
          AND m.expires_at <= now()
        UNION ALL
        SELECT p.tenant_id, p.expires_at
        FROM memory_mutation p
        WHERE wanted = 'sweep' AND p.status = 'pending' AND p.writer_id IS NOT NULL
          AND p.expires_at <= now()
        UNION ALL
        SELECT m.tenant_id, m.created_at
        FROM memory_memory m
        WHERE wanted = 'sweep' AND m.deleted_at IS NULL AND m.unchecked
        UNION ALL
        SELECT s.tenant_id, s.expires_at
        FROM memory_scratchentry s
        WHERE wanted = 'sweep' AND s.expires_at <= now()
        UNION ALL
        SELECT k.tenant_id, k.created_at
        FROM memory_tenantkey k
        WHERE wanted = 'encrypt' AND k.removed_at IS NULL
          AND (EXISTS (SELECT FROM memory_memory m
                       WHERE m.tenant_id = k.tenant_id AND m.kind = 'shared' AND m.sealed IS NULL)
               OR EXISTS (SELECT FROM memory_mutation p
                          WHERE p.tenant_id = k.tenant_id AND p.writer_id IS NOT NULL
                            AND p.sealed IS NULL
                            AND (p.draft ->> 'content' IS NOT NULL OR p.reasoning <> '')))
        UNION ALL
        SELECT t.id, t.created_at
        FROM tenants_tenant t
        WHERE wanted = 'audit'
          AND EXISTS (SELECT FROM tenants_auditentry e
                      WHERE e.tenant_id = t.id AND e.at < now() - interval '5 minutes'
                        AND e.id > coalesce((SELECT max(s.up_to) FROM tenants_auditseal s
                                             WHERE s.tenant_id = t.id), 0))
        UNION ALL
        SELECT t.id, t.created_at
        FROM tenants_tenant t
        WHERE wanted = 'retention'
    ) w
    GROUP BY w.tenant_id
    ORDER BY min(w.since) NULLS FIRST, w.tenant_id
    LIMIT most
$$
