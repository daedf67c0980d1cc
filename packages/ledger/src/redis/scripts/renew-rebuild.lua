#!lua
-- Keeps the lease of a rebuild, or ends the rebuild and puts the new state in force.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] epoch   [5] generation   [6] lease in ms
--       [7] to end it: the runs of every primary, between blanks; otherwise ''   [8] the tenants of the new state, JSON
--       [9] the revision of the flag of everything that every shard has   [10] replay memory of the new state, in ms
--
-- Returns { 'OK', now }, { 'LOST', epoch } if another rebuild has begun since, or { 'FLAG', now, flag } if everything
-- was killed meanwhile: then the caller must copy the flag to every shard first.
--
-- @use parts/constants.lua
-- @use parts/registry.lua
-- @use parts/flags.lua

registry_refusal()
local now = registry.now
if registry.state ~= 'rebuilding' or registry.epoch ~= ARGV[4] or registry.generation ~= ARGV[5] then
  return { 'LOST', registry.epoch or '' }
end
redis.call('HSET', registry.key, 'lease_until', decimal(now + integer(ARGV[6])), 'clock', decimal(now))
if ARGV[7] ~= '' then
  local flag = get(open_hash(registry.flags), '*')
  if flag and flag[2] ~= integer(ARGV[9]) then return { 'FLAG', now, flag } end
  redis.call('HSET', registry.key, 'state', 'ready', 'runs', ARGV[7], 'replay_memory', ARGV[10])
  for _, tenant in ipairs(cjson.decode(ARGV[8])) do
    redis.call('HSET', registry.tenants, tenant, 'open')
  end
end
return { 'OK', now }
