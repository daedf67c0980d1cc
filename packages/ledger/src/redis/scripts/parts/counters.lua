-- @use window.lua
-- @use rate.lua
-- The counters of a tenant, each read once and written once, however many operations of a batch it concerns. They go by
-- the names that keys.ts makes of them: no script takes one apart.
--
-- prefix: what the keys of windows and rates begin with; spent, windows: the hashes; rates: the set of their names

local function open_counters(keys, now)
  return {
    now = now,
    prefix = keys.prefix,
    spent = open_hash(keys.spent, integer, decimal),
    rates_key = keys.rates,
    windows = open_hash(keys.windows),
    by_name = {},
    rates = {},
  }
end

-- window_ms: false for a lifetime counter
local function counter_of(counters, name, window_ms)
  local counter = counters.by_name[name]
  if counter then return counter end
  counter = { name = name, window_ms = window_ms }
  if window_ms then
    local key = counters.prefix .. 'window:' .. name
    counter.window = open_window(counters.windows, name, key, window_ms, counters.now)
  else
    counter.spent = get(counters.spent, name) or 0
  end
  counters.by_name[name] = counter
  return counter
end

local function rate_of(counters, name, window_ms)
  local rate = counters.rates[name]
  if not rate then
    rate = open_rate(name, counters.prefix .. 'rate:' .. name, window_ms, counters.now)
    counters.rates[name] = rate
  end
  return rate
end

local function spent_in(counter)
  return counter.window and counter.window.sum or counter.spent
end

local function add_to(counters, counter, at, delta)
  if counter.window then
    add_to_window(counter.window, at, delta, counters.now)
  else
    counter.spent = counter.spent + delta
    put(counters.spent, counter.name, counter.spent)
  end
end

local function within(held, delta)
  return math.max(-LARGEST - held, math.min(LARGEST - held, delta))
end

-- As much of an amount for `at` as keeps it exact. A window holds a credit where it lies, though its sum does not.
local function fits_in(counters, counter, at, delta)
  delta = within(spent_in(counter), delta)
  local window = counter.window
  if not window then return delta end
  local bucket = bucket_of(window, at)
  return bucket_ends(window, bucket) > counters.now and within(amount_in(window, bucket), delta) or delta
end

-- Does a charge made at `at` still count?
local function still_counts(window_ms, at, now)
  if not window_ms then return true end
  local window = { window_ms = window_ms, width_ms = width_of(window_ms) }
  return bucket_ends(window, bucket_of(window, at)) > now
end

local function write_counters(counters)
  for _, counter in pairs(counters.by_name) do
    if counter.window then write_window(counters.windows, counter.window, counters.now) end
  end
  write_hash(counters.spent)
  write_hash(counters.windows)
  local taken = {}
  for name, rate in pairs(counters.rates) do
    if rate.taken > 0 then
      write_rate(rate, counters.now)
      taken[#taken + 1] = name
    end
  end
  call_with_many('SADD', counters.rates_key, taken)
end
