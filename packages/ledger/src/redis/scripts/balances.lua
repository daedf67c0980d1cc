#!lua
-- Returns a page of the counters of a tenant with their present sums.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] 'spent' (lifetime) or 'windows'   [6] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { counter, sum, counter, sum, … } }, or a refusal. A
-- counter may be on two pages.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/counters.lua

local refused = refusal()
if refused then return refused end

local counters = open_counters(keys, shard.now)
local windowed = ARGV[5] == 'windows'
local cursor, found = unpack(redis.call('HSCAN', windowed and keys.windows or keys.spent, ARGV[6], 'COUNT', 500))
local balances = {}
for at = 1, #found, 2 do
  local name, stored = found[at], found[at + 1]
  balances[at] = name
  balances[at + 1] = outgoing(windowed and open_among(counters, counters.windows, name, stored).sum or integer(stored))
end
return { 'OK', shard.now, cursor, balances }
