-- From which month on the rows of a tenant are kept: said before older ones are dropped or left out, and never taken back.
--
-- The log keeps them all, so whoever compares it with these tables must know what of it they no longer hold on purpose.
-- Key: the tenant; empty for all of them. The latest month that was ever said counts, so saying it twice, late, or from
-- two recorders does no harm.
-- Partition and TTL: none, for a row a tenant.
CREATE TABLE IF NOT EXISTS kept_from
(
    tenant LowCardinality(String),
    since  SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY tenant;
