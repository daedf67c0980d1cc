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

-- The agent's own counters among the charged counters.   own: the first part of their names (keys.ts)
local function own_among(charged, own)
  local found = {}
  for _, counter in ipairs(charged) do
    if string.sub(counter.name, 1, #own) == own then found[#found + 1] = counter end
  end
  return found
end

-- A success whose verification failed is a failure.
local function result_of(outcome)
  if outcome.status == 'cancelled' then return 'cancelled' end
  return outcome.status == 'success' and outcome.verified ~= 'no' and 'succeeded' or 'failed'
end

-- The same as charge.ts.   charging: how an outcome settles a lease (words.ts): the bounds of the settlement, then the
-- amounts of its table   outcome: { status, verified, actual or false, releases }   released: the agent's counter of
-- releases   Returns charged, excess, released, refused.
local cost_of
-- Is an actual cost above the highest cost of a call? That bound is -1 if there is none.
local is_marked
-- Does the ALLOW hold a slot of the agent's open calls?
local is_open
-- A script may have 200 local variables. So variables that are used only here are local to this block.
do
  local TYPE, LEAST, OWN_LEAST, MOST, MARK, RELEASES, PERCENT, OPEN, AMOUNTS = 1, 2, 3, 4, 5, 6, 7, 8, 8

  local function charge_of_success(charging, actual, verified)
    local kind, first, second = charging[TYPE], charging[AMOUNTS + 1], charging[AMOUNTS + 2]
    local ran = verified ~= 'not_run'
    if kind == 'SUCCESS_BASED' then return actual or first end
    if kind == 'ATTEMPT_BASED' then return math.max(first, actual or 0) end
    local third = charging[AMOUNTS + 3]
    if kind == 'COMPOSED' then return math.max(ran and third or second, actual or charging[AMOUNTS + 4]) end
    assert(kind == 'TIERED', 'no such charging')
    return math.min(first + second + (ran and third or 0), LARGEST)
  end

  local function charge_of_failure(charging, actual)
    local kind, first = charging[TYPE], charging[AMOUNTS + 1]
    if kind == 'SUCCESS_BASED' then return actual or 0 end
    if kind == 'TIERED' then return first end
    return math.max(first, actual or 0)
  end

  local function percent_of(amount, percent)
    local hundredths = math.floor(amount / 100)
    return hundredths * percent + math.floor((amount - hundredths * 100) * percent / 100)
  end

  function cost_of(charging, reserved, outcome, released)
    local result = result_of(outcome)
    local releases, percent = charging[RELEASES], charging[PERCENT]
    local may_release = outcome.releases or releases < 0
    if result == 'cancelled' and may_release then return 0, 0, 0, false end

    local actual = outcome.actual
    local capped = actual and math.min(actual, charging[MOST])
    -- Tiers ignore the actual cost, so they have no excess.
    local excess = (not actual or charging[TYPE] == 'TIERED') and 0 or actual - capped
    if result == 'succeeded' then
      local least = charging[outcome.releases and LEAST or OWN_LEAST]
      local charged = math.max(least, charge_of_success(charging, capped, outcome.verified))
      local room = releases < 0 and 0 or percent_of(charged, percent)
      return charged, excess, 0 - math.min(math.max(0, released), room), false
    end

    local charged = charge_of_failure(charging, capped)
    local given_back = reserved - charged
    if may_release or given_back <= 0 then return charged, excess, 0, false end
    if math.max(0, released) > releases - given_back then return reserved, excess, 0, true end
    return charged, excess, given_back, false
  end

  function is_open(charging)
    return charging[OPEN] == 1
  end

  function is_marked(charging, actual)
    return charging[MARK] >= 0 and actual > charging[MARK]
  end
end
