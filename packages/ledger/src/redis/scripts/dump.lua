#!lua
-- A page of what a tenant's shard holds, for laws that compare it with a fold. Unpacked as parts/deliveries.lua says.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] which hash: its name in parts/keys.lua, or 'rates'   [6] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { field, value, field, value, … } }, or a refusal. Of a window the
-- value is { window_ms, { member, … } }, of a rate the list of its times, of an
-- answer { plan, facts }.
--
-- @use constants
-- @use parts/keys.lua
-- @use parts/shard.lua

local refused = refusal()
if refused then return refused end

local function all_outgoing(value)
  if type(value) == 'number' then return outgoing(value) end
  if type(value) ~= 'table' then return value end
  for at, inner in ipairs(value) do value[at] = all_outgoing(inner) end
  return value
end

local what = ARGV[5]
local command = what == 'rates' and 'SSCAN' or 'HSCAN'
local cursor, found = unpack(redis.call(command, keys[what], ARGV[6], 'COUNT', 200))
local page = {}
local width = what == 'rates' and 1 or 2
for at = 1, #found, width do
  local field, value = found[at], found[at + 1]
  if what == 'rates' then
    value = redis.call('LRANGE', keys.prefix .. 'rate:' .. field, 0, -1)
  elseif what == 'windows' then
    value = { cmsgpack.unpack(value)[4], redis.call('ZRANGE', keys.prefix .. 'window:' .. field, 0, -1) }
  elseif what == 'unpublished' then
    local answer = cmsgpack.unpack(value)
    value = { answer.plan, answer.facts }
  elseif what ~= 'spent' then
    value = cmsgpack.unpack(value)
    local lease = what == 'seen' and value[15]
    if lease then lease[6] = cmsgpack.unpack(lease[6]) end
  end
  page[#page + 1] = field
  page[#page + 1] = all_outgoing(value)
end
return { 'OK', shard.now, cursor, page }
