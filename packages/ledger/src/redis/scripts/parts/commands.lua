-- @use hash.lua
-- Operators' commands that were carried out, by name: { forget_at, answer }. The same command again gets the same
-- answer.

local function done_before(key, name, now)
  local packed = redis.call('HGET', key, name)
  local known = packed and cmsgpack.unpack(packed)
  return known and known[1] > now and known[2] or nil
end

local function keep_done(key, name, forget_at, answer)
  redis.call('HSET', key, name, cmsgpack.pack({ forget_at, answer }))
end

-- Commands for kills and revives have no generation, so a rebuild does not free them. After this many new commands,
-- all commands are checked and old ones deleted. So nearly every kill costs the same, whatever the number of
-- commands.
local ADDED_BETWEEN_LOOKS = 256

local function forget_done(key, now)
  if redis.call('HLEN', key) % ADDED_BETWEEN_LOOKS ~= 0 then return end
  local all = redis.call('HGETALL', key)
  for at = 1, #all, 2 do
    if cmsgpack.unpack(all[at + 1])[1] <= now then redis.call('HDEL', key, all[at]) end
  end
end
