#!lua
-- What was allowed, and may still run or still reach the log.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] the agent, or '' for all
--
-- Returns { 'OK', now, { { agent, action, attempt, reserved, decided at, lease expires at }, … } }, oldest first, or a
-- refusal (parts/shard.lua).
--
-- @use constants
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/running.lua

local refused = refusal()
if refused then return refused end

local open = {}
for at, entry in ipairs(open_entries(open_memory(keys, shard.now), ARGV[5])) do
  local lease = entry.lease
  open[at] = { entry.agent, entry.action, entry.attempt, outgoing(lease.reserved), entry.at, lease.expires_at }
end
return { 'OK', shard.now, open }
