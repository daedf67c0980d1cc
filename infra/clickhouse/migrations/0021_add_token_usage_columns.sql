-- The tokens that an outcome reported, and their price.
--
-- `input_tokens` are all input tokens, and `output_tokens` are all output tokens. The other columns count parts of
-- these. All are NULL if the outcome reported no tokens. `reasoning_tokens` is also NULL if the outcome did not say
-- how many there were. `usage_micros` is the price of the tokens by the prices of the decision; NULL if the decision
-- has no prices.
--
-- Settlements recorded before this migration have none of these values. Key, partition and TTL do not change.
ALTER TABLE settlements
    ADD COLUMN IF NOT EXISTS input_tokens Nullable(UInt64),
    ADD COLUMN IF NOT EXISTS cached_input_tokens Nullable(UInt64),
    ADD COLUMN IF NOT EXISTS cache_write_tokens Nullable(UInt64),
    ADD COLUMN IF NOT EXISTS output_tokens Nullable(UInt64),
    ADD COLUMN IF NOT EXISTS reasoning_tokens Nullable(UInt64),
    ADD COLUMN IF NOT EXISTS usage_micros Nullable(Int64);
