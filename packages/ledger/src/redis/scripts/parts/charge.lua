-- @use counters.lua
-- What an ALLOW takes, and what an action costs in the end. Charges go by name, { { counter, window_ms, most }, … }, in
-- what is stored, where they are packed once more: many entries have the same.

-- No counter leaves ±(2^53-1): an amount for `at` is cut to what fits in all of them.
local function fitting(counters, charged, at, delta)
  for _, counter in ipairs(charged) do delta = fits_in(counters, counter, at, delta) end
  return delta
end

local function add_to_all(counters, charged, at, delta)
  for _, counter in ipairs(charged) do
    add_to(counters, counter, at, delta)
  end
end

local function counters_of(counters, charges)
  local charged = {}
  for at, charge in ipairs(charges) do charged[at] = counter_of(counters, charge[1], charge[2]) end
  return charged
end

-- Each counter once, under the tightest limit that it is charged for, with the agent's total among them.
local function charges_of(limits, total)
  local charges, by_name = {}, {}
  local function charge(name, window_ms, most)
    local known = by_name[name]
    if not known then
      known = { name, window_ms, most }
      by_name[name] = known
      charges[#charges + 1] = known
    elseif most and (not known[3] or most < known[3]) then
      known[3] = most
    end
  end
  for _, limit in ipairs(limits) do
    if limit.counter then charge(limit.counter, limit.windowMs, limit.max) end
  end
  charge(total, false, false)
  return charges
end

-- One slot of each rate, however often a plan lists it.
local function take_slots(counters, limits)
  local taken = {}
  for _, limit in ipairs(limits) do
    if limit.rate and not taken[limit.rate] then
      taken[limit.rate] = true
      take_slot(rate_of(counters, limit.rate, limit.windowMs))
    end
  end
end

-- A success whose verification failed is a failure.
local function result_of(outcome)
  if outcome.status == 'cancelled' then return 'cancelled' end
  return outcome.status == 'success' and outcome.verified ~= 'no' and 'succeeded' or 'failed'
end

-- The table of SEMANTICS section 4: charge.ts, said once more. charging: { type, …micros }
local function final_charge(charging, outcome)
  local result = result_of(outcome)
  if result == 'cancelled' then return 0 end
  if charging[1] == 'SUCCESS_BASED' then
    return outcome.actual or (result == 'succeeded' and charging[2] or 0)
  end
  if charging[1] == 'ATTEMPT_BASED' then return math.max(charging[2], outcome.actual or 0) end
  assert(charging[1] == 'TIERED', 'no such charging')
  if result == 'failed' then return charging[2] end
  local verification = outcome.verified == 'not run' and 0 or charging[4]
  return math.min(charging[2] + charging[3] + verification, LARGEST)
end
