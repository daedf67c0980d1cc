-- The subject and the answer of an approval. With them a query can find the decision that a grant let through: it has
-- the same agent, action and digest, and a higher ledger sequence.
--
-- ClickHouse reads these values from the payload, so events that were recorded before this migration have them too.
-- They are empty for every event but 'approval.recorded'. Key, partition and TTL do not change: these are few rows,
-- read whole.
ALTER TABLE control_events
    ADD COLUMN IF NOT EXISTS action_id String MATERIALIZED JSONExtractString(payload, 'approval', 'actionId'),
    ADD COLUMN IF NOT EXISTS digest String MATERIALIZED JSONExtractString(payload, 'approval', 'digest'),
    ADD COLUMN IF NOT EXISTS answer LowCardinality(String) MATERIALIZED JSONExtractString(payload, 'approval', 'answer');
