-- Replaces `rollups`. A group now has one array with the number of its calls for each step of latency, and there is
-- no longer a group for each step. On busy days those groups were most of what a question had to read.
-- `rollups` stays as it is for services of earlier versions. Hours that were changed since, they read from the base
-- tables. Retention still removes its rows. Once no such service runs, the table may be dropped.
--
-- A row is a whole hour (`hours` is 1) or a whole day (24) of a tenant. All its groups are in arrays, so the row of a
-- recount replaces the previous one at once and leaves nothing of it.
-- `touches` is the sum of `rollup_marks` before the rows were counted. While the sum is the same, the row is exact.
-- `unmatched` counts settlements without a recorded decision. A decision that arrives later would change the row
-- without a mark for its hour, so a row with unmatched settlements is not used.
-- `reaches_back_to` is the oldest month, as YYYYMM, of a row that was counted here. If that month is dropped, the
-- hour must be counted again. It is above every month if nothing was counted.
-- The columns of groups are named as in packages/audit/src/queries/analytics-source.ts.
-- Key and version: the row that was counted after more marks counts.
-- Partition: the year, so that merges of old years come to an end. TTL: none.
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
