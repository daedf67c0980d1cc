-- Who reported an outcome, and what its settlement did beside the charge.
--
-- `result`: how the outcome counts: 'succeeded', 'failed' (a success whose verification failed, too) or 'cancelled'.
-- `reported_by`: the id of the key that reported it over HTTP; empty where a producer wrote it to the topic. `may_release`: the
-- reporter was a trusted one. `excess_micros`: what of the actual cost was above its cap; the agent's own budgets are charged
-- with it, beside `delta_micros`. `released_micros`: added to the agent's counter of give-backs; negative where a success
-- made room. `marks`: what a person should know, the gravest first. `reason`: all of that in words.
--
-- Settlements recorded before this migration have none of these. Key, partition and TTL stay what they were.
ALTER TABLE settlements
    ADD COLUMN IF NOT EXISTS result LowCardinality(String),
    ADD COLUMN IF NOT EXISTS reported_by String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS may_release Bool,
    ADD COLUMN IF NOT EXISTS excess_micros Int64,
    ADD COLUMN IF NOT EXISTS released_micros Int64,
    ADD COLUMN IF NOT EXISTS marks Array(LowCardinality(String)),
    ADD COLUMN IF NOT EXISTS reason String CODEC(ZSTD(1));
