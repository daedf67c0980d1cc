#!lua
-- Closes a tenant's shard for a rebuild, and opens it again once the new generation is complete. Closing notes the
-- server run. If the run has changed since, the server may have lost loaded data, and the shard never becomes ready.
--
-- KEYS  of the tenant, in the new generation: parts/keys.lua
-- ARGV  [1] time   [2] layout   [3] generation   [4] epoch   [5] 'rebuilding' or 'ready'
--
-- Returns { 'OK', now, generation before }, or { 'LOST', generation, run } if the shard has a newer rebuild or
-- another run.
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
