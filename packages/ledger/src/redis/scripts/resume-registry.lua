#!lua
-- Reads the registry of a server that was restarted, or puts the registry in force again on this server.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] '' to read, or the epoch to put in force   [5] its generation
--
-- Returns { 'OK', now, epoch, generation, { tenant, 'opening' or 'open', … } }, { 'READY' } if it is in force already,
-- { 'LOST', epoch } if another epoch is in its place, or a refusal (parts/registry.lua) that is not about the run.
--
-- @use parts/constants.lua
-- @use parts/registry.lua

local refused = registry_refusal()
if not refused then return { 'READY' } end
if refused[2] ~= 'run' then return refused end
if ARGV[4] ~= '' then
  if registry.epoch ~= ARGV[4] or registry.generation ~= ARGV[5] then return { 'LOST', registry.epoch } end
  redis.call('HSET', registry.key, 'runs', server_run(), 'clock', decimal(registry.now))
end
return { 'OK', registry.now, registry.epoch, registry.generation, redis.call('HGETALL', registry.tenants) }
