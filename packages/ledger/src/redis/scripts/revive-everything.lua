#!lua
-- Clears the flag of everything, unless there is a newer kill. The caller then copies the revision to every shard,
-- and confirms that. Before the confirmation, the same command again continues with the same revision. After the
-- confirmation, the same command again does nothing.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] how long the command is remembered, in ms   [5] command
--       [6] revision, or '' to ask only whether it began   [7] 'acknowledged' once every shard has it; otherwise ''
--
-- Returns { 'OK', now, whether the flag still kills, revision to be copied or false, tenants, begun before }, or a
-- refusal (parts/registry.lua).
--
-- @use parts/constants.lua
-- @use parts/registry.lua
-- @use parts/flags.lua
-- @use parts/commands.lua

local refused = registry_refusal()
if refused then return refused end

local now = registry.now
local name = 'revive * ' .. ARGV[5]
local flags = open_hash(registry.flags)
local known = done_before(registry.commands, name, now)
local begun = known ~= nil
if not known and ARGV[6] ~= '' then
  known = { integer(ARGV[6]), false }
  merge_flag(flags, '*', { false, known[1], '', now, '', false })
  write_hash(flags)
  forget_done(registry.commands, now)
  keep_done(registry.commands, name, now + integer(ARGV[4]), known)
  redis.call('HSET', registry.key, 'clock', decimal(now))
elseif known and ARGV[7] ~= '' then
  local forget_at = cmsgpack.unpack(redis.call('HGET', registry.commands, name))[1]
  keep_done(registry.commands, name, forget_at, { known[1], true })
end
local flag = get(flags, '*')
local carry = known and not known[2] and known[1] or false
return { 'OK', now, flag and flag[1], carry, carry and tenant_names() or {}, begun }
