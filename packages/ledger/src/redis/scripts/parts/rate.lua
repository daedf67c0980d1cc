-- @use clock.lua
-- @use hash.lua
-- A true sliding window of calls: a list with the time of each, oldest first. A call counts while it is younger than
-- `window_ms`. What has left is found from the head on, in steps that double and then halve, and cut off when something is
-- written.

local function open_rate(name, key, window_ms, now)
  local rate = { name = name, key = key, window_ms = window_ms, head = 0, taken = 0 }
  rate.length = redis.call('LLEN', key)
  local left_at = now - window_ms
  local function has_left(place)
    return integer(redis.call('LINDEX', key, place)) <= left_at
  end
  local low, high = 0, 0
  while high < rate.length and has_left(high) do
    low = high + 1
    high = 2 * high + 1
  end
  high = math.min(high, rate.length)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if has_left(middle) then low = middle + 1 else high = middle end
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

local function write_rate(rate, now)
  if rate.head > 0 then redis.call('LTRIM', rate.key, rate.head, -1) end
  local times = {}
  for at = 1, rate.taken do times[at] = decimal(now) end
  call_with_many('RPUSH', rate.key, times)
  expire_at(rate.key, now + rate.window_ms)
end
