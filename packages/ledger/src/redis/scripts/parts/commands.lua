-- @use hash.lua
-- Operators' commands that were carried out, by name: the same command again gets the same answer. { forget_at, answer }

local function done_before(key, name, now)
  local packed = redis.call('HGET', key, name)
  local known = packed and cmsgpack.unpack(packed)
  return known and known[1] > now and known[2] or nil
end

local function keep_done(key, name, forget_at, answer)
  redis.call('HSET', key, name, cmsgpack.pack({ forget_at, answer }))
end

-- Those of kills and revives, which belong to no generation, are few: whoever adds one looks through all.
local function forget_done(key, now)
  local all = redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    if cmsgpack.unpack(all[at + 1])[1] <= now then redis.call('HDEL', key, all[at]) end
  end
end
