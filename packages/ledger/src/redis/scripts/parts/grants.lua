-- @use hash.lua
-- What a person said about a deferred action: for that very request ('agent action digest'), until it expires or an
-- ALLOW uses it up. { answer, expires_at, forget_at, sequence, deferral }: once expired it is remembered as long as its command,
-- so that it can be told from one never given. The deferral (waiting.lua) is what it answers, or false.

local function grant_name(request)
  return request.agent .. ' ' .. request.action .. ' ' .. request.digest
end

-- A denial stands until it is forgotten: time does not turn a no into a question.
local function grant_state(grants, request, now)
  local grant = get(grants, request)
  if not grant or grant[3] <= now then return 'none' end
  if grant[1] == 'denied' then return 'denied' end
  return grant[2] > now and 'granted' or 'expired'
end

-- Used up by the decision of that sequence; what a person said after it stands.
local function consume_grant(grants, request, sequence)
  local grant = get(grants, request)
  if grant and grant[4] < sequence then put(grants, request, false) end
end
