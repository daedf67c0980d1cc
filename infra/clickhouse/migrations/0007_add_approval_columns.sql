-- What an approval was for, and what it said, so that a decision leads to it: the decision that a grant let through
-- carries the same agent, action and digest, and a higher ledger sequence.
--
-- Read from the payload, by ClickHouse itself: events that were recorded before these columns have them too.
-- Empty for every event but 'approval.recorded'. Key, partition and TTL stay what they were: these are few rows, read whole.
ALTER TABLE control_events
    ADD COLUMN IF NOT EXISTS action_id String MATERIALIZED JSONExtractString(payload, 'approval', 'actionId'),
    ADD COLUMN IF NOT EXISTS digest String MATERIALIZED JSONExtractString(payload, 'approval', 'digest'),
    ADD COLUMN IF NOT EXISTS answer LowCardinality(String) MATERIALIZED JSONExtractString(payload, 'approval', 'answer');
