#!lua
-- Counts the remembered deliveries of a tenant. Deliveries above the limit do not count.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua
--
-- Returns { 'OK', now, count }, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/brief.lua

local refused = refusal()
if refused then return refused end
return { 'OK', shard.now, brief.count_remembered(keys) }
