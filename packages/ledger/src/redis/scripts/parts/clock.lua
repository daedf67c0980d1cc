-- @use numbers.lua
-- Time, and which run this is. The clock is the server's own, never a caller's, and it never runs backwards: the
-- latest time is noted with whatever is written. ARGV[1] is 'beside ' and the caller's own time; tests hold the clock in
-- their hands and say the time.

-- Two clocks that differ by more are not both right. By such a one nothing is decided: as it never runs backwards, one step
-- a day ahead would put everything behind its deadline for a day, and keep every window full.
local MOST_APART_MS = 60000

local callers = string.match(ARGV[1], '^beside (%d+)$')
local live = callers ~= nil

local function server_time()
  local time = redis.call('TIME')
  return integer(time[1]) * 1000 + math.floor(integer(time[2]) / 1000)
end

local function clock_refusal()
  if not live or math.abs(server_time() - integer(callers)) <= MOST_APART_MS then return nil end
  return { 'NOT_READY', 'clock', decimal(server_time()), callers }
end

local function read_clock(noted)
  return math.max(live and server_time() or integer(ARGV[1]), noted)
end

-- A run is the time of one server as the primary. A restart begins another, and so does every promotion, of a server too
-- that was the primary once before: what it holds then may lack the newest writes. Its name is the replication id, since
-- the `run_id` of a server outlives losing its place and getting it back.
local function server_run()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
end

-- What windows and rates hold is given back by the server itself, a day after it has left them: a server expires keys by
-- its clock whether that is right or not, so that an hour ahead, for a moment, would open every window of an hour.
local KEPT_LONGER_MS = 86400000

local function expire_at(key, at)
  if live then redis.call('PEXPIREAT', key, decimal(at + KEPT_LONGER_MS)) end
end
