-- @use deliveries.lua
-- @use waiting.lua
-- Frees the memory of forgotten data, a little with each step. Every look-up compares the times with the clock, so
-- data is forgotten to the millisecond. This part only frees memory.
--
-- `forget` has members by the time of forgetting: 'd' and the positions that one call answered, 'g' and a grant, 'w'
-- and an agent with waiting actions, 'c' and a command, each separated by a blank. A due delivery that is not on the
-- log is skipped. confirm.lua lists it again.

local function list_to_forget(memory, at, positions)
  if #positions == 0 then return end
  redis.call('ZADD', memory.forget_key, decimal(at), 'd ' .. table.concat(positions, ' '))
end

local function forget_deliveries(memory, list, later)
  local positions = {}
  for position in string.gmatch(list, '%S+') do positions[#positions + 1] = position end
  prefetch(memory.seen, positions)
  for _, position in ipairs(positions) do
    local delivery = get(memory.seen, position)
    if delivery and is_forgotten(memory, delivery, position) then
      drop(memory, position, delivery)
    elseif delivery and delivery.forget_at > memory.now then
      later[#later + 1] = { delivery.forget_at, position }
    end
  end
  return #positions
end

-- Returns the changes that must still be written. grants, done: hashes of values whose third or first element is
-- `forget_at`
local function forget_some(memory, most, grants, waiting, done)
  local now = memory.now
  local due = redis.call('ZRANGEBYSCORE', memory.forget_key, '-inf', decimal(now), 'LIMIT', 0, most)
  local looked_at, members, later = 0, {}, {}
  for _, member in ipairs(due) do
    if looked_at >= most then break end
    members[#members + 1] = member
    local kind, field = string.sub(member, 1, 1), string.sub(member, 3)
    if kind == 'd' then
      looked_at = looked_at + forget_deliveries(memory, field, later)
    elseif kind == 'w' then
      looked_at = looked_at + 1
      waiting_actions.put(waiting, field, waiting_actions.waiting_of(waiting, field, now))
    else
      looked_at = looked_at + 1
      local hash, element = grants, 3
      if kind == 'c' then hash, element = done, 1 end
      local value = get(hash, field)
      if value and value[element] <= now then put(hash, field, false) end
    end
  end
  return { members = members, later = later }
end

local function write_forgotten(memory, forgotten)
  call_with_many('ZREM', memory.forget_key, forgotten.members)
  for _, kept in ipairs(forgotten.later) do list_to_forget(memory, kept[1], { kept[2] }) end
end
