#!lua
-- Returns a page of the answers that changed counters and are not known to be on the log.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { { sequence, row, position, agent, delta, { counter, … } }, … }
-- }, or a refusal. The listed counters contain the delta now. An answer has row 1 for all counters of its ALLOW, row
-- 2 for the agent's own ones among them, and row 3 for its counter of releases. The next three rows are the same
-- for the first unit of the ALLOW (parts/units.lua), and so on. An
-- answer may be on two pages.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/counters.lua
-- @use parts/deliveries.lua

-- The number is small, because a call has several hundred answers.
local CALLS_A_PAGE = 4

local refused = refusal()
if refused then return refused end

local memory = open_memory(keys, shard.now)
local cursor, found = unpack(redis.call('HSCAN', keys.unpublished, ARGV[5], 'COUNT', CALLS_A_PAGE))
local unpublished = {}

local function list(row, position, delivery, delta, counters)
  if tonumber(delta) == 0 then return end
  unpublished[#unpublished + 1] = { delivery.sequence, row, position, delivery.agent, delta, counters }
end

-- Returns the charges in a unit of a lease (parts/units.lua).
local function unit_charges(word)
  return cjson.decode(word)[4]
end

-- Returns the names of the counters in which a charge still counts. own: the first part of the names to list; '' for
-- all counters
local function counters_in(charges, charged_at, own)
  local counters = {}
  for _, charge in ipairs(charges) do
    local counts = still_counts(charge[2], charged_at, shard.now)
    if counts and string.sub(charge[1], 1, #own) == own then counters[#counters + 1] = charge[1] end
  end
  return counters
end

for at = 1, #found, 2 do
  local _, answers, moved = unpack(cmsgpack.unpack(redis.call('HGET', keys.answers, found[at])))
  for position in string.gmatch(found[at + 1], '%S+') do
    local delivery = get(memory.seen, position)
    local index = delivery.sequence - delivery.call + 1
    local settled, lease = moved[index], delivery.lease
    if settled then
      local charged_at, stored, delta, excess, released, own, releases, in_units = unpack(settled)
      local charges = cjson.decode(stored)
      list(1, position, delivery, delta, counters_in(charges, charged_at, ''))
      list(2, position, delivery, excess, counters_in(charges, charged_at, own))
      list(3, position, delivery, released, { releases })
      for at_unit, its in ipairs(in_units or {}) do
        local word, unit_delta, unit_excess, unit_released, unit_releases = unpack(its)
        local charged, row = unit_charges(word), 3 * at_unit
        list(row + 1, position, delivery, unit_delta, counters_in(charged, charged_at, ''))
        list(row + 2, position, delivery, unit_excess, counters_in(charged, charged_at, own))
        list(row + 3, position, delivery, unit_released, { unit_releases })
      end
    elseif lease then
      list(1, position, delivery, outgoing(lease.reserved), counters_in(cjson.decode(lease.charges), delivery.at, ''))
      for at_unit, its in ipairs(lease.units or {}) do
        list(3 * at_unit + 1, position, delivery, outgoing(its[1]), counters_in(unit_charges(its[2]), delivery.at, ''))
      end
    end
  end
end
return { 'OK', shard.now, cursor, unpublished }
