-- @use deliveries.lua
-- @use grants.lua
-- Finds out whether a request repeats an action that was already decided: docs/semantics.md section 3.

-- True if the next attempt may be decided. False after a success, after a final block, or while this attempt may
-- still run.
local function may_be_retried(entry, now)
  if entry.verdict == 'BLOCK' then return not entry.final end
  local lease = entry.lease
  if not lease then return false end
  if not lease.result then return lease.expires_at <= now end
  return lease.result ~= 'succeeded'
end

-- Searches by action id. Returns the decision about the same attempt, or the latest decision if no further attempt is
-- allowed.
local function conflicting_decision(memory, grants, request)
  local same, position = decision_for_attempt(memory, request.agent .. ' ' .. request.action, request.attempt)
  if same then
    -- A deferred request is decided again after a person has answered.
    local answered = same.verdict == 'DEFER'
      and same.digest == request.digest
      and grant_state(grants, grant_name(request), memory.now) ~= 'none'
    if answered then return nil end
    return same, position
  end
  local last, at = latest(memory, request.agent .. ' ' .. request.action)
  if not last or (request.attempt > last.attempt and may_be_retried(last, memory.now)) then return nil end
  return last, at
end

-- Searches by idempotency key. Returns the latest attempt of the other action that owns the key.
local function decision_owning_key(memory, request)
  if not request.key then return nil end
  local owner = key_owner(memory, request.agent, request.key)
  if not owner or owner == request.action then return nil end
  return latest(memory, request.agent .. ' ' .. owner)
end

-- Returns { position, appended_at, kind, action, attempt, verdict, code, same payload } of the decision that the
-- request repeats. Nil if the request must be decided.
local function find_first(memory, grants, request)
  local entry, position = conflicting_decision(memory, grants, request)
  if not entry then entry, position = decision_owning_key(memory, request) end
  if not entry then return nil end
  return {
    position, entry.appended_at, entry.kind, entry.action, entry.attempt, entry.verdict, entry.code,
    entry.digest == request.digest and 1 or 0,
  }
end
