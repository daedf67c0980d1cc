-- @use hash.lua
-- Kill flags: one each for an agent ('tenant/agent'), a subtree, which is an agent and its descendants
-- ('tenant:agent'), a tenant ('tenant'), and everything ('*'). Flags merge: the state with the higher revision wins,
-- and at a tie the kill. They belong to no generation. A rebuild merges the flags of the log into them.
--
-- { killed, revision, reason, at, command, pending, held since, by, killed with, sequence }
--   command: the unfinished kill. The same command again completes it, instead of beginning another one.
--   pending: true if the flag was set while the shard was not ready, so its revision is a guess. It stays above every
--   revision of the log until a command has seen it.
--   held since: for a subtree, a revision of the control topic. Agents that left the subtree later are still stopped.
--   by, killed with: who killed, and the id of the command. A cleared flag has neither.
--   sequence: the sequence of the kill in this tenant, or false

local function merge_flag(flags, key, change)
  local flag = get(flags, key)
  local killed, revision = change[1], change[2]
  if not flag or revision > flag[2] or (revision == flag[2] and killed and not flag[1]) then
    put(flags, key, change)
  end
end

local function merge_logged_flag(flags, key, change)
  local flag = get(flags, key)
  if not flag or not flag[6] then
    merge_flag(flags, key, change)
  elseif change[2] >= flag[2] then
    local held_since = flag[7] or 0
    if change[1] then held_since = math.min(held_since, change[7] or 0) end
    put(flags, key, {
      true, change[2] + 1, flag[3], flag[4], flag[5], true, held_since, flag[8], flag[9], flag[10],
    })
  end
end

local function scope_of(key)
  if key == '*' then return 'all' end
  local _, _, kind = string.find(key, '([/:])')
  if not kind then return 'tenant' end
  return kind == '/' and 'agent' or 'subtree'
end

-- Returns the widest flag that stops this agent: { scope, revision, reason, and for a subtree its top agent }, or nil.
-- ancestors: its ancestors, the nearest first   left: { agent, revision, … } of the subtrees that it left
local function stopped_by(flags, tenant, agent, ancestors, left)
  if flags.none == nil then flags.none = redis.call('EXISTS', flags.key) == 0 end
  if flags.none then return nil end
  local around, left_at = { '*', tenant }, {}
  for at = 1, #left, 2 do
    local key = tenant .. ':' .. left[at]
    around[#around + 1], left_at[key] = key, left[at + 1]
  end
  for at = #ancestors, 1, -1 do around[#around + 1] = tenant .. ':' .. ancestors[at] end
  around[#around + 1], around[#around + 2] = tenant .. ':' .. agent, tenant .. '/' .. agent
  for _, key in ipairs(around) do
    local flag = get(flags, key)
    if flag and flag[1] and (not left_at[key] or left_at[key] > (flag[7] or 0)) then
      local scope = scope_of(key)
      return { scope, flag[2], flag[3], scope == 'subtree' and string.sub(key, #tenant + 2) or nil }
    end
  end
  return nil
end
