-- What operators did, and when a ledger epoch began: kills, revives, adjustments, approvals, epochs.
--
-- The rows are few and are read whole, so the key serves identity more than speed. Several partitions of the log may
-- hold the same event; an epoch, for example, is announced in each. A recorder that starts to read a partition must
-- know the epoch in force there. So the partition is part of the key, and questions that count an event once use
-- `LIMIT 1 BY event, id`.
-- `tenant` is empty for events that concern all tenants. The budget columns are filled for 'budget.adjusted' only.
-- No partitions and no TTL: some thousand rows a year, all of them kept.
CREATE TABLE IF NOT EXISTS control_events
(
    tenant          LowCardinality(String),
    event           LowCardinality(String),
    id              String,
    scope           LowCardinality(String),
    agent_id        String,
    made_by         String,
    reason          String,
    budget_scope    LowCardinality(String),
    budget_subject  String,
    budget_id       String,
    budget_window_ms Int64,
    delta_micros    Int64,
    ledger_epoch    LowCardinality(String),
    happened_at     DateTime64(3, 'UTC'),
    void            Bool,
    log_topic       LowCardinality(String),
    log_partition   UInt32,
    log_offset      UInt64,
    recorded_at     DateTime64(3, 'UTC'),
    payload         String CODEC(ZSTD(1)),
    precedence      UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset),

    CONSTRAINT delta_is_safe CHECK delta_micros BETWEEN -9007199254740991 AND 9007199254740991
)
ENGINE = ReplacingMergeTree(precedence)
ORDER BY (tenant, event, id, log_topic, log_partition);
