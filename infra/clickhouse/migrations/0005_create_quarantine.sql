-- Records of the log that could not become a row: whole and with the reason, so that nothing is lost and nothing
-- waits.
--
-- A record comes here if its row broke the table's rules before the insert, or if ClickHouse refused the row and
-- splitting the batch found it. Key: the log position, which is its identity. A recorder that reads the batch again
-- quarantines the record again, and one row remains: the newest attempt with the newest reason.
-- `value_base64` has the exact bytes of the log, in whatever encoding.
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
