-- What operators did with dead letters: each time one was published again, as it was or corrected, by whom and why.
--
-- A table of its own beside `control_events`: those belong to a tenant, and a dead letter to none. What may be shown to
-- whom follows from the topic that the letter came from, as in `dead_letters`; the record that was published from it
-- lies on that same topic.
-- Whatever became of that record has one of `answer_ids`: a decision or a settlement of `tenant`, or another dead
-- letter. `tenant` is empty where the record cannot be read either.
-- Key: the letter, for it is asked by it; repeats collapse as in the other tables.
-- No partitions and no TTL: few rows, without anything of what producers sent.
CREATE TABLE IF NOT EXISTS republications
(
    id               String,
    letter_id        String,
    source_topic     LowCardinality(String),
    source_partition UInt32,
    source_offset    String,
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
