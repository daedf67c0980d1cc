#!lua
-- Returns the state in force, and notes a tenant. A named tenant is noted as `opening` before its shard may exist,
-- and as `open` before its shard may decide. So a lost shard is never taken for a new one.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] a tenant, or ''   [5] 'opening' or 'open'   [6] the generation of its opening
--
-- Returns { 'OK', now, epoch, generation, runs, everything, noted, replay memory in ms }, or a refusal
-- (parts/registry.lua).
--   everything: { killed, revision, reason, at }, or false   noted: the tenant's state now, or false
--
-- @use parts/constants.lua
-- @use parts/registry.lua
-- @use parts/flags.lua

local refused = registry_refusal()
if refused then return refused end

local tenant, becomes = ARGV[4], ARGV[5]
local noted = false
if tenant ~= '' then
  if becomes == 'opening' then
    redis.call('HSETNX', registry.tenants, tenant, becomes)
  elseif ARGV[6] == registry.generation then
    redis.call('HSET', registry.tenants, tenant, becomes)
  end
  noted = redis.call('HGET', registry.tenants, tenant)
end
local memory = redis.call('HGET', registry.key, 'replay_memory')
local everything = get(open_hash(registry.flags), '*')
return { 'OK', registry.now, registry.epoch, registry.generation, registry.runs, everything, noted, memory }
