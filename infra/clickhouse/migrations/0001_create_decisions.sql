-- Every decision on the log, with one row for each, however often it was delivered.
--
-- Repeats. Delivery is at least once, and a decider that lost an acknowledgement publishes a decision again: with the
-- same id, at another offset. ReplacingMergeTree keeps one row for each sorting key, and every question reads FINAL,
-- so a repeat never shows, merged or not. `precedence` decides which of the repeats stays: a valid record beats one
-- that a newer ledger epoch made void, and among equals the first in log order stays.
--
-- Key. A decision's id begins with the time when its request reached the log, in fixed width. So (tenant, id) is also
-- (tenant, time). A page newest first, a lookup by id and the collapse of repeats are each one range of the primary
-- index, and paging needs no tuple comparison.
-- Partition. The month of that same time. Repeats are always in the same month, so merges find them, and a month can
-- be dropped or moved as a whole.
-- Skip indexes. Decision times follow the key closely, so min and max are enough. An action's id may be anywhere, so
-- it has a Bloom filter.
-- Amounts. Int64 micro-dollars. ClickHouse wraps values that do not fit. So writers validate first, and the
-- constraint turns a value that they missed into an error.
-- `payload` is the record as on the log. Only the payload has the checks and the explanation. Empty text means "none"
-- in tool, model, observed_*, mandate_id: none of them can be empty otherwise.
-- TTL: none. Decisions are kept unless an operator decides otherwise.
CREATE TABLE IF NOT EXISTS decisions
(
    tenant            LowCardinality(String),
    id                String,
    kind              LowCardinality(String),
    action_id         String CODEC(ZSTD(1)),
    attempt           UInt32,
    agent_id          String CODEC(ZSTD(1)),
    type              LowCardinality(String),
    tool              LowCardinality(String),
    model             LowCardinality(String),
    verdict           LowCardinality(String),
    code              LowCardinality(String),
    observed_verdict  LowCardinality(String),
    observed_code     LowCardinality(String),
    mandate_id        LowCardinality(String),
    charged_micros    Int64,
    cumulative_micros Int64,
    budgets           Array(Tuple(scope LowCardinality(String), subject String, id String, window_ms Int64)),
    ledger_epoch      LowCardinality(String),
    ledger_sequence   UInt64,
    appended_at       DateTime64(3, 'UTC'),
    decided_at        DateTime64(3, 'UTC'),
    void              Bool,
    log_topic         LowCardinality(String),
    log_partition     UInt32,
    log_offset        UInt64,
    recorded_at       DateTime64(3, 'UTC'),
    payload           String CODEC(ZSTD(1)),
    precedence        UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset),

    INDEX decided_range decided_at TYPE minmax GRANULARITY 1,
    INDEX action_ids action_id TYPE bloom_filter(0.01) GRANULARITY 1,
    CONSTRAINT charge_is_safe CHECK charged_micros BETWEEN 0 AND 9007199254740991
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(appended_at)
ORDER BY (tenant, id);
