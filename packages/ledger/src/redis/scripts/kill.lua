#!lua flags=allow-oom
-- Pulls the kill switch on a tenant's shard: sets the flag, takes a sequence, lists every ALLOW of the target that is
-- still open. The flag is set whatever state the shard is in; what else there is to say waits until it is ready. The
-- same command again answers the same; one that got no further than its flag goes on from there.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] for how long it is remembered, in ms   [6] the flag's key: parts/flags.lua
--       [7] command   [8] reason   [9] the agent, or '' for all   [10] of '*' the revision that the registry gave; else ''
--       [11] what was open, once the caller has read it page by page: JSON, only kept and given back; else ''
--       [12] the counter that it was charged to, JSON; '' for any   [13] how much of the control topic the caller has read
--
-- Returns { 'OK', now, revision, sequence or false, open or false, at, whether the flag stands, held since }, or a refusal
-- (parts/shard.lua).
--   no sequence: nothing has ever happened in this tenant   open: { { agent, action, attempt }, … }, oldest first, or the
--   same as JSON; false where there may be more than one script should list: then open.lua has it, as of `at`, and the
--   caller comes again
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
-- A kill of everything may be carried out again with the same command: then it has another revision.
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
local change = {
  true, revision, reason, now, refused and command or '', refused and not everywhere or false, held_since,
}
if begun and not everywhere then put(flags, key, change) else merge_flag(flags, key, change) end
write_hash(flags)
if refused then return refused end

local open = false
if may_be_open(keys) <= MOST_IN_ONE_SCRIPT then
  open = {}
  for at, entry in ipairs(open_entries(keys, open_memory(keys, now), agent, ARGV[12])) do
    open[at] = { entry.agent, entry.action, entry.attempt }
  end
end
local sequence = false
if not everywhere or shard.sequence > 0 then
  sequence = next_sequence()
  write_shard()
end
forget_done(keys.commands, now)
keep_done(keys.commands, name, now + integer(ARGV[5]), { revision, sequence, open, now, held_since })
return { 'OK', now, revision, sequence, open, now, true, held_since }
