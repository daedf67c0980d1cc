-- The values that people search decisions by, and that dashboards group them by.
--
-- Writers fill these columns in. For decisions that were recorded before this migration, ClickHouse reads them from
-- the payload. Two columns are in no payload and are empty for those: `trace_id`, which is a header of the record,
-- and `limits`. Empty text means "none".
-- `arguments` is the JSON of a tool call's arguments, redacted as in the payload.
-- `limits` has each budget and rate that the decision was checked against, and how much of it was used after the
-- decision. So a query knows how close it came, and what is left, without the payload.
-- `appended_range`: the key is (tenant, id) and an id begins with this time, so min and max of a granule are close
-- together.
-- Key, partition and TTL do not change.
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
