#!lua flags=allow-oom
-- Kills on a tenant's shard: sets the flag, takes a sequence, lists every ALLOW of the target that is still open. The
-- flag is set in whatever state the shard is. The rest waits until the shard is ready. The same command again gets
-- the same answer. A command that only set its flag continues from there.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] how long the command is remembered, in ms   [6] the flag's key: parts/flags.lua
--       [7] command   [8] reason   [9] the agent, or '' for all   [10] for '*' the registry's revision, otherwise ''
--       [11] the open actions, once the caller has read them page by page: JSON, only stored and returned; else ''
--       [12] the counter that they were charged to, JSON; '' for any   [13] the caller's revision of the control topic
--       [14] who kills
--
-- Returns { 'OK', now, revision, sequence or false, open or false, at, whether the flag is set, held since }, or a
-- refusal (parts/shard.lua).
--   sequence: false if nothing has ever happened in this tenant
--   open: the rows of parts/running.lua, oldest first, or the same as JSON. False if one script cannot list
--     so many: then the caller reads them from open.lua, as of `at`, and calls again
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/running.lua
-- @use parts/flags.lua
-- @use parts/commands.lua

local refused = refusal()
local now = shard.now
local key, command, reason, agent = ARGV[6], ARGV[7], ARGV[8], ARGV[9]
local everywhere = key == '*'
-- The name includes the registry's revision. After a revive, the same command may kill everything again, with another
-- revision.
local name = 'kill ' .. key .. ' ' .. command .. ' ' .. ARGV[10]

local flags = open_hash(keys.flags)
local flag = get(flags, key)
local known = done_before(keys.commands, name, now)
if known then
  if refused then return refused end
  if not known[3] and ARGV[11] ~= '' then
    known[3] = ARGV[11]
    keep_done(keys.commands, name, now + integer(ARGV[5]), known)
  end
  local revision, sequence, open, at, held_since = unpack(known, 1, 5)
  return { 'OK', now, revision, sequence, open, at, flag and flag[1], held_since }
end

local begun = flag and flag[1] and flag[5] == command
local revision = flag and flag[2] or 0
if everywhere then
  revision = integer(ARGV[10])
elseif not begun then
  revision = revision + 1
end
-- A second kill still stops every agent that the first kill stopped.
local held_since = integer(ARGV[13])
if flag and flag[1] then held_since = math.min(held_since, flag[7] or 0) end
local sequence = false
if not refused and (not everywhere or shard.sequence > 0) then
  sequence = next_sequence()
  write_shard()
end
local change = {
  true, revision, reason, now, refused and command or '', refused and not everywhere or false, held_since,
  ARGV[14], command, sequence,
}
if begun and not everywhere then put(flags, key, change) else merge_flag(flags, key, change) end
write_hash(flags)
if refused then return refused end

local open = false
if may_be_open(keys) <= MOST_IN_ONE_SCRIPT then
  open = {}
  for at, entry in ipairs(open_entries(keys, open_memory(keys, now), agent, ARGV[12])) do
    open[at] = open_row(entry)
  end
end
forget_done(keys.commands, now)
keep_done(keys.commands, name, now + integer(ARGV[5]), { revision, sequence, open, now, held_since })
return { 'OK', now, revision, sequence, open, now, true, held_since }
