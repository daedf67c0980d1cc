-- What rules in shadow would have said of a decision, and which these are: empty where none matched.
--
-- Written by whoever records, and not read from the payload, as 0008 does: no decision of before has any, and looking for it
-- in the payload of each of them would cost every search.
-- `shadow_verdict` is a verdict, or 'UNKNOWN'; then `shadow_code` is empty.
-- Key, partition and TTL stay what they were.
ALTER TABLE decisions
    ADD COLUMN IF NOT EXISTS shadow_verdict LowCardinality(String),
    ADD COLUMN IF NOT EXISTS shadow_code LowCardinality(String),
    ADD COLUMN IF NOT EXISTS shadow_rules Array(LowCardinality(String));
