-- Records that could not be read, with where they came from and what was wrong.
--
-- A dead letter has no tenant and no action: it claims no id, because nothing in it could be trusted. Its own id is
-- fixed by the coordinate of the record at fault, so a repeat collapses. The bytes stand in `payload`, base64 inside
-- the dead letter's JSON, ready to be published again.
-- Key and partition: by id within the month in which the record reached the log.
-- TTL: none by default. They may hold anything a producer sent, so an operator may well want one.
CREATE TABLE IF NOT EXISTS dead_letters
(
    id               String,
    source_topic     LowCardinality(String),
    source_partition UInt32,
    source_offset    String,
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
