CREATE OR REPLACE FUNCTION end_audit()
RETURNS TABLE (entries bigint, up_to bigint)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
-- Ends the open tenant's audit entries that are sealed and older than the tenant keeps them. The
-- last seal that covers them stays: from it the chain is verified. Nothing else can be removed.
DECLARE
    own bigint := nullif(current_setting('app.tenant', true), '')::bigint;
    kept timestamptz;
    young bigint;
    last bigint;
    removed bigint;
BEGIN
    SELECT now() - make_interval(days => t.audit_days) INTO kept
    FROM tenants_tenant t WHERE t.id = own;
    IF kept IS NULL THEN
        RETURN;
    END IF;
    -- A seal ends whole: only if none of what it covers is to be kept.
    SELECT e.id INTO young FROM tenants_auditentry e
    WHERE e.tenant_id = own AND e.at >= kept ORDER BY e.id LIMIT 1;
    SELECT max(s.up_to) INTO last FROM (
        SELECT a.up_to FROM tenants_auditseal a
        WHERE a.tenant_id = own AND (young IS NULL OR a.up_to < young)
          AND EXISTS (SELECT FROM tenants_auditentry e
                      WHERE e.tenant_id = own AND e.id <= a.up_to)
        ORDER BY a.up_to LIMIT 20
    ) s;
    IF last IS NULL THEN
        RETURN;
    END IF;
    DELETE FROM tenants_auditentry e WHERE e.tenant_id = own AND e.id <= last;
    GET DIAGNOSTICS removed = ROW_COUNT;
    DELETE FROM tenants_auditseal s WHERE s.tenant_id = own AND s.up_to < last;
    RETURN QUERY SELECT removed, last;
END
$$
