-- @use hash.lua
-- What is remembered of each delivery that was answered, by its coordinate ('topic/partition/offset'), and what stands
-- for an action. How a delivery is packed, which load-state.ts and read-state.ts know as well:
--
--   { 's', agent, forget_at }                           an outcome
--   { 'd', agent, forget_at, digest }                   a duplicate, which stands for nothing
--   { 'f' | 'e', agent, forget_at, digest, action, attempt, key, appended_at, at, sequence, verdict, code, hard,
--     grant_consumed, lease }                           a decision, first or expired
--   lease: { reserved, expires_at, charged, result, charging, charges }, or false
--   charging: { type, …micros }    charges: { { counter, window_ms or false, max or false }, … }, packed
--
-- `actions` holds, by 'agent action', { attempt, coordinate, attempt, coordinate, … } with rising attempts; `keys`, by
-- 'agent key', the action that claimed it last. `forget` is the order in which things are forgotten, once they are on
-- the log: 'd coordinate', 'g grant', 'c command'. `running` has 'agent coordinate' of each ALLOW without an outcome, by the
-- end of its lease. No id holds a blank.

local function unpack_delivery(stored)
  local packed = cmsgpack.unpack(stored)
  local kind, agent, forget_at, digest = unpack(packed, 1, 4)
  local delivery = { kind = kind, agent = agent, forget_at = forget_at, digest = digest }
  if kind == 's' or kind == 'd' then return delivery end
  delivery.action, delivery.attempt, delivery.key, delivery.appended_at, delivery.at, delivery.sequence = unpack(packed, 5, 10)
  delivery.verdict, delivery.code, delivery.hard, delivery.grant_consumed = unpack(packed, 11, 14)
  local lease = packed[15]
  if lease then
    lease = {
      reserved = lease[1],
      expires_at = lease[2],
      charged = lease[3],
      result = lease[4],
      charging = lease[5],
      charges = lease[6],
    }
  end
  delivery.lease = lease
  return delivery
end

local function pack_delivery(delivery)
  local kind, agent, forget_at, digest = delivery.kind, delivery.agent, delivery.forget_at, delivery.digest
  if kind == 's' then return cmsgpack.pack({ kind, agent, forget_at }) end
  if kind == 'd' then return cmsgpack.pack({ kind, agent, forget_at, digest }) end
  local lease = delivery.lease
  if lease then
    lease = { lease.reserved, lease.expires_at, lease.charged, lease.result, lease.charging, lease.charges }
  end
  return cmsgpack.pack({
    kind, agent, forget_at, digest,
    delivery.action, delivery.attempt, delivery.key, delivery.appended_at, delivery.at, delivery.sequence,
    delivery.verdict, delivery.code, delivery.hard, delivery.grant_consumed, lease,
  })
end

local function open_memory(keys, now)
  return {
    now = now,
    seen = open_hash(keys.seen, unpack_delivery, pack_delivery),
    actions = open_hash(keys.actions),
    keys = open_hash(keys.keys),
    unpublished = open_hash(keys.unpublished),
    running_key = keys.running,
    forget_key = keys.forget,
    runs = {}, -- members of `running`: the end of the lease, or false to take them out
    forgotten = {}, -- members of `forget` to be taken out
  }
end

-- What the log does not hold yet is never forgotten: it was charged, and its record must still be published.
local function is_forgotten(memory, delivery, coordinate)
  return delivery.forget_at <= memory.now and not get(memory.unpublished, coordinate)
end

-- The delivery at a coordinate; nil when there is none, or it is forgotten.
local function recall(memory, coordinate)
  local delivery = get(memory.seen, coordinate)
  if not delivery or is_forgotten(memory, delivery, coordinate) then return nil end
  return delivery
end

local function attempts_of(memory, agent, action)
  return get(memory.actions, agent .. ' ' .. action) or {}
end

-- What stands for an attempt, and where; nil when nothing does, or it is forgotten.
local function standing(memory, agent, action, attempt)
  local attempts = attempts_of(memory, agent, action)
  for at = 1, #attempts, 2 do
    if attempts[at] == attempt then return recall(memory, attempts[at + 1]), attempts[at + 1] end
  end
  return nil
end

-- The highest attempt of an action that is not forgotten, and where it lies.
local function latest(memory, agent, action)
  local attempts = attempts_of(memory, agent, action)
  for at = #attempts - 1, 1, -2 do
    local delivery = recall(memory, attempts[at + 1])
    if delivery then return delivery, attempts[at + 1] end
  end
  return nil
end

-- The action that an idempotency key belongs to.
local function key_owner(memory, agent, key)
  local action = get(memory.keys, agent .. ' ' .. key)
  if not action then return nil end
  local attempts = attempts_of(memory, agent, action)
  for at = 2, #attempts, 2 do
    local delivery = recall(memory, attempts[at])
    if delivery and delivery.key == key then return action end
  end
  return nil
end

-- Lets a decision stand for its attempt, in the place of any other, and claims its key.
local function claim(memory, coordinate, entry)
  local field = entry.agent .. ' ' .. entry.action
  local attempts = { entry.attempt, coordinate }
  local known = attempts_of(memory, entry.agent, entry.action)
  if #known > 0 then
    local lower, higher = {}, {}
    for at = 1, #known, 2 do
      local side = known[at] < entry.attempt and lower or higher
      if known[at] ~= entry.attempt then
        side[#side + 1] = known[at]
        side[#side + 1] = known[at + 1]
      end
    end
    for _, value in ipairs(attempts) do lower[#lower + 1] = value end
    for _, value in ipairs(higher) do lower[#lower + 1] = value end
    attempts = lower
  end
  put(memory.actions, field, attempts)
  if entry.key then put(memory.keys, entry.agent .. ' ' .. entry.key, entry.action) end
  if entry.lease then memory.runs[entry.agent .. ' ' .. coordinate] = entry.lease.expires_at end
end

-- Gives back what a decision that is forgotten has claimed.
local function release(memory, coordinate, entry)
  memory.runs[entry.agent .. ' ' .. coordinate] = false
  local left, key_is_held = {}, false
  local known = attempts_of(memory, entry.agent, entry.action)
  for at = 1, #known, 2 do
    if known[at + 1] ~= coordinate then
      left[#left + 1] = known[at]
      left[#left + 1] = known[at + 1]
      local other = entry.key and get(memory.seen, known[at + 1])
      if other and other.key == entry.key then key_is_held = true end
    end
  end
  put(memory.actions, entry.agent .. ' ' .. entry.action, #left > 0 and left or false)
  if not entry.key or key_is_held then return end
  local field = entry.agent .. ' ' .. entry.key
  if get(memory.keys, field) == entry.action then put(memory.keys, field, false) end
end

local function drop(memory, coordinate, delivery)
  if delivery.kind == 'f' or delivery.kind == 'e' then release(memory, coordinate, delivery) end
  put(memory.seen, coordinate, false)
  memory.forgotten['d ' .. coordinate] = true
end

-- Stores a new delivery, in the place of one that is forgotten, and its answer until the log has it.
local function remember(memory, coordinate, delivery, answer)
  local forgotten = get(memory.seen, coordinate)
  if forgotten then drop(memory, coordinate, forgotten) end
  put(memory.seen, coordinate, delivery)
  put(memory.unpublished, coordinate, answer)
end

local function write_memory(memory)
  write_hash(memory.seen)
  write_hash(memory.actions)
  write_hash(memory.keys)
  write_hash(memory.unpublished)
  local running, ended, forgotten = {}, {}, {}
  for member, expires_at in pairs(memory.runs) do
    if expires_at then
      running[#running + 1] = decimal(expires_at)
      running[#running + 1] = member
    else
      ended[#ended + 1] = member
    end
  end
  for member in pairs(memory.forgotten) do forgotten[#forgotten + 1] = member end
  call_with_many('ZREM', memory.running_key, ended)
  call_with_many('ZADD', memory.running_key, running)
  call_with_many('ZREM', memory.forget_key, forgotten)
end
