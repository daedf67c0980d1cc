-- Which set of tables this is. A recorder reads the log as a consumer group that carries this name: where the tables
-- were lost or thrown away and made anew, the new ones have another name, so the whole log is recorded into them
-- again, from its start and with nobody's help.
--
-- Key: the row that was made first, should this ever be applied twice, is the one that counts.
-- Partition and TTL: none, for one row.
CREATE TABLE IF NOT EXISTS identity
(
    id      String,
    made_at DateTime64(3, 'UTC')
)
ENGINE = MergeTree
ORDER BY (made_at, id);

INSERT INTO identity SELECT toString(generateUUIDv4()), now64(3) WHERE (SELECT count() FROM identity) = 0;
