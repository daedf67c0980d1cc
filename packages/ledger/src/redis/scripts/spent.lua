#!lua
-- Returns the present sums of some counters of a tenant. Changes nothing.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] JSON: { { counter, length of its window in ms or false }, … }
--
-- Returns { 'OK', now, { sum, … } } in the same order, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/counters.lua

local refused = refusal()
if refused then return refused end

local counters = open_counters(keys, shard.now)
local sums = {}
for at, asked in ipairs(cjson.decode(ARGV[5])) do
  local name, window_ms = unpack(asked)
  sums[at] = outgoing(counter_of(counters, name, window_ms).sum)
end
return { 'OK', shard.now, sums }
