#!lua
-- Merges the flag for everything, and the commands that set and cleared it, from the log into the registry.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] the lines, JSON: load-state.ts
--
-- Returns { 'OK', now, the flag of everything { killed, revision, reason, at }, or false }.
--
-- @use parts/constants.lua
-- @use parts/registry.lua
-- @use parts/flags.lua

registry_refusal()
local flags = open_hash(registry.flags)
for _, line in ipairs(cjson.decode(ARGV[4])) do
  local kind, name, value, answer = unpack(line)
  if kind == 'flag' then
    merge_logged_flag(flags, name, value)
  else
    redis.call('HSET', registry.commands, name, cmsgpack.pack({ value, answer }))
  end
end
write_hash(flags)
return { 'OK', registry.now, get(flags, '*') }
