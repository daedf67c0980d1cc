-- @use charge.lua
-- @use grants.lua
-- The terms of requests, which those of an agent mostly share, and what the limits among them say: limits.ts and verdict.ts,
-- said once more. Limits are looked at in one loop, over arrays, and say nothing but what they hold as long as none fails:
-- with a table and a call for each of them an action took twice as long.

-- given (counter-table.ts): { holds_from, holds_until, lease_ms, observe, refusal, final, total, charges, charged, limits, requests,
--   reserves, above, left }
--   charged: what an ALLOW is charged to, limits: { kind, counter, most, … }; lifetime counters by their place, windowed
--   ones by that below zero, rates by theirs; of a confirmation, for how long it asks at least, in ms   requests: how many of the call there are, reserves: what all
--   of these reserve
local function open_terms(given, lifetimes, windowed, rates)
  local holds_from, holds_until, lease_ms, observe, refusal, final, total, charges, charged_to, limits, requests, reserves,
    above, left = unpack(given)
  local function budget_at(place)
    return place > 0 and lifetimes[place] or windowed[-place]
  end
  local terms = {
    holds_from = holds_from,
    holds_until = holds_until,
    lease_ms = lease_ms,
    refusal = refusal ~= '' and refusal,
    final = final == 1,
    -- Observe mode never lifts the refusal of a plan that could not be made.
    observes = observe == 1 and refusal ~= NOT_PLANNED,
    total = lifetimes[total],
    charges = charges,
    requests = requests,
    reserves = reserves,
    above = above,
    left = left,
    charged = {},
    rates = {},
    asks = false,
    asks_ms = 0,
    kinds = {},
    counters = {},
    most = {},
  }
  for at, place in ipairs(charged_to) do terms.charged[at] = budget_at(place) end
  local slots = {}
  for at = 1, #limits, 3 do
    local kind, place, most = limits[at], limits[at + 1], limits[at + 2]
    local limit = #terms.kinds + 1
    terms.kinds[limit], terms.most[limit] = kind, most
    if kind == CONFIRMATION and not terms.asks then terms.asks, terms.asks_ms = true, place end
    terms.counters[limit] = kind == BUDGET and budget_at(place) or kind == RATE and rates[place] or false
    -- One slot of each rate, however often a plan lists it.
    if kind == RATE and not slots[place] then
      slots[place] = true
      terms.rates[#terms.rates + 1] = rates[place]
    end
  end
  return terms
end

-- One slot of each rate, for so many requests.
local function take_slots(terms, many)
  local rates = terms.rates
  for at = 1, #rates do
    local rate = rates[at]
    if rate.adds_up then rate.sum, rate.added = rate.sum + many, rate.added + many end
  end
end

-- Looks at every limit, charging nothing. Appends to the answer what each holds: an amount where it lets the request through, else
-- { amount, wait in ms, or -1 if no wait helps }; of a confirmation { state of the grant, how many actions of the agent wait }.
-- Answers verdict, code, final, and whether a valid grant was needed and found.
local function look_at_limits(terms, reserve, answer, person_of, at_place, now)
  local kinds, counters, mosts = terms.kinds, terms.counters, terms.most
  local first, for_ever, granted = nil, false, false
  local held_at = #answer
  for at = 1, #kinds do
    local kind, counter, most = kinds[at], counters[at], mosts[at]
    local held, fails, wait
    if kind == RATE then
      held = counter.sum
      fails = held >= most
      wait = fails and most > 0 and wait_for_room(counter, most - 1, now)
    elseif kind == BUDGET then
      held = counter.sum
      -- Compared by what is left, as a sum beyond 2^53-1 would not be exact.
      fails = held > (most < 0 and LARGEST or most) - reserve
      wait = fails and reserve <= most and not counter.is_lifetime and wait_for_room(counter, most - reserve, now)
      if held > LARGEST / 2 or held < -LARGEST / 2 then held = decimal(held) end
    else
      local grant, wait_already = person_of(at_place)
      granted = granted or grant == 'granted'
      if grant ~= 'granted' then
        local full = grant == 'none' and wait_already >= most
        first = first or full and VERDICT.too_many_wait or VERDICT_OF_GRANT[grant]
      end
      held = { grant, wait_already }
    end
    if fails then
      -- A caller waits until all of them would pass: one that never will makes the whole refusal hard.
      for_ever = for_ever or not wait
      first = first or kind == RATE and VERDICT.over_rate or VERDICT.over_budget
      held = { held, wait or -1 }
    end
    answer[held_at + at] = held
  end
  local verdict, code, final = unpack(first or VERDICT.allowed)
  if final == nil then final = for_ever end
  return verdict, code, final, granted
end
