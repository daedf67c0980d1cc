-- Records that could not be read, with their log position and what was wrong.
--
-- A dead letter has no tenant and no action, because nothing in it can be trusted. Its own id follows from the log
-- position of the faulty record, so a repeat collapses. The bytes are in `payload`, as base64 inside the dead
-- letter's JSON, ready to be published again.
-- Key and partition: by id, within the month in which the record reached the log.
-- TTL: none by default. Dead letters may contain anything that a producer sent, so an operator may want a TTL.
CREATE TABLE IF NOT EXISTS dead_letters
(
    id               String,
    source_topic     LowCardinality(String),
    source_partition UInt32,
    source_offset    UInt64,
    code             LowCardinality(String),
    reason           String CODEC(ZSTD(1)),
    pointer          String,
    bytes            UInt64,
    truncated        Bool,
    appended_at      DateTime64(3, 'UTC'),
    found_at         DateTime64(3, 'UTC'),
    void             Bool,
    log_topic        LowCardinality(String),
    log_partition    UInt32,
    log_offset       UInt64,
    recorded_at      DateTime64(3, 'UTC'),
    payload          String CODEC(ZSTD(1)),
    precedence       UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset)
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(appended_at)
ORDER BY id;
