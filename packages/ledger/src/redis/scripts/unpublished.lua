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

-- A call answers some hundred operations.
local CALLS_A_PAGE = 4

local refused = refusal()
if refused then return refused end

local memory = open_memory(keys, shard.now)
local cursor, found = unpack(redis.call('HSCAN', keys.unpublished, ARGV[5], 'COUNT', CALLS_A_PAGE))
local unpublished = {}

local function list(coordinate, delivery, delta, charged_at, charges)
  local counters = {}
  for _, charge in ipairs(cjson.decode(charges)) do
    if still_counts(charge[2], charged_at, shard.now) then counters[#counters + 1] = charge[1] end
  end
  unpublished[#unpublished + 1] = { delivery.sequence, coordinate, delivery.agent, delta, counters }
end

for at = 1, #found, 2 do
  local _, answers, moved = unpack(cmsgpack.unpack(redis.call('HGET', keys.answers, found[at])))
  for coordinate in string.gmatch(found[at + 1], '%S+') do
    local delivery = get(memory.seen, coordinate)
    local place = delivery.sequence - delivery.call + 1
    local answer, settled, lease = answers[place], moved[place], delivery.lease
    if settled then
      local delta = settled[3] or answer[5]
      if delta ~= 0 then list(coordinate, delivery, delta, settled[1], settled[2]) end
    elseif lease and lease.reserved ~= 0 then
      list(coordinate, delivery, outgoing(lease.reserved), delivery.at, lease.charges)
    end
  end
end
return { 'OK', shard.now, cursor, unpublished }
