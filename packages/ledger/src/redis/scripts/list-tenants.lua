#!lua
-- Lists every tenant that was opened, or began to open.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua
-- Returns { 'OK', now, names }, or a refusal (parts/registry.lua).
--
-- @use parts/constants.lua
-- @use parts/registry.lua

local refused = registry_refusal()
if refused then return refused end
return { 'OK', registry.now, tenant_names() }
