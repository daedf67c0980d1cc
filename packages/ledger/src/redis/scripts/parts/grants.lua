-- @use hash.lua
-- A person's answer to a deferred action. It is for that very request ('agent action digest'), until it expires or an
-- ALLOW uses it up. { answer, expires_at, forget_at, sequence, deferral }. After its expiry it is remembered as long
-- as its command, so that it differs from a grant that was never given. deferral (waiting.lua): the deferral that it
-- answers, or false.

local function grant_name(request)
  return request.agent .. ' ' .. request.action .. ' ' .. request.digest
end

-- Returns the state of the answer. A denial does not expire: the action stays denied until the denial is forgotten.
local function grant_state(grants, request, now)
  local grant = get(grants, request)
  if not grant or grant[3] <= now then return 'none' end
  if grant[1] == 'denied' then return 'denied' end
  return grant[2] > now and 'granted' or 'expired'
end

-- Removes the grant that the decision with this sequence uses up. Keeps a later answer.
local function consume_grant(grants, request, sequence)
  local grant = get(grants, request)
  if grant and grant[4] < sequence then put(grants, request, false) end
end
