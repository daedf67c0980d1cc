#!lua
-- Returns a page of the data of a tenant's shard, for laws that compare it with a fold.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] the hash: its name in parts/keys.lua   [6] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { field, value, field, value, … } }, or a refusal. The value of
-- a window or rate is { bucket, amount, bucket, amount, … }. A delivery has the form of load.lua. A call of step.lua
-- is { at, plans, answers, held, { position, index }, … }.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua
-- @use parts/window.lua

local refused = refusal()
if refused then return refused end

local function all_outgoing(value)
  if type(value) == 'number' then return outgoing(value) end
  if type(value) ~= 'table' then return value end
  for at, inner in ipairs(value) do value[at] = all_outgoing(inner) end
  return value
end

local memory = open_memory(keys, shard.now)

local function delivery_in(stored)
  local delivery = unpack_delivery(stored)
  local kind, agent, forget_at = delivery.kind, delivery.agent, delivery.forget_at
  if kind == 's' or kind == 'v' then return { kind, agent, forget_at } end
  if kind == 'd' or kind == 'u' then return { kind, agent, forget_at, delivery.digest } end
  local lease = delivery.lease
  return {
    kind, agent, forget_at, delivery.request, delivery.attempt, delivery.at, delivery.sequence,
    delivery.verdict, delivery.code, delivery.final, delivery.grant_consumed,
    lease and {
      lease.reserved, lease.expires_at, lease.charged, lease.result, lease.charges, lease.units,
    },
  }
end

local function buckets_in(prefix, name, stored)
  local window = open_window(name, keys.prefix .. prefix, stored, 0, 1, shard.now)
  local buckets = {}
  each_bucket(window, function(bucket, amount)
    buckets[#buckets + 1] = bucket
    buckets[#buckets + 1] = amount
  end)
  return buckets
end

local function answers_of(call, unpublished)
  local at, answers, _, held = unpack(cmsgpack.unpack(redis.call('HGET', keys.answers, call)))
  local found = { at, redis.call('HGET', keys.plans, call), answers, held }
  for position in string.gmatch(unpublished, '%S+') do
    local delivery = get(memory.seen, position)
    found[#found + 1] = { position, delivery.sequence - delivery.call + 1 }
  end
  return found
end

local read = {
  seen = function(_, stored) return delivery_in(stored) end,
  windows = function(name, stored) return buckets_in('window:', name, stored) end,
  rates = function(name, stored) return buckets_in('rate:', name, stored) end,
  unpublished = answers_of,
}
for _, name in ipairs({ 'grants', 'waiting', 'done', 'commands' }) do
  read[name] = function(_, stored) return cmsgpack.unpack(stored) end
end

local what = ARGV[5]
local cursor, found = unpack(redis.call('HSCAN', keys[what], ARGV[6], 'COUNT', 200))
local page = {}
for at = 1, #found, 2 do
  local field, value = found[at], found[at + 1]
  page[at] = field
  page[at + 1] = all_outgoing(read[what] and read[what](field, value) or value)
end
return { 'OK', shard.now, cursor, page }
