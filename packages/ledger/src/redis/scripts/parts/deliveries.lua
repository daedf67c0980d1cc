-- @use hash.lua
-- What the ledger remembers of each answered delivery, by its position ('topic/partition/offset'), and the valid
-- decisions about each action.
--
-- A delivery is a head of doubles and bytes, which `struct` packs three times as fast as text. Words follow,
-- separated by blanks, because no id contains one.
--
--   's'          an outcome                                              words: agent
--   'd'          a duplicate                                             words: digest agent
--   'v' or 'u'   an outcome or a request without room (brief.lua)        words: like 's' or 'd'
--   'f' or 'e'   a decision: first, or expired                           words: code, request words, charges of an ALLOW,
--                for each unit that the ALLOW reserved, the amount and the word of its lease (units.lua)
--
-- constants.lua has the fields of the head, and of the body, which only decisions have. The words of a request
-- (field-encoding.ts): digest, agent, action, key (or nothing), appended_at, call, settling. Settling and charges are
-- JSON: an array with the indices of SETTLING, and [[counter, window_ms or false, max or false], …].
--
-- `actions` has 'attempt position attempt position …' by 'agent action', with rising attempts. `keys` has the action
-- that claimed a key last, by 'agent key'. `running` has 'agent position' of each ALLOW without an outcome, by the
-- end of its lease.
--
-- The answers of a call of the step are kept until all of them are on the log, by the sequence of the first answer
-- (`call`): `unpublished` has the positions that are not on it yet, `answers` the answers (step.lua), `plans` their
-- plans.

local REQUEST_WORDS = '^(%S+) (%S+) (%S+) (%S*) (%-?%d+) (%S+) (%S+)'

-- counter: its name as JSON, as in charges; '' for any counter
local function is_charged(entry, counter)
  return counter == '' or string.find(entry.lease.charges, counter, 1, true) ~= nil
end

local function unpack_delivery(stored)
  local kind, forget_at, call, sequence = struct.unpack(DELIVERY.head, stored)
  local delivery = { kind = kind, forget_at = forget_at, call = call, sequence = sequence }
  if kind == 's' or kind == 'v' then
    delivery.agent = string.sub(stored, DELIVERY.body_at)
    return delivery
  end
  if kind == 'd' or kind == 'u' then
    delivery.digest, delivery.agent = string.match(stored, '^(%S+) (%S+)$', DELIVERY.body_at)
    return delivery
  end
  local at, attempt, reserved, expires_at, charged, verdict, final, consumed, state = struct.unpack(DELIVERY.body, stored, DELIVERY.body_at)
  local code, request, charges = string.match(stored, '^(%S+) (%S+ %S+ %S+ %S* %-?%d+ %S+ %S+) (.*)$', DELIVERY.words_at)
  local units
  -- Most decisions have no units. A plain search is the fastest way to know.
  local blank = string.find(charges, ' ', 1, true)
  if blank then
    units = {}
    for amount, word in string.gmatch(string.sub(charges, blank), ' (%S+) (%S+)') do
      units[#units + 1] = { integer(amount), word }
    end
    charges = string.sub(charges, 1, blank - 1)
  end
  delivery.at, delivery.attempt, delivery.code, delivery.request = at, attempt, code, request
  delivery.verdict, delivery.final, delivery.grant_consumed = VERDICT_OF_BYTE[verdict], final == 1, consumed == 1
  local key, charging
  delivery.digest, delivery.agent, delivery.action, key, delivery.appended_at, delivery.call_word, charging =
    string.match(request, REQUEST_WORDS)
  delivery.key = key ~= '' and key
  delivery.lease = state > 0 and {
    reserved = reserved,
    expires_at = expires_at,
    charged = charged,
    result = STATE_OF_BYTE[state],
    charging = charging,
    charges = charges,
    units = units,
  }
  return delivery
end

-- Returns the words of charges and units. Without units these are the charges.
local function charge_words(charges, units)
  if not units then return charges end
  for _, its in ipairs(units) do charges = charges .. ' ' .. decimal(its[1]) .. ' ' .. its[2] end
  return charges
end

-- The lease is passed as five values, which are 0 or '' if there is no lease. This saves a table for each ALLOW.
local function pack_decision(
  kind, forget_at, call, sequence, at, attempt, verdict, final, consumed, code, request,
  reserved, expires_at, charged, state, charges
)
  return struct.pack(
    DELIVERY.decision, kind, forget_at, call, sequence,
    at, attempt, reserved, expires_at, charged, VERDICT_BYTE[verdict], final and 1 or 0, consumed and 1 or 0, state
  ) .. code .. ' ' .. request .. ' ' .. charges
end

local function pack_outcome(kind, forget_at, call, sequence, agent)
  return struct.pack(DELIVERY.head, kind, forget_at, call, sequence) .. agent
end

local function pack_duplicate(kind, forget_at, call, sequence, digest, agent)
  return struct.pack(DELIVERY.head, kind, forget_at, call, sequence) .. digest .. ' ' .. agent
end

local function pack_delivery(delivery)
  local kind, forget_at, call, sequence = delivery.kind, delivery.forget_at, delivery.call, delivery.sequence
  if kind == 's' or kind == 'v' then return pack_outcome(kind, forget_at, call, sequence, delivery.agent) end
  if kind == 'd' or kind == 'u' then
    return pack_duplicate(kind, forget_at, call, sequence, delivery.digest, delivery.agent)
  end
  local lease = delivery.lease or { reserved = 0, expires_at = 0, charged = 0, charges = '' }
  return pack_decision(
    kind, forget_at, call, sequence, delivery.at, delivery.attempt, delivery.verdict, delivery.final,
    delivery.grant_consumed, delivery.code, delivery.request,
    lease.reserved, lease.expires_at, lease.charged, delivery.lease and STATE_BYTE[lease.result] or 0,
    charge_words(lease.charges, lease.units)
  )
end

local function itself(text)
  return text
end

-- call: the sequence of the running call of the step, or nil
local function open_memory(keys, now, call)
  return {
    now = now,
    call = call,
    seen = open_hash(keys.seen, unpack_delivery, pack_delivery),
    actions = open_hash(keys.actions, itself, itself),
    keys = open_hash(keys.keys, itself, itself),
    unpublished = open_hash(keys.unpublished, itself, itself),
    running_key = keys.running,
    forget_key = keys.forget,
    left = 0, -- the room for further deliveries: brief.lua
    running = {}, -- end of the lease, member, …: to add to `running`
    ended = {}, -- members to remove, or not to add
  }
end

-- True if the record of the delivery may not be on the log yet.
local function is_unpublished(memory, delivery, position)
  if delivery.call == 0 then return false end
  if delivery.call == memory.call then return true end
  local unpublished = get(memory.unpublished, decimal(delivery.call))
  return unpublished and string.find(' ' .. unpublished .. ' ', ' ' .. position .. ' ', 1, true) ~= nil
end

-- True if the delivery is forgotten. A delivery that the log does not have yet is never forgotten, because it was
-- charged and its record must still be published.
local function is_forgotten(memory, delivery, position)
  return delivery.forget_at <= memory.now and not is_unpublished(memory, delivery, position)
end

-- Returns the delivery at a position. Nil if there is none, or if it is forgotten.
local function recall(memory, position)
  local delivery = get(memory.seen, position)
  if not delivery or is_forgotten(memory, delivery, position) then return nil end
  return delivery
end

-- Returns { attempt, position, attempt, position, … }. field: 'agent action'
local function attempts_of(memory, field)
  local attempts = {}
  for attempt, position in string.gmatch(get(memory.actions, field) or '', '(%S+) (%S+)') do
    attempts[#attempts + 1] = integer(attempt)
    attempts[#attempts + 1] = position
  end
  return attempts
end

-- Returns the valid decision about an attempt, and its position. Nil if there is none, or if it is forgotten.
local function decision_for_attempt(memory, field, attempt)
  local attempts = attempts_of(memory, field)
  for at = 1, #attempts, 2 do
    if attempts[at] == attempt then return recall(memory, attempts[at + 1]), attempts[at + 1] end
  end
  return nil
end

-- Returns the highest attempt of an action that is not forgotten, and the position of its decision.
local function latest(memory, field)
  local attempts = attempts_of(memory, field)
  for at = #attempts - 1, 1, -2 do
    local delivery = recall(memory, attempts[at + 1])
    if delivery then return delivery, attempts[at + 1] end
  end
  return nil
end

-- Returns the action that an idempotency key belongs to.
local function key_owner(memory, agent, key)
  local action = get(memory.keys, agent .. ' ' .. key)
  if not action then return nil end
  local attempts = attempts_of(memory, agent .. ' ' .. action)
  for at = 2, #attempts, 2 do
    local delivery = recall(memory, attempts[at])
    if delivery and delivery.key == key then return action end
  end
  return nil
end

local function packed_attempts(attempts)
  local words = {}
  for at, word in ipairs(attempts) do words[at] = at % 2 == 1 and decimal(word) or word end
  return table.concat(words, ' ')
end

-- Stores a decision as the valid decision of its attempt. Replaces any earlier decision.
local function claim(memory, position, field, attempt)
  if not get(memory.actions, field) then
    put_stored(memory.actions, field, decimal(attempt) .. ' ' .. position)
    return
  end
  local lower, higher = {}, {}
  local known = attempts_of(memory, field)
  for at = 1, #known, 2 do
    local side = known[at] < attempt and lower or higher
    if known[at] ~= attempt then
      side[#side + 1] = known[at]
      side[#side + 1] = known[at + 1]
    end
  end
  lower[#lower + 1] = attempt
  lower[#lower + 1] = position
  for _, value in ipairs(higher) do lower[#lower + 1] = value end
  put_stored(memory.actions, field, packed_attempts(lower))
end

-- Removes the entries of a forgotten decision, such as its idempotency key.
local function release(memory, position, entry)
  memory.ended[entry.agent .. ' ' .. position] = true
  local left, key_is_held = {}, false
  local claimed = entry.agent .. ' ' .. entry.action
  local known = attempts_of(memory, claimed)
  for at = 1, #known, 2 do
    if known[at + 1] ~= position then
      left[#left + 1] = known[at]
      left[#left + 1] = known[at + 1]
      local other = entry.key and get(memory.seen, known[at + 1])
      if other and other.key == entry.key then key_is_held = true end
    end
  end
  put(memory.actions, claimed, #left > 0 and packed_attempts(left))
  if not entry.key or key_is_held then return end
  local field = entry.agent .. ' ' .. entry.key
  if get(memory.keys, field) == entry.action then put(memory.keys, field, false) end
end

local function drop(memory, position, delivery)
  if delivery.kind ~= 'u' and delivery.kind ~= 'v' then memory.left = memory.left + 1 end
  if delivery.kind == 'f' or delivery.kind == 'e' then release(memory, position, delivery) end
  put(memory.seen, position, false)
end

-- Stores a new packed delivery. It replaces a forgotten delivery at the same position.
local function remember(memory, position, packed)
  if memory.seen.stored[position] then drop(memory, position, get(memory.seen, position)) end
  put_stored(memory.seen, position, packed)
  memory.left = memory.left - 1
end

local function write_memory(memory)
  write_hash(memory.seen)
  write_hash(memory.actions)
  write_hash(memory.keys)
  local running, ended = memory.running, {}
  for member in pairs(memory.ended) do ended[#ended + 1] = member end
  if #ended > 0 then
    local lasting = {}
    for at = 2, #running, 2 do
      if not memory.ended[running[at]] then
        lasting[#lasting + 1] = running[at - 1]
        lasting[#lasting + 1] = running[at]
      end
    end
    running = lasting
  end
  call_with_many('ZREM', memory.running_key, ended)
  call_with_many('ZADD', memory.running_key, running)
end
