CREATE OR REPLACE FUNCTION tenant_of_key(wanted text) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT tenant_id FROM tenants_token WHERE digest = wanted $$
