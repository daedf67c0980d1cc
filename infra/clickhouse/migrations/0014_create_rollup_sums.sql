-- In place of `rollups`: a group says in one array how many of its calls took how long, and is no longer a group for each step
-- of latency. Of busy days that was most of what a question had to read.
-- `rollups` stays as it is, for services of before: what they find touched since they read from the base tables. Retention
-- still takes rows out of it; once no such service runs, it may be dropped.
--
-- A row is an hour (`hours` is 1) or a day (24) of a tenant, whole: all its groups lie in arrays, so that the row of a
-- recount takes the place of the last one at once and nothing of that one is left behind.
-- `touches` is what `rollup_marks` said before the rows were counted. As long as it says the same, the row is exact.
-- `unmatched`: settlements of actions of which no decision is on record. One may come, and would change the row
-- without touching its hour; so a row with any is not used.
-- `reaches_back_to`: the oldest month, as YYYYMM, that a row which was counted here lies in: where that month is dropped, the hour
-- is to be counted again. Beyond every month where nothing was counted.
-- Columns of groups are named as in packages/audit/src/queries/booked.ts.
-- Key and version: the row that was counted after more touches is the one that counts.
-- Partition: the year, so that merges of old ones come to an end. TTL: none.
CREATE TABLE IF NOT EXISTS rollup_sums
(
    tenant          LowCardinality(String),
    hours           UInt8,
    hour            UInt32,
    touches         UInt64,
    unmatched       UInt64,
    reaches_back_to UInt32,
    rolled_at       DateTime64(3, 'UTC') DEFAULT now64(3),
    groups          Nested
    (
        agent_id       LowCardinality(String),
        tool           LowCardinality(String),
        model          LowCardinality(String),
        provider       LowCardinality(String),
        type           LowCardinality(String),
        verdict        LowCardinality(String),
        code           LowCardinality(String),
        observed_code  LowCardinality(String),
        principal_role LowCardinality(String),
        mandate_id     LowCardinality(String),
        kind           LowCardinality(String),
        calls          UInt64,
        latencies      Array(UInt64),
        near_misses    UInt64,
        charged        Int128,
        settled        Int128,
        last_at        Nullable(DateTime64(3, 'UTC'))
    )
)
ENGINE = ReplacingMergeTree(touches)
PARTITION BY intDiv(hour, 8766)
ORDER BY (tenant, hours, hour);
