-- @use counters.lua
-- Charges an ALLOW, and computes the final cost of an action.

-- Returns an amount for `at`, cut so that no counter exceeds ±(2^53-1).
local function cut_to_exact(counters, charged, at, delta)
  for _, counter in ipairs(charged) do delta = fits_in(counters, counter, at, delta) end
  return delta
end

local function add_to_all(counters, charged, at, delta)
  for _, counter in ipairs(charged) do add_to(counters, counter, at, delta) end
end

-- Charges all counters now. Returns the amount, cut to keep the counters exact.
local function charge_now(counters, charged, amount)
  for at = 1, #charged do
    local counter = charged[at]
    if not counter.adds_up or amount > LARGEST - counter.sum then
      amount = cut_to_exact(counters, charged, counters.now, amount)
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

-- Returns the counters of stored charges. parts/deliveries.lua describes the format.
local function counters_of(counters, charges)
  local charged = {}
  for at, charge in ipairs(charges) do charged[at] = counter_of(counters, charge[1], charge[2]) end
  return charged
end

-- Returns those charged counters that belong to the agent alone. own: the first part of their names (keys.ts)
local function own_among(charged, own)
  local found = {}
  for _, counter in ipairs(charged) do
    if string.sub(counter.name, 1, #own) == own then found[#found + 1] = counter end
  end
  return found
end

-- The functions of this part that settle an outcome are in one table, because a script may have only 200 local
-- variables.
local settlement = {}

-- True if a counter is above its limit. charges: see parts/deliveries.lua   charged: their counters
function settlement.is_overdrawn(charges, charged)
  for at, charge in ipairs(charges) do
    if charge[3] and charged[at].sum > charge[3] then return true end
  end
  return false
end

-- Returns the result of an outcome. A success that failed its verification is a failure.
function settlement.result_of(outcome)
  if outcome.status == 'cancelled' then return 'cancelled' end
  return outcome.status == 'success' and outcome.verified ~= 'no' and 'succeeded' or 'failed'
end

do
  local function sum_of(settling, amounts)
    local sum = 0
    for _, at in ipairs(amounts) do sum = sum + settling[SETTLING.fields + at] end
    return sum
  end

  local function charge_of_success(settling, row, actual, verified)
    local kept = sum_of(settling, verified ~= 'not_run' and row.verified or row.succeeded)
    if row.estimate then kept = math.max(kept, actual or settling[SETTLING.fields + row.estimate]) end
    return math.min(kept, LARGEST)
  end

  local function charge_of_failure(settling, row, actual)
    local kept = sum_of(settling, row.failed)
    return row.estimate and math.max(kept, actual or 0) or kept
  end

  local function percent_of(amount, percent)
    local hundredths = math.floor(amount / 100)
    return hundredths * percent + math.floor((amount - hundredths * 100) * percent / 100)
  end

  -- Does the same as final-charge.ts. Returns charged, excess, released, refused.
  --   settling: how an outcome settles a lease: constants.lua   released: the agent's counter of releases
  --   outcome: { status, verified, actual or false, releases, metered: whether a trusted key or token usage states the
  --   cost }
  function settlement.cost_of(settling, reserved, outcome, released)
    local result = settlement.result_of(outcome)
    local releases, percent = settling[SETTLING.releases_micros], settling[SETTLING.percent]
    local may_release = outcome.releases or releases < 0
    if result == 'cancelled' and may_release then return 0, 0, 0, false end

    local row = CHARGING[settling[SETTLING.type]] or error('no such charging')
    local actual = outcome.actual
    local capped = actual and math.min(actual, settling[SETTLING.most_micros])
    -- Cost tiers ignore the actual cost, so there is no excess.
    local excess = (not actual or not row.estimate) and 0 or actual - capped
    if result == 'succeeded' then
      local least = settling[outcome.metered and SETTLING.least_micros or SETTLING.own_least_micros]
      local charged = math.max(least, charge_of_success(settling, row, capped, outcome.verified))
      local room = releases < 0 and 0 or percent_of(charged, percent)
      return charged, excess, 0 - math.min(math.max(0, released), room), false
    end

    local charged = charge_of_failure(settling, row, capped)
    local given_back = reserved - charged
    if may_release or given_back <= 0 then return charged, excess, 0, false end
    if math.max(0, released) > releases - given_back then return reserved, excess, 0, true end
    return charged, excess, given_back, false
  end

  local TOKENS_PRICED = 1000000

  -- Returns tokens × price as whole micro-dollars, and a rest in millionths of a micro-dollar.
  local function product(tokens, micros)
    local tokens_rest, micros_rest = math.fmod(tokens, TOKENS_PRICED), math.fmod(micros, TOKENS_PRICED)
    local whole = (tokens - tokens_rest) / TOKENS_PRICED * micros
    return whole + tokens_rest * ((micros - micros_rest) / TOKENS_PRICED), tokens_rest * micros_rest
  end

  -- Does the same as usage-price.ts: returns what the token usage costs. Nil if there is no usage or no price.
  --   usage: 'input,cached,written,output' in tokens, or ''
  function settlement.cost_of_usage(settling, usage)
    local prices = settling[#settling]
    if usage == '' or type(prices) ~= 'table' then return nil end
    local input, cached, written, output = string.match(usage, '^(%d+),(%d+),(%d+),(%d+)$')
    input, cached, written, output = integer(input), integer(cached), integer(written), integer(output)
    local new = math.max(0, input - cached - written)
    local most = 0
    for _, price in ipairs(prices) do
      if input >= price[TOKEN_PRICE.from_input_tokens] then
        local of_new, rest_of_new = product(new, price[TOKEN_PRICE.input_micros])
        local of_cached, rest_of_cached = product(cached, price[TOKEN_PRICE.cached_input_micros])
        local of_written, rest_of_written = product(written, price[TOKEN_PRICE.cache_write_micros])
        local of_output, rest_of_output = product(output, price[TOKEN_PRICE.output_micros])
        local rest = math.ceil((rest_of_new + rest_of_cached + rest_of_written + rest_of_output) / TOKENS_PRICED)
        local cost = of_new + of_cached + of_written + of_output + rest + price[TOKEN_PRICE.per_call_micros]
        most = math.max(most, math.min(cost, LARGEST))
      end
    end
    return most
  end

  -- True if the ALLOW occupies a slot of the agent's open calls.
  function settlement.is_open(settling)
    return settling[SETTLING.open] == 1
  end

  -- True if an actual cost exceeds the cost per call. -1 means no such limit.
  function settlement.is_marked(settling, actual)
    local mark = settling[SETTLING.mark_micros]
    return mark >= 0 and actual > mark
  end
end
