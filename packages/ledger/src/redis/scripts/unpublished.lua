#!lua
-- A page of what was answered and moved money, and is not known to be on the log.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { { sequence, coordinate, agent, delta, { counter, … } }, … } }, or a
-- refusal. The counters are those that hold the delta now. An answer may come in two pages.
--
-- @use constants
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/counters.lua
-- @use parts/deliveries.lua

local refused = refusal()
if refused then return refused end

local memory = open_memory(keys, shard.now)
local cursor, found = unpack(redis.call('HSCAN', keys.unpublished, ARGV[5], 'COUNT', 200))
local unpublished = {}
for at = 1, #found, 2 do
  local coordinate, answer = found[at], cmsgpack.unpack(found[at + 1])
  if answer.delta ~= 0 then
    local counters = {}
    local delivery = get(memory.seen, coordinate)
    local charged_at = answer.at or delivery.at
    for _, charge in ipairs(cmsgpack.unpack(answer.charges or delivery.lease.charges)) do
      if still_counts(charge[2], charged_at, shard.now) then counters[#counters + 1] = charge[1] end
    end
    unpublished[#unpublished + 1] = {
      answer.facts[1], coordinate, delivery.agent, outgoing(answer.delta), counters,
    }
  end
end
return { 'OK', shard.now, cursor, unpublished }
