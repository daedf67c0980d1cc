-- What operators did with dead letters: each republication, unchanged or corrected, with its operator and reason.
--
-- This is a table beside `control_events`, because control events belong to a tenant, and dead letters do not. The
-- source topic of the letter decides who may see a row, as in `dead_letters`. The republished record is on the same
-- topic.
-- The answer to that record has one of `answer_ids`: a decision or a settlement of `tenant`, or another dead letter.
-- `tenant` is empty if that record cannot be read either.
-- Key: the letter, because questions ask by letter. Repeats collapse as in the other tables.
-- No partitions and no TTL: the rows are few, and contain nothing that producers sent.
CREATE TABLE IF NOT EXISTS republications
(
    id               String,
    letter_id        String,
    source_topic     LowCardinality(String),
    source_partition UInt32,
    source_offset    UInt64,
    tenant           LowCardinality(String),
    made_by          String,
    reason           String,
    corrected        Bool,
    answer_ids       Array(String),
    appended_at      DateTime64(3, 'UTC'),
    happened_at      DateTime64(3, 'UTC'),
    void             Bool,
    log_topic        LowCardinality(String),
    log_partition    UInt32,
    log_offset       UInt64,
    recorded_at      DateTime64(3, 'UTC'),
    payload          String CODEC(ZSTD(1)),
    precedence       UInt64 MATERIALIZED bitShiftLeft(toUInt64(NOT void), 62) + (4611686018427387903 - log_offset)
)
ENGINE = ReplacingMergeTree(precedence)
ORDER BY (letter_id, id);
