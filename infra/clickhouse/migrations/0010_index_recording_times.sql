-- A reader that follows a table asks several times a second for the rows of the last minutes. The key is a time too,
-- but that of the request: a request that waited for days is among rows of its own day. `recorded_range`: min and max
-- of a granule follow the key closely, except for those few rows, so two dozen granules are read. Existing parts get
-- this index when they are merged, which is enough, because only the newest rows are asked for. Key, partition and
-- TTL do not change.
ALTER TABLE decisions ADD INDEX IF NOT EXISTS recorded_range recorded_at TYPE minmax GRANULARITY 1;

ALTER TABLE settlements ADD INDEX IF NOT EXISTS recorded_range recorded_at TYPE minmax GRANULARITY 1;
