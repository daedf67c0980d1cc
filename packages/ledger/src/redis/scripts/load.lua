#!lua
-- Writes a piece of a folded state into a new generation, beside the one that was in force.
--
-- KEYS  of the tenant, in the new generation: parts/keys.lua
-- ARGV  [1] time   [2] layout   [3] generation   [4] the lines, JSON: load-state.ts
--
-- Returns { 'OK', now }, or { 'LOST', generation, run } when a newer rebuild, or another server, is there now.
--
-- @use constants
-- @use parts/keys.lua
-- @use parts/clock.lua
-- @use parts/flags.lua
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

local take = {
  -- Numbers that were taken stay taken, and time goes on from the latest.
  tenant = function(last_sequence, latest)
    redis.call(
      'HSET', keys.meta,
      'sequence', decimal(math.max(last_sequence, integer(sequence or 0))),
      'clock', decimal(math.max(latest, integer(clock or 0)))
    )
  end,
  delivery = function(coordinate, packed)
    local lease = packed[15]
    if lease then lease[6] = cmsgpack.pack(lease[6]) end
    keep(keys.seen, coordinate, packed)
    forget_at(packed[3], 'd ' .. coordinate)
    if lease and not lease[4] then
      redis.call('ZADD', keys.running, decimal(lease[2]), packed[2] .. ' ' .. coordinate)
    end
  end,
  action = function(field, attempts) keep(keys.actions, field, attempts) end,
  key = function(field, action) keep(keys.keys, field, action) end,
  spent = function(name, micros) redis.call('HSET', keys.spent, name, decimal(micros)) end,
  window = function(name, window_ms, sum, credits, buckets)
    local key = keys.prefix .. 'window:' .. name
    for _, bucket in ipairs(buckets) do
      redis.call('ZADD', key, bucket[1], decimal(bucket[1]) .. ' ' .. decimal(bucket[2]))
    end
    local first, last = buckets[1], buckets[#buckets]
    keep(keys.windows, name, { sum, credits, first and first[1] or false, window_ms })
    local window = { window_ms = window_ms, width_ms = width_of(window_ms) }
    if last then expire_at(key, bucket_ends(window, last[1])) end
  end,
  rate = function(name, window_ms, times)
    local key = keys.prefix .. 'rate:' .. name
    for _, at in ipairs(times) do redis.call('RPUSH', key, decimal(at)) end
    redis.call('SADD', keys.rates, name)
    if #times > 0 then expire_at(key, times[#times] + window_ms) end
  end,
  grant = function(field, grant)
    keep(keys.grants, field, grant)
    forget_at(grant[3], 'g ' .. field)
  end,
  done = function(name, at, answer)
    keep(keys.done, name, { at, answer })
    forget_at(at, 'c ' .. name)
  end,
  flag = function(key, flag) merge_flag(flags, key, flag) end,
  command = function(name, at, answer) keep(keys.commands, name, { at, answer }) end,
}

for _, line in ipairs(cjson.decode(ARGV[4])) do
  take[line[1]](unpack(line, 2))
end
write_hash(flags)
return { 'OK', now }
