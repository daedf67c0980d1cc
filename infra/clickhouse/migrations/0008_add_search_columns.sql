-- What people look for in decisions, and what dashboards group them by.
--
-- Writers fill them in; for decisions that were recorded before these columns came, ClickHouse reads them from the
-- payload, but for two that no payload holds as they stand here: `trace_id`, which is a header of the record, and
-- `limits`. Both are empty for those. Empty text means "none".
-- `arguments` is the JSON of a tool call's arguments, redacted as in the payload.
-- `limits`: each budget and rate that the decision was weighed against, and what of it was used once it had fallen:
-- so one knows how near it came, and what is left, without the payload.
-- `appended_range`: the key is (tenant, id) and an id begins with this time, so min and max of a granule are narrow.
-- Key, partition and TTL stay what they were.
ALTER TABLE decisions
    ADD COLUMN IF NOT EXISTS reason String DEFAULT JSONExtractString(payload, 'decision', 'reason') CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS arguments String DEFAULT JSONExtractRaw(payload, 'decision', 'action', 'args') CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS principal_id String
        DEFAULT JSONExtractString(payload, 'decision', 'action', 'principal', 'id') CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS principal_role LowCardinality(String)
        DEFAULT JSONExtractString(payload, 'decision', 'action', 'principal', 'role'),
    ADD COLUMN IF NOT EXISTS provider LowCardinality(String) DEFAULT JSONExtractString(payload, 'decision', 'action', 'provider'),
    ADD COLUMN IF NOT EXISTS parent_action_id String
        DEFAULT JSONExtractString(payload, 'decision', 'action', 'parentActionId') CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS mandate_hash LowCardinality(String) DEFAULT JSONExtractString(payload, 'decision', 'mandate', 'hash'),
    ADD COLUMN IF NOT EXISTS policies Array(LowCardinality(String))
        DEFAULT JSONExtract(payload, 'decision', 'mandate', 'policies', 'Array(String)'),
    ADD COLUMN IF NOT EXISTS rules Array(LowCardinality(String))
        DEFAULT JSONExtract(payload, 'decision', 'mandate', 'rules', 'Array(String)'),
    ADD COLUMN IF NOT EXISTS trace_id String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS limits Array(Tuple(
        kind LowCardinality(String), scope LowCardinality(String), subject String, id String, window_ms Int64,
        used Int64, most Int64)) CODEC(ZSTD(1)),
    ADD INDEX IF NOT EXISTS trace_ids trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
    ADD INDEX IF NOT EXISTS appended_range appended_at TYPE minmax GRANULARITY 1;
