-- @use numbers.lua
-- Time, and the server run. The clock is the server's own, never a caller's, and never runs backwards: each write
-- notes the latest time. ARGV[1] is 'beside ' and the caller's own time. Tests control the clock: they pass only the
-- time.

-- If two clocks differ by more than this, one of them is wrong, and nothing is decided. The clock never runs
-- backwards. So one step with a clock a day ahead would keep every window full for a day, and treat every request as
-- late.
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

-- Returns the name of the server run: the time of one server as the primary. A restart or a promotion begins another
-- run, because the data may lack the newest writes. The name is the replication id. The `run_id` of a server would
-- stay the same when it loses its role and gets it back.
local function server_run()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
end

-- The server deletes windows and rates this long after their last entry has left. It uses its own clock, even if that
-- is wrong. Without the extra day, a clock that is briefly an hour fast would empty every window of an hour.
local KEPT_LONGER_MS = 86400000

local function expire_at(key, at)
  if live then redis.call('PEXPIREAT', key, decimal(at + KEPT_LONGER_MS)) end
end
