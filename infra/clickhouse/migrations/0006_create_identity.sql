-- The identity of this set of tables. The name of the recorder's consumer group contains it. If the tables were lost
-- or dropped and created again, the new ones have another identity. So the whole log is recorded into them, from its
-- start, and no person has to help.
--
-- Key: if this migration is ever applied twice, the row that was made first counts.
-- Partition and TTL: none, for one row.
CREATE TABLE IF NOT EXISTS identity
(
    id      String,
    made_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (made_at, id);

INSERT INTO identity SELECT toString(generateUUIDv4()), now64(3) WHERE (SELECT count() FROM identity) = 0;
