-- The first month from which the rows of a tenant are kept. It is written before older rows are dropped or left out,
-- and is never taken back.
--
-- The log still has those rows, so a comparison of the log with these tables must know which rows are missing on
-- purpose.
-- Key: the tenant; empty for all tenants. The latest month that was ever written counts. So writing it twice, late,
-- or from two recorders does no harm.
-- Partition and TTL: none, for one row a tenant.
CREATE TABLE IF NOT EXISTS kept_from
(
    tenant LowCardinality(String),
    since  SimpleAggregateFunction(max, DateTime64(3, 'UTC'))
)
ENGINE = AggregatingMergeTree
ORDER BY tenant;
