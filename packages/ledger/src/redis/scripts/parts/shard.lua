-- @use clock.lua
-- The shard of a tenant: all of its keys, on one server. Every script of a shard begins here. It checks that the
-- state is the one that the last rebuild (or the opening of the tenant) left, and that the caller means this state.
--
-- KEYS[1] meta: layout, generation, epoch, state ('opening', 'ready' or 'rebuilding'), run, sequence, clock,
--         pending_until (load.lua)
-- ARGV[1] time: clock.lua   ARGV[2] layout   ARGV[3] generation   ARGV[4] epoch
--
-- The refusals, after which nothing has changed:
--   {'OPEN'}                       the tenant has not been opened here
--   {'NOT_READY', why, found, expected}
--   {'EPOCH', generation, epoch}   the shard is well, but belongs to another rebuild than the caller's

local shard = { key = KEYS[1] }

local function refusal()
  local layout, generation, epoch, state, run, sequence, clock, pending_until = unpack(redis.call(
    'HMGET', shard.key, 'layout', 'generation', 'epoch', 'state', 'run', 'sequence', 'clock', 'pending_until'
  ))
  shard.sequence = integer(sequence or 0)
  shard.pending_until = integer(pending_until or 0)
  shard.now = read_clock(integer(clock or 0))
  local clocks_differ = clock_refusal()
  if clocks_differ then return clocks_differ end
  if not layout or state == 'opening' then return { 'OPEN' } end
  if layout ~= ARGV[2] then return { 'NOT_READY', 'layout', layout, ARGV[2] } end
  if state ~= 'ready' then return { 'NOT_READY', 'rebuilding', epoch, ARGV[4] } end
  local own = server_run()
  if run ~= own then return { 'NOT_READY', 'run', own, run } end
  if generation ~= ARGV[3] or epoch ~= ARGV[4] then return { 'EPOCH', generation, epoch } end
  return nil
end

local function next_sequence()
  shard.sequence = shard.sequence + 1
  return shard.sequence
end

local function write_shard()
  redis.call('HSET', shard.key, 'sequence', decimal(shard.sequence), 'clock', decimal(shard.now))
end
