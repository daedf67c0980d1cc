-- @use clock.lua
-- @use hash.lua
-- What was spent in the last `window_ms`, in buckets: see sliding-sum.ts, whose arithmetic this is.
--
-- Stored: in the hash `windows`, by counter, { sum, credits, oldest bucket, window_ms }; and in a sorted set of its own each bucket
-- that is not zero, scored by its number, as 'number amount'. So a step reads the sum and the one bucket that it adds
-- to; all buckets are read only where a credit among them, or an exact wait, asks for it.

local function width_of(window_ms)
  return math.max(1, math.ceil(window_ms / BUDGET_BUCKETS))
end

local function bucket_of(window, at)
  return math.floor(at / window.width_ms)
end

local function bucket_ends(window, bucket)
  return (bucket + 1) * window.width_ms - 1 + window.window_ms
end

local function parse_bucket(member)
  local bucket, amount = string.match(member, '^(%-?%d+) (%-?%d+)$')
  return tonumber(bucket), tonumber(amount)
end

local function note_stored(window, member)
  local bucket, amount = parse_bucket(member)
  if window.amounts[bucket] == nil then
    window.amounts[bucket] = amount
    window.members[bucket] = member
  end
  return bucket
end

local function note_empty(window, bucket)
  window.amounts[bucket] = 0
  local order = window.order
  if not order then return end
  local newest = order[#order]
  order[#order + 1] = bucket
  if newest and newest > bucket then table.sort(order) end
end

local function amount_in(window, bucket)
  if window.amounts[bucket] == nil then
    local found = not window.order and redis.call('ZRANGEBYSCORE', window.key, bucket, bucket)[1]
    if found then note_stored(window, found) else note_empty(window, bucket) end
  end
  return window.amounts[bucket]
end

-- Every bucket that counts, in order. From here on, a bucket that is not known is empty.
local function load_order(window)
  if window.order then return end
  local after = window.left_through and '(' .. decimal(window.left_through) or '-inf'
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', window.key, after, '+inf')) do
    note_stored(window, member)
  end
  window.order = {}
  for bucket in pairs(window.amounts) do
    window.order[#window.order + 1] = bucket
  end
  table.sort(window.order)
end

local function sum_up(window)
  load_order(window)
  local running = 0
  for _, bucket in ipairs(window.order) do
    running = math.max(0, running + window.amounts[bucket])
  end
  return running
end

-- Time stands still within a script, so that this happens once.
local function let_leave(window, now)
  local last = math.floor((now - window.window_ms + 1) / window.width_ms) - 1
  window.left_through = last
  window.changed = true
  local credits = window.credits
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', window.key, '-inf', last)) do
    local _, amount = parse_bucket(member)
    window.sum = window.sum - amount
    if amount < 0 then window.credits = window.credits - 1 end
  end
  local oldest = redis.call('ZRANGEBYSCORE', window.key, '(' .. decimal(last), '+inf', 'LIMIT', 0, 1)[1]
  window.oldest = oldest and note_stored(window, oldest) or false
  if not oldest then
    -- The server may have given all of it back already.
    window.sum, window.credits = 0, 0
  elseif credits > 0 then
    window.sum = sum_up(window)
  end
end

local function open_window(windows, name, key, window_ms, now)
  local sum, credits, oldest = unpack(get(windows, name) or { 0, 0, false })
  local window = {
    name = name,
    key = key,
    window_ms = window_ms,
    width_ms = width_of(window_ms),
    sum = sum,
    credits = credits,
    oldest = oldest,
    left_through = false,
    changed = false,
    amounts = {}, -- by bucket, as they are now
    members = {}, -- by bucket, as they are stored
    moved = {}, -- buckets to be written
    order = false,
  }
  if oldest and bucket_ends(window, oldest) <= now then let_leave(window, now) end
  return window
end

-- Adds to the bucket of `at`, unless that has left the window already.
local function add_to_window(window, at, delta, now)
  local bucket = bucket_of(window, at)
  if bucket_ends(window, bucket) <= now then return end
  local before = amount_in(window, bucket)
  local after = before + delta
  window.amounts[bucket] = after
  window.moved[bucket] = true
  window.changed = true
  if not window.oldest or bucket < window.oldest then window.oldest = bucket end
  if before < 0 then window.credits = window.credits - 1 end
  if after < 0 then window.credits = window.credits + 1 end
  if before < 0 or window.credits > 0 then
    window.sum = sum_up(window)
  else
    window.sum = window.sum + delta
  end
end

-- The least wait after which the sum is at most `room`. The newest buckets that are too much together say which one has
-- to leave.
local function wait_for_room(window, room, now)
  load_order(window)
  local newest = 0
  for at = #window.order, 1, -1 do
    newest = newest + window.amounts[window.order[at]]
    if newest > room then return bucket_ends(window, window.order[at]) - now end
  end
  return 0
end

local function write_window(windows, window, now)
  if not window.changed then return end
  if window.left_through then
    redis.call('ZREMRANGEBYSCORE', window.key, '-inf', window.left_through)
  end
  local newest = false
  for bucket in pairs(window.moved) do
    local amount = window.amounts[bucket]
    if window.members[bucket] then redis.call('ZREM', window.key, window.members[bucket]) end
    if amount ~= 0 then redis.call('ZADD', window.key, bucket, decimal(bucket) .. ' ' .. decimal(amount)) end
    if not newest or bucket > newest then newest = bucket end
  end
  if newest and (newest == bucket_of(window, now) or redis.call('PTTL', window.key) == -1) then
    expire_at(window.key, bucket_ends(window, newest))
  end
  put(windows, window.name, { window.sum, window.credits, window.oldest, window.window_ms })
end
