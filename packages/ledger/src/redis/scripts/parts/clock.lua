-- @use numbers.lua
-- Time, and the server run. The clock is the server's own, never a caller's, and never runs backwards: each write
-- notes the latest time. ARGV[1] is 'beside ' and the caller's own time. Tests control the clock: they pass only the
-- time.

-- If two clocks differ by more than this, one of them is wrong, and nothing is decided. The clock never runs
-- backwards. So one step a day ahead would put everything after its deadline for a day, and keep every window full.
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

-- Returns the run: the time of one server as the primary. A restart begins another run. So does every promotion, also
-- of an earlier primary, because its data may lack the newest writes. The name is the replication id, because the
-- `run_id` of a server stays the same when it loses its role and gets it back.
local function server_run()
  return string.match(redis.call('INFO', 'replication'), 'master_replid:(%x+)')
end

-- Windows and rates expire in the server itself, this long after their last entry has left. A server expires keys by
-- its clock even if that is wrong. Without the extra day, a clock that is an hour ahead for a moment would empty
-- every window of an hour.
local KEPT_LONGER_MS = 86400000

local function expire_at(key, at)
  if live then redis.call('PEXPIREAT', key, decimal(at + KEPT_LONGER_MS)) end
end
