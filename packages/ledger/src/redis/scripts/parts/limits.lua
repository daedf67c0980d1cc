-- @use charge.lua
-- @use grants.lua
-- @use turns.lua
-- The terms of requests, and the check of the limits among them: the same rules as limits.ts and verdict.ts. Most
-- requests of an agent share their terms. One loop checks all limits, over arrays, and adds only their sums to the
-- answer as long as none fails. With a table and a function call for each limit an action took twice as long.

-- given (counter-table.ts): { holds_from, holds_until, lease_ms, observe, refusal, final, total, charges, charged,
--   limits, requests, reserves, ancestors, left, opens, charged_units }
--   charged: the counters that an ALLOW is charged to   charged_units: { { kind, counters }, … } for each unit other
--   than money, or 0 if nothing is reserved in one
--   limits: { kind, counter, most, … }
--   counter: the index of a lifetime counter or a rate, minus the index of a windowed counter. For a confirmation:
--   how long its question is kept at least, in ms
--   requests: the number of requests in the call with these terms   reserves: the sum of their reservations
local function open_terms(given, lifetimes, windowed, rates, turn_limits)
  local holds_from, holds_until, lease_ms, observe, refusal, final, total, charges, charged_to, limits, requests, reserves,
    ancestors, left, opens, charged_units = unpack(given)
  local function budget_at(index)
    return index > 0 and lifetimes[index] or windowed[-index]
  end
  local terms = {
    holds_from = holds_from,
    holds_until = holds_until,
    lease_ms = lease_ms,
    refusal = refusal ~= '' and refusal,
    final = final == 1,
    -- True if the mandate is in observe mode. Observe mode never lifts the refusal of a plan that could not be made.
    observes = observe == 1 and refusal ~= NOT_PLANNED,
    total = lifetimes[total],
    charges = charges,
    requests = requests,
    reserves = reserves,
    ancestors = ancestors,
    left = left,
    opens = opens ~= '' and opens,
    charged = {},
    rates = {},
    asks = false,
    asks_ms = 0,
    kinds = {},
    counters = {},
    most = {},
  }
  for at, index in ipairs(charged_to) do terms.charged[at] = budget_at(index) end
  if charged_units ~= 0 then
    terms.charged_units = {}
    for at, given_unit in ipairs(charged_units) do
      local counters = {}
      for place, index in ipairs(given_unit[2]) do counters[place] = budget_at(index) end
      terms.charged_units[at] = { given_unit[1], counters }
    end
  end
  local slots = {}
  for at = 1, #limits, 3 do
    local kind, index, most = limits[at], limits[at + 1], limits[at + 2]
    local limit = #terms.kinds + 1
    terms.kinds[limit], terms.most[limit] = kind, most
    if kind == CONFIRMATION and not terms.asks then terms.asks, terms.asks_ms = true, index end
    terms.counters[limit] = (kind == BUDGET or VERDICT_OF_UNIT[kind]) and budget_at(index) or kind == RATE and rates[index] or kind == TURN and turn_limits[index] or false
    -- A request takes one slot of each rate, even if the plan lists the rate twice.
    if kind == RATE and not slots[index] then
      slots[index] = true
      terms.rates[#terms.rates + 1] = rates[index]
    end
  end
  return terms
end

-- Takes one slot of each rate for each of `many` requests.
local function take_slots(terms, many)
  local rates = terms.rates
  for at = 1, #rates do
    local rate = rates[at]
    if rate.adds_up then rate.sum, rate.added = rate.sum + many, rate.added + many end
  end
end

-- Checks every limit, and charges nothing. its_units: what the request reserves in units (units.lua), or false. Appends to the answer for each limit its sum. If the limit is exceeded,
-- appends { sum, wait in ms, or -1 if no wait helps }. For a confirmation, appends { state of the grant, number of
-- waiting actions of the agent }. For a turn, appends what turns.check returns. Returns verdict, code, final, whether a
-- valid grant was needed and found, and { field, count } of the turn that counts the call or nil.
local function check_limits(terms, reserve, its_units, answer, person_of, at_index, now, open_turns)
  local kinds, counters, mosts = terms.kinds, terms.counters, terms.most
  local first, for_ever, granted, counted = nil, false, false, nil
  local held_at = #answer
  local reserves = {}
  for _, its in ipairs(its_units or {}) do reserves[its[1]] = its[2] end
  for at = 1, #kinds do
    local kind, counter, most = kinds[at], counters[at], mosts[at]
    local held, fails, wait
    if kind == RATE then
      held = counter.sum
      fails = held >= most
      wait = fails and most > 0 and wait_for_room(counter, most - 1, now)
    elseif kind == BUDGET or VERDICT_OF_UNIT[kind] then
      local its_reserve = kind == BUDGET and reserve or reserves[kind] or 0
      held = counter.sum
      -- The reservation is subtracted from the limit, because a sum above 2^53-1 would not be exact.
      fails = held > (most < 0 and LARGEST or most) - its_reserve
      wait = fails and its_reserve <= most and not counter.is_lifetime and wait_for_room(counter, most - its_reserve, now)
      if held > LARGEST / 2 or held < -LARGEST / 2 then held = decimal(held) end
    elseif kind == TURN then
      local field
      held, field = turns.check(open_turns, counter, most, now, terms.asks and person_of(at_index) == 'granted')
      local count = counter[3]
      if held[1] ~= 0 then
        local verdict = VERDICT_OF_TURN[held[1]]
        if held[1] == TURN_FAILURE.intent and count ~= TOOL_CALLS then verdict = VERDICT.store_not_for_intent end
        first = first or verdict
      end
      if field and count ~= 0 then counted = counted or { field, count } end
    else
      local grant, waiting_already = person_of(at_index)
      granted = granted or grant == 'granted'
      if grant ~= 'granted' then
        local full = grant == 'none' and waiting_already >= most
        first = first or full and VERDICT.too_many_wait or VERDICT_OF_GRANT[grant]
      end
      held = { grant, waiting_already }
    end
    if fails then
      -- A caller must wait for all limits. If no wait helps for one of them, the whole refusal is final.
      for_ever = for_ever or not wait
      first = first or kind == RATE and VERDICT.over_rate or VERDICT_OF_UNIT[kind] or VERDICT.over_budget
      held = { held, wait or -1 }
    end
    answer[held_at + at] = held
  end
  local verdict, code, final = unpack(first or VERDICT.allowed)
  if final == nil then final = for_ever end
  return verdict, code, final, granted, counted
end
