-- Why a read was refused: the code of the problem, as UNAUTHENTICATED or FORBIDDEN; empty where it was not refused, or by an
-- earlier version.
--
-- One that shows nobody's key has an empty tenant, key_id and key_name: whoever runs the plane asks for these.
-- Key, partition and TTL stay what they were.
ALTER TABLE audit_reads
    ADD COLUMN IF NOT EXISTS code LowCardinality(String);
