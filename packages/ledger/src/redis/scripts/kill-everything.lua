#!lua flags=allow-oom
-- Sets the flag of everything, in whatever state the registry is. New tenants open through the registry, so none
-- escapes. The caller then copies the flag to every shard, and calls again with their answers. Until then the command
-- is not done, and the same command again continues with the same revision.
--
-- KEYS  of the registry: parts/registry.lua
-- ARGV  [1..3] parts/registry.lua   [4] how long the command is remembered, in ms   [5] command   [6] reason
--       [7] the receipt, once every shard has acknowledged: JSON, only stored and returned; otherwise ''
--       [8] who kills
--
-- Returns { 'DONE', receipt, whether the flag is set }, { 'OK', now, revision, tenants }, or a refusal
-- (parts/registry.lua) after setting the flag.
--
-- @use parts/constants.lua
-- @use parts/registry.lua
-- @use parts/flags.lua
-- @use parts/commands.lua

local refused = registry_refusal()
local now, command = registry.now, ARGV[5]
local name = 'kill * ' .. command
local flags = open_hash(registry.flags)
local flag = get(flags, '*')
local stands = flag and flag[1]
local known = done_before(registry.commands, name, now)
if known then return refused or { 'DONE', known, stands } end

local begun = stands and flag[5] == command

if ARGV[7] ~= '' then
  if refused then return refused end
  forget_done(registry.commands, now)
  keep_done(registry.commands, name, now + integer(ARGV[4]), ARGV[7])
  if begun then
    put(flags, '*', { true, flag[2], flag[3], flag[4], '', false, 0, flag[8], flag[9] })
    write_hash(flags)
  end
  redis.call('HSET', registry.key, 'clock', decimal(now))
  return { 'DONE', ARGV[7], stands }
end

local revision = (flag and flag[2] or 0) + (begun and 0 or 1)
local pending = refused and true or false
put(flags, '*', { true, revision, ARGV[6], begun and flag[4] or now, command, pending, 0, ARGV[8], command })
write_hash(flags)
if refused then return refused end
return { 'OK', now, revision, tenant_names() }
