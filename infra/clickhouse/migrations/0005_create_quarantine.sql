-- Records on the log that could not become a row: whole, with the reason, so that nothing is lost and nothing waits.
--
-- A row lands here when it broke the row's own rules before the insert, or when ClickHouse refused it and splitting
-- the batch found it. Key: its coordinate, which is its identity: a recorder that reads the batch again quarantines it again,
-- and one row remains, the newest attempt with the newest reason.
-- `value_base64` holds the bytes exactly as they lie on the log, whatever their encoding.
-- No partitions and no TTL: this table should be empty, and alarms watch that it is.
CREATE TABLE IF NOT EXISTS quarantine
(
    log_topic     LowCardinality(String),
    log_partition UInt32,
    log_offset    UInt64,
    meant_for     LowCardinality(String),
    reason        String CODEC(ZSTD(1)),
    value_base64  String CODEC(ZSTD(1)),
    recorded_at   DateTime64(3, 'UTC')
)
ENGINE = ReplacingMergeTree(recorded_at)
ORDER BY (log_topic, log_partition, log_offset);
