-- Why a read was refused: the code of the problem, such as UNAUTHENTICATED or FORBIDDEN. Empty if the read was not
-- refused, or if an earlier version recorded it.
--
-- A request without a known key has an empty tenant, key_id and key_name. Operators of the plane ask for these.
-- Key, partition and TTL do not change.
ALTER TABLE audit_reads
    ADD COLUMN IF NOT EXISTS code LowCardinality(String);
