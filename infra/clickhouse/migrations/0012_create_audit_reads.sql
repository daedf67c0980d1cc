-- Who read what of the audit: a row for each request with an accepted API key.
--
-- Key: by id within its tenant, because pages are in that order, newest first. An id begins with the time, and
-- repeats collapse as in the other tables. `read_range`: times follow ids closely, so a question about a period reads
-- only the granules of that period.
-- `parameters`: the parameters of the request, by name, as JSON.
-- Partition: the month of the read, so that old months are dropped whole. TTL: none by default; `mandate audit prune`
-- drops old months together with those of the other tables.
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
