-- What the context builders of programs picked for chat requests, with one row for each request, also for skipped ones.
--
-- `key_id`: the API key that reported the record. `skip_reason`: empty if the request was not skipped. `error_code`:
-- empty if there is a manifest, or if the request was skipped. `principal_id` may be a pseudonym. The manifest itself is
-- only in `payload`, where its texts may be redacted or sealed.
--
-- Key. After its prefix (`ctx_`), an id begins with its time, so a page newest first is a range. The API key is part of
-- the sorting key, so no API key can replace a record of another. Repeats collapse as in `decisions`.
-- Partition. The month of the build, so that `mandate audit prune` can drop old months. TTL. `kept_until`, which the
-- recorder computes from the privacy document (30 days by default). No answer shows a row after this time.
CREATE TABLE IF NOT EXISTS context_builds
(
    tenant        LowCardinality(String),
    id            String,
    key_id        LowCardinality(String),
    agent_id      LowCardinality(String),
    request_id    String CODEC(ZSTD(1)),
    action_id     String CODEC(ZSTD(1)),
    principal_id  String CODEC(ZSTD(1)),
    skip_reason   LowCardinality(String),
    error_code    LowCardinality(String),
    question_type LowCardinality(String),
    built_at      DateTime64(3, 'UTC'),
    kept_until    DateTime64(3, 'UTC'),
    void          Bool,
    log_topic     LowCardinality(String),
    log_partition UInt32,
    log_offset    UInt64,
    recorded_at   DateTime64(3, 'UTC'),
    payload       String CODEC(ZSTD(1)),
    precedence    UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset),

    INDEX built_range built_at TYPE minmax GRANULARITY 1,
    INDEX request_ids request_id TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX action_ids action_id TYPE bloom_filter(0.01) GRANULARITY 1
)
ENGINE = ReplacingMergeTree(precedence)
PARTITION BY toYYYYMM(built_at)
ORDER BY (tenant, substring(id, 5), key_id)
TTL toDateTime(kept_until) DELETE;
