#!lua
-- Puts the shard of a tenant in force again, on a server that was restarted and kept its data.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1] time   [2] layout   [3] generation   [4] epoch   [5] the lowest sequence that the shard must have
--
-- Returns { 'OK', now }, or { 'LOST', what } if the shard is not as its last rebuild left it, or lacks a decision.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/clock.lua

local layout, generation, epoch, state, sequence, clock = unpack(redis.call(
  'HMGET', keys.meta, 'layout', 'generation', 'epoch', 'state', 'sequence', 'clock'
))
local now = read_clock(integer(clock or 0))
if not layout or layout ~= ARGV[2] then return { 'LOST', 'a tenant' } end
if generation ~= ARGV[3] or epoch ~= ARGV[4] then return { 'LOST', 'a rebuild' } end
-- A tenant that was being opened has no decisions. Its next opening writes the run.
if state == 'opening' then return { 'OK', now } end
if state ~= 'ready' then return { 'LOST', 'a rebuild' } end
if integer(sequence or 0) < integer(ARGV[5]) then return { 'LOST', 'the newest decisions' } end
redis.call('HSET', keys.meta, 'run', server_run())
return { 'OK', now }
