CREATE OR REPLACE FUNCTION tenant_of_agent(wanted uuid) RETURNS bigint
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = public, pg_temp
AS $$ SELECT tenant_id FROM agents_agent WHERE uid = wanted $$
