-- Sums of decisions and settlements by hour and by day, so that what dashboards ask need not count every decision again.
-- The ADR on rollups says how they stay exact.
--
-- `rollup_marks` counts how often an hour was touched: whoever inserts rows that are booked in it says so here, once they
-- are there. Saying it twice does no harm, so a plain sum will do. `touched_at` only paces the work. `mark` makes each insert
-- differ from the one before, as replicated tables drop an insert that repeats another.
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

-- What is on record already waits to be counted, like everything that was touched.
INSERT INTO rollup_marks (tenant, hour, touches)
SELECT tenant, hour, count()
FROM
(
    SELECT tenant, toUInt32(intDiv(toUnixTimestamp64Milli(decided_at), 3600000)) AS hour FROM decisions
    UNION ALL
    SELECT tenant, toUInt32(intDiv(toUnixTimestamp64Milli(settled_at), 3600000)) AS hour FROM settlements
)
GROUP BY tenant, hour;
