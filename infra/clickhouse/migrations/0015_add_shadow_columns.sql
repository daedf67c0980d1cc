-- What rules in shadow mode would have decided, and the names of these rules: empty if none matched.
--
-- Recorders write these columns. ClickHouse does not read them from the payload, as it does in 0008: no earlier
-- decision has them, and a look into each payload would slow every search down.
-- `shadow_verdict` is a verdict, or 'UNKNOWN'; then `shadow_code` is empty.
-- Key, partition and TTL do not change.
ALTER TABLE decisions
    ADD COLUMN IF NOT EXISTS shadow_verdict LowCardinality(String),
    ADD COLUMN IF NOT EXISTS shadow_code LowCardinality(String),
    ADD COLUMN IF NOT EXISTS shadow_rules Array(LowCardinality(String));
