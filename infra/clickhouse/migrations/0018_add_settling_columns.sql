-- Who reported an outcome, and the effects of its settlement beside the charge.
--
-- `result` is how the outcome counts: 'succeeded', 'failed' (also a success that failed verification) or 'cancelled'.
-- `reported_by` is the id of the key that reported the outcome over HTTP; empty if a producer wrote it to the topic.
-- `may_release`: the reporter was a trusted one. `excess_micros` is the part of the actual cost above its cap, which
-- is charged to the agent's own budgets in addition to `delta_micros`. `released_micros` is added to the agent's
-- counter of releases; it is negative if a success made room. `marks` lists what a person should know, the most
-- serious first. `reason` says all of this in words.
--
-- Settlements recorded before this migration have none of these values. Key, partition and TTL do not change.
ALTER TABLE settlements
    ADD COLUMN IF NOT EXISTS result LowCardinality(String),
    ADD COLUMN IF NOT EXISTS reported_by String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS may_release Bool,
    ADD COLUMN IF NOT EXISTS excess_micros Int64,
    ADD COLUMN IF NOT EXISTS released_micros Int64,
    ADD COLUMN IF NOT EXISTS marks Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS reason String CODEC(ZSTD(1));
