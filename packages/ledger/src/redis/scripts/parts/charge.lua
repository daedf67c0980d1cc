-- @use counters.lua
-- What an ALLOW takes, and what an action costs in the end.

-- No counter leaves ±(2^53-1): an amount for `at` is cut to what fits in all of them.
local function fitting(counters, charged, at, delta)
  for _, counter in ipairs(charged) do delta = fits_in(counters, counter, at, delta) end
  return delta
end

local function add_to_all(counters, charged, at, delta)
  for _, counter in ipairs(charged) do add_to(counters, counter, at, delta) end
end

-- Charges all of them now, and answers how much fits.
local function charge_now(counters, charged, amount)
  for at = 1, #charged do
    local counter = charged[at]
    if not counter.adds_up or amount > LARGEST - counter.sum then
      amount = fitting(counters, charged, counters.now, amount)
      add_to_all(counters, charged, counters.now, amount)
      return amount
    end
  end
  for at = 1, #charged do
    local counter = charged[at]
    counter.sum, counter.added = counter.sum + amount, counter.added + amount
  end
  return amount
end

-- Those of charges as they are remembered: parts/deliveries.lua.
local function counters_of(counters, charges)
  local charged = {}
  for at, charge in ipairs(charges) do charged[at] = counter_of(counters, charge[1], charge[2]) end
  return charged
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
  if charging[1] == 'COMPOSED' then
    if result == 'failed' then return math.max(charging[2], outcome.actual or 0) end
    local kept = outcome.verified == 'not_run' and charging[3] or charging[4]
    return math.max(kept, outcome.actual or charging[5])
  end
  assert(charging[1] == 'TIERED', 'no such charging')
  if result == 'failed' then return charging[2] end
  local verification = outcome.verified == 'not_run' and 0 or charging[4]
  return math.min(charging[2] + charging[3] + verification, LARGEST)
end
