-- Whoever follows a table as it fills asks for what came in the last minutes, several times a second. The key is time as
-- well, but that of the request: one that waited for days lands among rows of that day.
-- `recorded_range`: min and max of a granule follow the key closely, but for those few, so two dozen granules are read.
-- Parts that are there already get it when they are merged: only what came last is asked for.
-- Key, partition and TTL stay what they were.
ALTER TABLE decisions ADD INDEX IF NOT EXISTS recorded_range recorded_at TYPE minmax GRANULARITY 1;

ALTER TABLE settlements ADD INDEX IF NOT EXISTS recorded_range recorded_at TYPE minmax GRANULARITY 1;
