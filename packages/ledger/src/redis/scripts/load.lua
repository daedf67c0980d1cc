#!lua
-- Writes a piece of a folded state into a new generation, beside the one that was in force.
--
-- KEYS  of the tenant, in the new generation: parts/keys.lua
-- ARGV  [1] time   [2] layout   [3] generation   [4] the lines, JSON: load-state.ts
--
-- Returns { 'OK', now }, or { 'LOST', generation, run } if the shard has a newer rebuild or another run.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/clock.lua
-- @use parts/flags.lua
-- @use parts/deliveries.lua
-- @use parts/window.lua

local generation, run, sequence, clock = unpack(redis.call(
  'HMGET', keys.meta, 'generation', 'run', 'sequence', 'clock'
))
local own = server_run()
if generation ~= ARGV[3] or run ~= own then return { 'LOST', generation or '', own } end
local now = read_clock(integer(clock or 0))
local flags = open_hash(keys.flags)

local function keep(key, field, value)
  redis.call('HSET', key, field, cmsgpack.pack(value))
end

local function forget_at(at, member)
  redis.call('ZADD', keys.forget, decimal(at), member)
end

-- buckets: { bucket, amount }, … in order. The buckets of one window may be in several lines.
local function fill(hash, prefix, name, window_ms, width_ms, buckets)
  local window = open_window(name, keys.prefix .. prefix, redis.call('HGET', hash, name), window_ms, width_ms, now)
  for _, given in ipairs(buckets) do
    local bucket, amount = unpack(given)
    if bucket_ends(window, bucket) > now then
      set_amount(window, bucket, amount)
      window.sum = window.sum + amount
      if amount < 0 then window.credits = window.credits + 1 end
      if window.oldest == NONE then window.oldest = bucket end
    end
  end
  if window.credits > 0 then window.sum = sum_up(window) end
  redis.call('HSET', hash, name, write_window(window))
end

local take = {
  -- Continues the sequences after the last used one, and the clock from the latest time.
  tenant = function(last_sequence, latest)
    redis.call(
      'HSET', keys.meta,
      'sequence', decimal(math.max(last_sequence, integer(sequence or 0))),
      'clock', decimal(math.max(latest, integer(clock or 0)))
    )
  end,
  -- packed: the delivery in the format of dump.lua
  delivery = function(position, packed)
    local kind, agent, forgotten_at = unpack(packed)
    local is_brief = kind == 'u' or kind == 'v'
    local delivery = { kind = kind, agent = agent, forget_at = forgotten_at, call = 0, sequence = 0, digest = packed[4] }
    local lease = packed[12]
    if kind == 'f' or kind == 'e' then
      delivery.request, delivery.attempt, delivery.at, delivery.sequence = unpack(packed, 4, 7)
      delivery.verdict, delivery.code, delivery.final, delivery.grant_consumed = unpack(packed, 8, 11)
      delivery.lease = lease and {
        reserved = lease[1], expires_at = lease[2], charged = lease[3], result = lease[4], charges = lease[5],
        units = lease[6],
      }
    end
    redis.call('HSET', keys.seen, position, pack_delivery(delivery))
    if is_brief then
      redis.call('RPUSH', keys.brief, position)
    else
      forget_at(forgotten_at, 'd ' .. position)
    end
    if lease and not lease[4] then
      redis.call('ZADD', keys.running, decimal(lease[2]), agent .. ' ' .. position)
    end
  end,
  action = function(field, attempts) redis.call('HSET', keys.actions, field, attempts) end,
  key = function(field, action) redis.call('HSET', keys.keys, field, action) end,
  turn = function(field, words) redis.call('HSET', keys.turns, field, words) end,
  spent = function(name, amount) redis.call('HSET', keys.spent, name, decimal(amount)) end,
  window = function(name, window_ms, buckets)
    fill(keys.windows, 'window:', name, window_ms, width_of(window_ms), buckets)
  end,
  rate = function(name, window_ms, times) fill(keys.rates, 'rate:', name, window_ms, 1, times) end,
  grant = function(field, grant)
    keep(keys.grants, field, grant)
    forget_at(grant[3], 'g ' .. field)
  end,
  waiting = function(agent, deferrals)
    keep(keys.waiting, agent, deferrals)
    for _, deferral in ipairs(deferrals) do forget_at(deferral[3], 'w ' .. agent) end
  end,
  done = function(name, at, answer)
    keep(keys.done, name, { at, answer })
    forget_at(at, 'c ' .. name)
  end,
  -- Stores an outcome that waits for its decision, with its attempt. meta.pending_until is the time when the last of
  -- them is forgotten. Until then step.lua looks for waiting outcomes.
  pending = function(attempt, at, moved)
    local name = 'pending ' .. attempt
    keep(keys.done, name, { at, moved })
    forget_at(at, 'c ' .. name)
    local last = integer(redis.call('HGET', keys.meta, 'pending_until') or 0)
    if at > last then redis.call('HSET', keys.meta, 'pending_until', decimal(at)) end
  end,
  flag = function(key, flag) merge_logged_flag(flags, key, flag) end,
  command = function(name, at, answer) keep(keys.commands, name, { at, answer }) end,
}

for _, line in ipairs(cjson.decode(ARGV[4])) do
  take[line[1]](unpack(line, 2))
end
write_hash(flags)
return { 'OK', now }
