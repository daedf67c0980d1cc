-- @use clock.lua
-- A true sliding window of calls: a list with the time of each, oldest first. A call counts while it is younger than
-- `window_ms`. What has left is found by halving, and cut off when something is written.

local function open_rate(name, key, window_ms, now)
  local rate = { name = name, key = key, window_ms = window_ms, head = 0, taken = 0 }
  rate.length = redis.call('LLEN', key)
  local left_at = now - window_ms
  local low, high = 0, rate.length
  if high > 0 and integer(redis.call('LINDEX', key, 0)) > left_at then high = 0 end
  while low < high do
    local middle = math.floor((low + high) / 2)
    if integer(redis.call('LINDEX', key, middle)) <= left_at then low = middle + 1 else high = middle end
  end
  rate.head = low
  return rate
end

local function calls_in(rate)
  return rate.length - rate.head + rate.taken
end

local function take_slot(rate)
  if rate.window_ms > 0 then rate.taken = rate.taken + 1 end
end

-- How long until fewer than `most` (at least 1) are in the window, which now holds that many or more.
local function wait_for_slot(rate, most, now)
  local place = rate.head + calls_in(rate) - most
  local last_to_leave = place < rate.length and integer(redis.call('LINDEX', rate.key, place)) or now
  return last_to_leave + rate.window_ms - now
end

local function write_rate(rates_key, rate, now)
  if rate.taken == 0 then return end
  if rate.head > 0 then redis.call('LTRIM', rate.key, rate.head, -1) end
  for _ = 1, rate.taken do
    redis.call('RPUSH', rate.key, decimal(now))
  end
  redis.call('SADD', rates_key, rate.name)
  expire_at(rate.key, now + rate.window_ms)
end
