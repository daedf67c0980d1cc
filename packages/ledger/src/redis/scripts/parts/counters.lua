-- @use window.lua
-- The counters of a tenant. Each is read once and written once, however many operations of a batch use it. Their
-- names are made in keys.ts, and no script parses a name.
--
-- A counter is a window, or { name, sum, added } for a lifetime counter. Time stands still in a script. So a charge
-- now is only added to `sum` and `added`, and put into its bucket when all is written. Only a window with credits
-- checks its buckets for each charge.

local function open_counters(keys, now)
  return {
    now = now,
    spent_key = keys.spent,
    windows = { key = keys.windows, prefix = keys.prefix .. 'window:', open = {} },
    rates = { key = keys.rates, prefix = keys.prefix .. 'rate:', open = {} },
    lifetimes = {},
    by_name = {},
  }
end

local function open_among(counters, windows, name, stored, window_ms, width_ms)
  local window = open_window(name, windows.prefix, stored, window_ms, width_ms, counters.now)
  windows.open[#windows.open + 1] = window
  return window
end

local function lifetime_counter(counters, name, stored)
  local counter = { name = name, sum = stored and integer(stored) or 0, added = 0, adds_up = true, is_lifetime = true }
  counters.by_name[name] = counter
  counters.lifetimes[#counters.lifetimes + 1] = counter
  return counter
end

local function windowed_counter(counters, name, stored, window_ms)
  local window = open_among(counters, counters.windows, name, stored, window_ms, width_of(window_ms))
  counters.by_name[name] = window
  return window
end

-- Opens several counters at once, in order.
local function open_lifetimes(counters, names)
  local opened = {}
  for at, stored in ipairs(fetch(counters.spent_key, names)) do
    opened[at] = lifetime_counter(counters, names[at], stored)
  end
  return opened
end

local function open_windowed(counters, names, lengths)
  local opened = {}
  for at, stored in ipairs(fetch(counters.windows.key, names)) do
    opened[at] = windowed_counter(counters, names[at], stored, lengths[at])
  end
  return opened
end

local function open_rates(counters, names, lengths)
  local opened = {}
  for at, stored in ipairs(fetch(counters.rates.key, names)) do
    opened[at] = open_among(counters, counters.rates, names[at], stored, lengths[at], 1)
    counters.by_name[names[at]] = opened[at]
  end
  return opened
end

local function rate_of(counters, name, window_ms)
  return counters.by_name[name] or open_rates(counters, { name }, { window_ms })[1]
end

-- window_ms: false for a lifetime counter
local function counter_of(counters, name, window_ms)
  local known = counters.by_name[name]
  if known then return known end
  if window_ms then
    return windowed_counter(counters, name, redis.call('HGET', counters.windows.key, name), window_ms)
  end
  return lifetime_counter(counters, name, redis.call('HGET', counters.spent_key, name))
end

local function add_to(counters, counter, at, delta)
  if counter.is_lifetime then
    counter.sum, counter.added = counter.sum + delta, counter.added + delta
  else
    flush_pending(counter, counters.now)
    add_to_window(counter, at, delta, counters.now)
  end
end

local function within(held, delta)
  return math.max(-LARGEST - held, math.min(LARGEST - held, delta))
end

-- Returns the part of an amount for `at` that keeps all sums exact. The bucket is checked too, because it may contain
-- a credit that the window's sum does not show.
local function fits_in(counters, counter, at, delta)
  delta = within(counter.sum, delta)
  if counter.is_lifetime then return delta end
  flush_pending(counter, counters.now)
  local bucket = bucket_of(counter, at)
  return bucket_ends(counter, bucket) > counters.now and within(amount_in(counter, bucket), delta) or delta
end

-- Returns the part of an excess that fits into half of the exact range of a counter, after a delta for `at`. See
-- counters.ts.
local function excess_in(counters, counter, at, delta, excess)
  local held = counter.sum
  if not counter.is_lifetime then
    flush_pending(counter, counters.now)
    held = math.max(held, amount_in(counter, bucket_of(counter, at)))
  end
  return math.max(0, math.min(excess, math.floor(LARGEST / 2) - held - delta))
end

-- True if a charge that was made at `at` still counts.
local function still_counts(window_ms, at, now)
  if not window_ms then return true end
  local window = { window_ms = window_ms, width_ms = width_of(window_ms) }
  return bucket_ends(window, bucket_of(window, at)) > now
end

local function write_windows(windows, now)
  local set = {}
  for _, window in ipairs(windows.open) do
    flush_pending(window, now)
    if window.changed then
      set[#set + 1] = window.name
      set[#set + 1] = write_window(window)
    end
  end
  call_with_many('HSET', windows.key, set)
end

-- Deletes some of the empty windows. The time decides which windows are checked, so each is checked sooner or later.
local function sweep(windows, most, now)
  local _, found = unpack(redis.call('HSCAN', windows.key, decimal(now), 'COUNT', most))
  local gone = {}
  for at = 1, #found, 2 do
    local left, spilled = has_left(found[at + 1], now)
    if left then gone[#gone + 1] = found[at] end
    if left and spilled then redis.call('UNLINK', windows.prefix .. found[at]) end
  end
  call_with_many('HDEL', windows.key, gone)
end

local function sweep_windows(counters, most)
  sweep(counters.windows, most, counters.now)
  sweep(counters.rates, most, counters.now)
end

local function write_counters(counters)
  local set = {}
  for _, counter in ipairs(counters.lifetimes) do
    if counter.added ~= 0 then
      set[#set + 1] = counter.name
      set[#set + 1] = decimal(counter.sum)
    end
  end
  call_with_many('HSET', counters.spent_key, set)
  write_windows(counters.windows, counters.now)
  write_windows(counters.rates, counters.now)
end
