#!lua
-- Notes deliveries that are on the log now. Once all deliveries of a call are on the log, the answers of the call are
-- deleted.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] JSON: `kept`: brief.lua; `positions`; `calls`, which are on the log as a whole:
--       { call, the earliest time at which one of its deliveries is forgotten, … }
-- Returns { 'OK' }, or a refusal. {'EPOCH'} means that the caller must commit none of these deliveries.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua
-- @use parts/forget.lua
-- @use parts/brief.lua

local refused = refusal()
if refused then return refused end

local given = cjson.decode(ARGV[5])
local positions, whole = given.positions, {}
for at = 1, #given.calls, 2 do
  local name = decimal(given.calls[at])
  if given.calls[at + 1] > shard.now then
    whole[#whole + 1] = name
  else
    for position in string.gmatch(redis.call('HGET', keys.unpublished, name) or '', '%S+') do
      positions[#positions + 1] = position
    end
  end
end

local on_log, calls, due = {}, {}, {}
for at, stored in ipairs(fetch(keys.seen, positions)) do
  if stored then
    local kind, forget_at, call = struct.unpack(DELIVERY.head, stored)
    on_log[positions[at]] = true
    calls[call] = true
    -- This delivery could not be forgotten before, because it was not on the log.
    local is_brief = kind == 'u' or kind == 'v'
    if forget_at <= shard.now and not is_brief then due[#due + 1] = positions[at] end
  end
end

for call in pairs(calls) do
  local name = decimal(call)
  local left = {}
  for position in string.gmatch(redis.call('HGET', keys.unpublished, name) or '', '%S+') do
    if not on_log[position] then left[#left + 1] = position end
  end
  if #left > 0 then
    redis.call('HSET', keys.unpublished, name, table.concat(left, ' '))
  else
    whole[#whole + 1] = name
  end
end
for _, key in ipairs({ keys.unpublished, keys.answers, keys.plans }) do call_with_many('HDEL', key, whole) end
list_to_forget({ forget_key = keys.forget }, shard.now, due)
if redis.call('EXISTS', keys.brief) == 1 then
  local memory = open_memory(keys, shard.now)
  brief.open(keys, memory, 0, given.kept)
  brief.write(memory)
end
return { 'OK' }
