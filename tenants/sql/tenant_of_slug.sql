CREATE OR REPLACE FUNCTION tenant_of_slug(wanted text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT id FROM tenants_tenant WHERE slug = wanted $$
