-- What a decision says besides its verdict and obligations: notes, violations and events.
--
-- `notes` and `violations` are JSON lists; empty if the decision has none. Notes say what the decision changed of the
-- request. Violations say what a model chose that it must not choose. `events` are the marks of the policies
-- (schemas/src/governance-events.ts). Searches filter by `events`, so it is a list of a few known names.
--
-- Decisions recorded before this migration have none of these values. Key, partition and TTL do not change.
ALTER TABLE decisions
    ADD COLUMN IF NOT EXISTS notes String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS violations String CODEC(ZSTD(1)),
    ADD COLUMN IF NOT EXISTS events Array(LowCardinality(String)) CODEC(ZSTD(1));
