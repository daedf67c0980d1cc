-- The verdict that follows from what the step found: verdict.ts, said once more. A fact of a limit is
-- { 'budget' | 'rate', held, ok, retry_after or false } or { 'confirmation', ok, grant }.

local function is_ok(fact)
  if fact[1] == 'confirmation' then return fact[2] end
  return fact[3]
end

-- What the mandate says when it is enforced: verdict, code, hard.
local function enforce(request, found)
  local first = found.first
  if first then
    if first[6] == 'DEFER' and first[8] then return 'DEFER', 'APPROVAL_REQUIRED', false end
    return 'BLOCK', 'DUPLICATE_ACTION', true
  end
  if found.late then return 'BLOCK', 'DEADLINE_EXCEEDED', false end
  if found.kill then return 'BLOCK', 'AGENT_KILLED', true end
  if request.refusal then return 'BLOCK', request.refusal.code, request.refusal.hard end
  local failing, hard = nil, false
  for _, fact in ipairs(found.limits) do
    if not is_ok(fact) then
      failing = failing or fact
      -- A caller waits until all of them would pass: one that never will makes the whole refusal hard.
      if fact[1] ~= 'confirmation' and not fact[4] then hard = true end
    end
  end
  if not failing then return 'ALLOW', 'ALLOWED', false end
  if failing[1] == 'confirmation' then
    if failing[3] == 'denied' then return 'BLOCK', 'APPROVAL_DENIED', true end
    if failing[3] == 'expired' then return 'BLOCK', 'APPROVAL_EXPIRED', false end
    return 'DEFER', 'APPROVAL_REQUIRED', false
  end
  return 'BLOCK', failing[1] == 'rate' and 'RATE_LIMIT_EXCEEDED' or 'COST_LIMIT_EXCEEDED', hard
end

-- Observe mode softens what a mandate says, never what could not be planned at all.
local function watches(request)
  return request.observe and not (request.refusal and request.refusal.code == 'INTERNAL_ERROR')
end

-- What is published: a mandate that only watches lets its own refusals through, and nothing else.
local function rule(request, found)
  local ended = found.first or found.late or found.kill
  if watches(request) and not ended then return 'ALLOW', 'ALLOWED', false end
  return enforce(request, found)
end
