#!lua
-- Returns flags of a tenant's shard (the named flags, or all), and whether a command was carried out.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] the keys of the flags, JSON; '' for all   [6] name of a command, or ''
--
-- Returns { 'OK', now, sequence, { { key, killed, revision, reason, at, held since, by, killed with, sequence }, … },
-- whether the command was carried out }, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/flags.lua
-- @use parts/commands.lua

local refused = refusal()
if refused then return refused end

local flags = open_hash(keys.flags)
local found = {}
for _, key in ipairs(ARGV[5] == '' and redis.call('HKEYS', keys.flags) or cjson.decode(ARGV[5])) do
  local flag = get(flags, key)
  if flag then
    found[#found + 1] = {
      key, flag[1], flag[2], flag[3], flag[4], flag[7] or 0, flag[8] or false, flag[9] or false, flag[10] or false,
    }
  end
end
local done = ARGV[6] ~= '' and done_before(keys.commands, ARGV[6], shard.now) ~= nil
return { 'OK', shard.now, shard.sequence, found, done }
