-- The effects of outcomes on charges: money that moved after the decision, and outcomes that moved nothing.
--
-- Only rows of kind 'settled' count as spending. The other kinds ('repeated', 'unknown', 'not_allowed') are kept,
-- because a refused outcome is evidence too. Repeats collapse as in `decisions`, by the same precedence.
--
-- Key. A settlement's id follows from the delivery of its outcome, and begins with a time in fixed width.
-- Partition. The month of the settlement, which is the date that its money is booked at. A settlement that was made
-- void and done again later may be in another month. FINAL compares across partitions, so it still counts once.
-- Skip indexes. As in `decisions`. The index on the action's id serves questions about one action.
-- TTL: none.
CREATE TABLE IF NOT EXISTS settlements
(
    tenant             LowCardinality(String),
    id                 String,
    kind               LowCardinality(String),
    action_id          String CODEC(ZSTD(1)),
    attempt            UInt32,
    agent_id           String CODEC(ZSTD(1)),
    status             LowCardinality(String),
    code               LowCardinality(String),
    delta_micros       Int64,
    charged_micros     Int64,
    cumulative_micros  Int64,
    late               Bool,
    ledger_epoch       LowCardinality(String),
    ledger_sequence    UInt64,
    settled_at         DateTime64(3, 'UTC'),
    void               Bool,
    log_topic          LowCardinality(String),
    log_partition      UInt32,
    log_offset         UInt64,
    recorded_at        DateTime64(3, 'UTC'),
    payload            String CODEC(ZSTD(1)),
    precedence         UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset),

    INDEX settled_range settled_at TYPE minmax GRANULARITY 1,
    INDEX action_ids action_id TYPE bloom_filter(0.01) GRANULARITY 1,
    CONSTRAINT delta_is_safe CHECK delta_micros BETWEEN -9007199254740991 AND 9007199254740991,
    CONSTRAINT charge_is_safe CHECK charged_micros BETWEEN 0 AND 9007199254740991
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(settled_at)
ORDER BY (tenant, id);
