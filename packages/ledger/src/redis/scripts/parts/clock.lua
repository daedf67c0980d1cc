-- @use numbers.lua
-- Time, and which run this is. The clock is the server's own, never a caller's, and it never runs backwards: the
-- latest time is noted with whatever is written. Tests hold the clock in their hands and say the time in ARGV[1].

local live = ARGV[1] == ''

local function read_clock(noted)
  local now
  if live then
    local time = redis.call('TIME')
    now = integer(time[1]) * 1000 + math.floor(integer(time[2]) / 1000)
  else
    now = integer(ARGV[1])
  end
  return math.max(now, noted)
end

-- A run is the time of one server as the primary. A restart begins another, and so does every promotion, of a server too
-- that was the primary once before: what it holds then may lack the newest writes. Its name is the replication id, since
-- the `run_id` of a server outlives losing its place and getting it back.
local function server_run()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
end

-- What windows and rates hold is given back by the server itself, once it has left them on the server's clock.
local function expire_at(key, at)
  if live then redis.call('PEXPIREAT', key, decimal(at)) end
end
