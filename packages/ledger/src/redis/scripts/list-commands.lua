#!lua
-- Lists every command that killed or revived everything, for laws that compare the ledger with a fold.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua
-- Returns { 'OK', now, { name, { forget_at, answer }, … } }, or a refusal (parts/registry.lua).
--
-- @use parts/constants.lua
-- @use parts/registry.lua

local refused = registry_refusal()
if refused then return refused end
local all = redis.call('HGETALL', registry.commands)
for at = 2, #all, 2 do all[at] = cmsgpack.unpack(all[at]) end
return { 'OK', registry.now, all }
