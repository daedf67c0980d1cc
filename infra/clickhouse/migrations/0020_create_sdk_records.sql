-- What SDKs decided and settled in the processes of agents, with one row for each record.
--
-- The records have a table of their own, so no question about the plane's decisions, budgets or limits can count them.
-- `key_id` says who decided: the API key that reported the record. Empty text: a producer wrote the record to the
-- topic. `delta_micros`: what the record added to the cost of the agent. Other columns are as in `decisions`. A
-- settlement has no verdict, type and subject.
--
-- Key. After its prefix (`dec_` or `stl_`), an id begins with its time. So a page newest first is a range. The API key
-- is part of the sorting key, so no API key can replace a record of another. Repeats collapse as in `decisions`: the
-- first on the log stays, because all records with one id are in one partition of the topic.
-- Partition. The month of the decision or settlement. TTL: none. `mandate audit prune` drops old months.
CREATE TABLE IF NOT EXISTS sdk_records
(
    tenant        LowCardinality(String),
    id            String,
    key_id        LowCardinality(String),
    event         LowCardinality(String),
    kind          LowCardinality(String),
    action_id     String CODEC(ZSTD(1)),
    attempt       UInt32,
    agent_id      String CODEC(ZSTD(1)),
    type          LowCardinality(String),
    subject       String CODEC(ZSTD(1)),
    verdict       LowCardinality(String),
    code          LowCardinality(String),
    reason        String CODEC(ZSTD(1)),
    delta_micros  Int64,
    happened_at   DateTime64(3, 'UTC'),
    void          Bool,
    log_topic     LowCardinality(String),
    log_partition UInt32,
    log_offset    UInt64,
    recorded_at   DateTime64(3, 'UTC'),
    payload       String CODEC(ZSTD(1)),
    precedence    UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset),

    INDEX happened_range happened_at TYPE minmax GRANULARITY 1,
    INDEX action_ids action_id TYPE bloom_filter(0.01) GRANULARITY 1,
    CONSTRAINT delta_is_safe CHECK delta_micros BETWEEN -9007199254740991 AND 9007199254740991
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(happened_at)
ORDER BY (tenant, substring(id, 5), key_id);
