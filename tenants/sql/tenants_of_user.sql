CREATE OR REPLACE FUNCTION tenants_of_user(wanted bigint) RETURNS TABLE (tenant_id bigint, slug text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$
    SELECT m.tenant_id, t.slug::text
    FROM tenants_membership m JOIN tenants_tenant t ON t.id = m.tenant_id
    WHERE m.user_id = wanted
    ORDER BY m.tenant_id
$$
