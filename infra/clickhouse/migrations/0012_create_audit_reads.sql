-- Who read what of the audit: a row for each request that an API key was accepted for.
--
-- Key: by id within its tenant, for that is how it is paged, newest first; an id begins with the time, and repeats collapse
-- as in the other tables. `read_range`: times follow ids closely, so a period reads the granules of it alone.
-- `parameters`: what was asked, by name, as JSON.
-- Partition: the month of the read, so that old ones are dropped whole. TTL: none by default; `mandate audit prune` drops
-- them with the others.
CREATE TABLE IF NOT EXISTS audit_reads
(
    tenant        LowCardinality(String),
    id            String,
    key_id        LowCardinality(String),
    key_name      LowCardinality(String),
    method        LowCardinality(String),
    route         LowCardinality(String),
    parameters    String CODEC(ZSTD(1)),
    refused       Bool,
    request_id    String,
    trace_id      String,
    read_at       DateTime64(3, 'UTC'),
    void          Bool,
    log_topic     LowCardinality(String),
    log_partition UInt32,
    log_offset    UInt64,
    recorded_at   DateTime64(3, 'UTC'),
    payload       String CODEC(ZSTD(1)),
    precedence    UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset),

    INDEX read_range read_at TYPE minmax GRANULARITY 1
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(read_at)
ORDER BY (tenant, id);
