#!lua
-- Closes a tenant's shard for a rebuild, and opens it again once the new generation stands there. The server's run is
-- noted when it closes: one that began another in between has perhaps lost what was loaded, and never becomes ready.
--
-- KEYS  of the tenant, in the new generation: parts/keys.lua
-- ARGV  [1] time   [2] layout   [3] generation   [4] epoch   [5] 'rebuilding' or 'ready'
--
-- Returns { 'OK', now, generation before }, or { 'LOST', generation, run } when a newer rebuild, or another server, is
-- there now.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/clock.lua

local generation, becomes = ARGV[3], ARGV[5]
local known, epoch, run, clock = unpack(redis.call('HMGET', keys.meta, 'generation', 'epoch', 'run', 'clock'))
local now = read_clock(integer(clock or 0))
local own = server_run()
local before = integer(known or 0)

local newer = before > integer(generation) or (known == generation and epoch ~= ARGV[4])
local unsure = becomes == 'ready' and (before ~= integer(generation) or run ~= own)
if newer or unsure then return { 'LOST', known or '', own } end
redis.call(
  'HSET', keys.meta, 'layout', ARGV[2], 'generation', generation, 'epoch', ARGV[4], 'state', becomes, 'run', own
)
return { 'OK', now, before }
