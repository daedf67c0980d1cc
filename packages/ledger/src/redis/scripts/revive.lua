#!lua
-- Clears a flag on a tenant's shard, unless there is a newer kill. A command that revived this target before changes
-- nothing. A revive of everything comes from the registry, to every shard in whatever state. For it only the revision
-- decides.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] how long the command is remembered, in ms   [6] the flag's key: parts/flags.lua
--       [7] revision   [8] command
--
-- Returns { 'OK', now, whether the flag still kills }, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/flags.lua
-- @use parts/commands.lua

local refused = refusal()
local now = shard.now
local key, revision, command = ARGV[6], integer(ARGV[7]), ARGV[8]
local everywhere = key == '*'
if refused and not everywhere then return refused end

local flags = open_hash(keys.flags)
local name = 'revive ' .. key .. ' ' .. command
if everywhere or not done_before(keys.commands, name, now) then
  merge_flag(flags, key, { false, revision, '', now, command, false })
  write_hash(flags)
  if not everywhere then
    forget_done(keys.commands, now)
    keep_done(keys.commands, name, now + integer(ARGV[5]), true)
  end
end
local flag = get(flags, key)
return { 'OK', now, flag and flag[1] }
