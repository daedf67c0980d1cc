-- Sums of decisions and settlements by hour and by day, so that a dashboard's question need not count every decision
-- again. The ADR on rollups says how the sums stay exact.
--
-- `rollup_marks` counts how often the rows of an hour were changed. A recorder that has inserted rows of an hour adds
-- a mark here. Marking twice does no harm, so a plain sum is enough. `touched_at` only sets the pace of the work.
-- `mark` makes each insert differ from the one before, because replicated tables drop an insert that repeats another.
-- Key: an hour of a tenant. Hours are counted since 1970, UTC.
-- Partition and TTL: none, for some thousand rows a tenant and year.
CREATE TABLE IF NOT EXISTS rollup_marks
(
    tenant     LowCardinality(String),
    hour       UInt32,
    touches    SimpleAggregateFunction(sum, UInt64),
    touched_at SimpleAggregateFunction(max, DateTime64(3, 'UTC')) DEFAULT now64(3),
    mark       SimpleAggregateFunction(any, UUID) DEFAULT generateUUIDv4()
)
ENGINE = AggregatingMergeTree
ORDER BY (tenant, hour);

-- A row is a whole hour (`hours` is 1) or a whole day (24) of a tenant. All its groups are in arrays, so the row of a
-- recount replaces the previous one at once and leaves nothing of it. `touches` is the sum of `rollup_marks` before
-- the rows were counted. While the sum is the same, the row is exact. `unmatched` counts settlements without a
-- recorded decision. A decision that arrives later would change the row without a mark for its hour, so a row with
-- unmatched settlements is not used. `reaches_back_to` is the oldest month, as YYYYMM, of a row that was counted
-- here. If that month is dropped, the hour must be counted again. It is above every month if nothing was counted. The
-- columns of groups are named as in packages/audit/src/queries/analytics-source.ts. Key and version: the row that was counted
-- after more marks counts. Partition: the year, so that merges of old years come to an end. TTL: none.
CREATE TABLE IF NOT EXISTS rollups
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
        latency_ms     UInt32,
        calls          UInt64,
        near_misses    UInt64,
        charged        Int128,
        settled        Int128,
        last_at        Nullable(DateTime64(3, 'UTC'))
    )
)
ENGINE = ReplacingMergeTree(touches)
PARTITION BY intDiv(hour, 8766)
ORDER BY (tenant, hours, hour);

-- Rows that exist already wait to be counted, like all changed rows.
INSERT INTO rollup_marks (tenant, hour, touches)
SELECT tenant, hour, count()
FROM
(
    SELECT tenant, toUInt32(intDiv(toUnixTimestamp64Milli(decided_at), 3600000)) AS hour FROM decisions
    UNION ALL
    SELECT tenant, toUInt32(intDiv(toUnixTimestamp64Milli(settled_at), 3600000)) AS hour FROM settlements
)
GROUP BY tenant, hour;
