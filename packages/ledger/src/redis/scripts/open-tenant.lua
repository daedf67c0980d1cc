#!lua
-- Opens a tenant on its shard, in two calls around its note in the registry (enter-registry.lua).
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1] time   [2] layout   [3] generation   [4] epoch   [5] runs of the registry   [6] 'opening' or 'ready'
--       [7] the tenant's state in the registry: 'opening' or 'open'
--       [8] the flag of everything, JSON { killed, revision, reason, at }, or ''
--
-- Returns { 'OK', now }, or { 'NOT_READY', why, found, expected }.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/clock.lua
-- @use parts/flags.lua

local generation, epoch, becomes = ARGV[3], ARGV[4], ARGV[6]
local known, state, clock = unpack(redis.call('HMGET', keys.meta, 'generation', 'state', 'clock'))
local now = read_clock(integer(clock or 0))

local own = server_run()
if not string.find(' ' .. ARGV[5] .. ' ', ' ' .. own .. ' ', 1, true) then
  return { 'NOT_READY', 'run', own, ARGV[5] }
end
if known and integer(known) > integer(generation) then return { 'NOT_READY', 'rebuilding', known, generation } end
local current = known == generation
if current and state == 'rebuilding' then return { 'NOT_READY', 'rebuilding', known, generation } end
if not current and (ARGV[7] == 'open' or becomes == 'ready') then
  return { 'NOT_READY', known and 'behind' or 'lost', known or '', generation }
end

if ARGV[8] ~= '' then
  local killed, revision, reason, at = unpack(cjson.decode(ARGV[8]))
  local flags = open_hash(keys.flags)
  merge_flag(flags, '*', { killed, revision, reason, at, '', false })
  write_hash(flags)
end
if not (current and state == 'ready') then
  redis.call(
    'HSET', keys.meta, 'layout', ARGV[2], 'generation', generation, 'epoch', epoch, 'state', becomes, 'run', own
  )
end
return { 'OK', now }
