-- @use grants.lua
-- Deferred actions: the same rules as deferrals.ts. `waiting` has, by agent, the actions that wait for a person:
-- { { 'action digest', at, forget_at, rates }, … } with rates { { name, window_ms }, … }. A grant has the deferral that
-- it answers, in the same form.
--
-- All functions are in one table, because a script may have only 200 local variables.

local waiting_actions = {}

function waiting_actions.open(keys)
  local waiting = open_hash(keys.waiting)
  waiting.begun = {} -- forget_at, member, … to be added to `forget`
  return waiting
end

function waiting_actions.write(waiting, forget_key)
  call_with_many('ZADD', forget_key, waiting.begun)
  write_hash(waiting)
end

-- Returns the waiting actions of the agent, without forgotten ones.
function waiting_actions.waiting_of(waiting, agent, now)
  local still = {}
  for _, deferral in ipairs(get(waiting, agent) or {}) do
    if deferral[3] > now then still[#still + 1] = deferral end
  end
  return still
end

function waiting_actions.put(waiting, agent, still)
  put(waiting, agent, #still > 0 and still)
end

-- Adds a waiting action, and removes an earlier action of the same request ('action digest'). From now on it has a
-- slot in each of these rates.
function waiting_actions.begin(waiting, agent, request, rates, now, forget_at)
  local deferral, still = { request, now, forget_at, {} }, {}
  for at, rate in ipairs(rates) do deferral[4][at] = { rate.name, rate.window_ms } end
  for _, other in ipairs(waiting_actions.waiting_of(waiting, agent, now)) do
    if other[1] ~= request then still[#still + 1] = other end
  end
  still[#still + 1] = deferral
  waiting_actions.put(waiting, agent, still)
  local begun = waiting.begun
  begun[#begun + 1] = decimal(forget_at)
  begun[#begun + 1] = 'w ' .. agent
end

-- Removes a request from the waiting requests, and returns its deferral. Nil if the request does not wait.
function waiting_actions.take(waiting, agent, request, now)
  local found, still = nil, {}
  for _, deferral in ipairs(waiting_actions.waiting_of(waiting, agent, now)) do
    if deferral[1] == request then found = deferral else still[#still + 1] = deferral end
  end
  if found then waiting_actions.put(waiting, agent, still) end
  return found
end

-- Returns the deferral that belongs to the remembered answer to a request ('agent action digest'). Nil if there is no
-- such deferral.
function waiting_actions.answered(grants, request, now)
  if grant_state(grants, request, now) == 'none' then return nil end
  return get(grants, request)[5] or nil
end
