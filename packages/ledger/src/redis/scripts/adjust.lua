#!lua
-- Adds to a counter, once for each command.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] how long the command is remembered, in ms   [6] command   [7] counter
--       [8] its window in ms, or ''   [9] the amount to add, in the unit of the counter
--
-- Returns { 'OK', now, { epoch, sequence, at, spent } }, { 'TOO_LARGE' } if the counter cannot hold the new sum
-- exactly, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/counters.lua
-- @use parts/commands.lua

local refused = refusal()
if refused then return refused end

local now = shard.now
local name = 'adjust ' .. ARGV[6]
local known = done_before(keys.done, name, now)
if known then return { 'OK', now, known } end

local counters = open_counters(keys, now)
local counter = counter_of(counters, ARGV[7], ARGV[8] ~= '' and integer(ARGV[8]))
local delta = integer(ARGV[9])
if fits_in(counters, counter, now, delta) ~= delta then return { 'TOO_LARGE' } end

add_to(counters, counter, now, delta)
local receipt = { ARGV[4], next_sequence(), now, outgoing(counter.sum) }
local forget_at = now + integer(ARGV[5])
write_counters(counters)
keep_done(keys.done, name, forget_at, receipt)
redis.call('ZADD', keys.forget, decimal(forget_at), 'c ' .. name)
write_shard()
return { 'OK', now, receipt }
