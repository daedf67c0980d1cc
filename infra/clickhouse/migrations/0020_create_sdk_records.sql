-- What SDKs decided and settled in the processes of agents, with one row for each record.
--
-- They have a table of their own, so that no question about the plane's decisions, budgets or limits can count them.
-- `key_id` says who decided: the API key that reported the record. Empty text: a producer wrote it to the topic.
-- `delta_micros`: what the record added to the cost of the agent. Other columns are as in `decisions`; a settlement
-- has no verdict, type and subject.
--
-- Key: ids begin with their time, so a page newest first is a range. The key of the reporter is part of the sorting
-- key, so no key can replace a record of another. Repeats collapse as in `decisions`: the first on the log stays,
-- because the same id is always in the same partition of the topic.
-- Partition: the month of the decision or settlement. TTL: none; `mandate audit prune` drops old months.
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
ORDER BY (tenant, id, key_id);
