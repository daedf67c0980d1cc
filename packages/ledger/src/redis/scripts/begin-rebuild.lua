#!lua
-- Takes the lease of a rebuild. From now on nothing is decided until the holder of the lease finishes the rebuild.
-- The new generation is higher than every earlier one, even if the registry was lost. It is at least the present
-- time, and above every generation that the caller has met, here and on the log. So a rebuild that began before a
-- flush, and has not written to the log yet, has a lower generation.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] epoch to begin   [5] lease in ms   [6] the lost epoch, or ''
--       [7] the highest generation that the caller has met   [8] the caller's own epoch with a lease, or ''
--
-- Returns { 'OK', now, generation, tenants }, or { 'BUSY', epoch, ends at } while another lease has not ended, or
-- { 'REBUILT', epoch } if another epoch than the lost one is in force and works. Returns the refusal of the registry
-- if the clocks differ, or if newer programs have taken it over: they would rebuild the ledger again, without end.
--
-- @use parts/constants.lua
-- @use parts/registry.lua

local refused = registry_refusal()
if refused and refused[2] == 'clock' then return refused end
if refused and refused[2] == 'layout' and integer(refused[3]) > integer(ARGV[2]) then return refused end
local now, epoch = registry.now, ARGV[4]
if not refused and registry.epoch ~= ARGV[6] then
  return { 'REBUILT', registry.epoch }
end
if registry.state == 'rebuilding' and registry.lease_until > now and registry.epoch ~= ARGV[8] then
  return { 'BUSY', registry.epoch, registry.lease_until }
end
local generation = math.max(integer(registry.generation or 0) + 1, integer(ARGV[7]) + 1, now)
redis.call(
  'HSET', registry.key,
  'layout', ARGV[2], 'state', 'rebuilding', 'epoch', epoch, 'generation', decimal(generation),
  'lease_until', decimal(now + integer(ARGV[5])), 'clock', decimal(now)
)
return { 'OK', now, generation, tenant_names() }
