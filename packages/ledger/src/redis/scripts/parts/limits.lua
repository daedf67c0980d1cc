-- @use counters.lua
-- @use grants.lua
-- Looks at every limit of a request, charging nothing: limits.ts, said once more.

local function look_at_budget(counter, most, reserve, now)
  local spent = spent_in(counter)
  -- Compared by what is left, as a sum beyond 2^53-1 would not be exact.
  local ok = spent <= (most or LARGEST) - reserve
  local retry_after = false
  if not ok and most and reserve <= most and counter.window then
    retry_after = wait_for_room(counter.window, most - reserve, now)
  end
  return { 'budget', outgoing(spent), ok, retry_after }
end

local function look_at_rate(rate, most, now)
  local calls = calls_in(rate)
  local ok = calls < most
  local retry_after = false
  if not ok and most > 0 then retry_after = wait_for_slot(rate, most, now) end
  return { 'rate', calls, ok, retry_after }
end

local function look_at_limits(counters, grants, request, limits)
  local facts = {}
  for at, limit in ipairs(limits) do
    if limit.counter then
      local counter = counter_of(counters, limit.counter, limit.windowMs)
      facts[at] = look_at_budget(counter, limit.max, request.reserve, counters.now)
    elseif limit.rate then
      local rate = rate_of(counters, limit.rate, limit.windowMs)
      facts[at] = look_at_rate(rate, limit.max, counters.now)
    else
      local grant = grant_state(grants, grant_name(request), counters.now)
      facts[at] = { 'confirmation', grant == 'granted', grant }
    end
  end
  return facts
end
