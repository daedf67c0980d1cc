-- @use deliveries.lua
-- Forgetting, a little with each step. Every look-up compares the times with the clock, so that what is forgotten is so
-- to the millisecond; this only gives the memory back.
--
-- things: the hashes of what has a `forget_at` as its last-but-one or last value: grants and commands that were done

local function forget_some(memory, most, grants, done)
  local now = memory.now
  local due = redis.call('ZRANGEBYSCORE', memory.forget_key, '-inf', decimal(now), 'LIMIT', 0, most)
  for _, member in ipairs(due) do
    memory.forgotten[member] = true
    local kind, field = string.sub(member, 1, 1), string.sub(member, 3)
    if kind == 'd' then
      local delivery = get(memory.seen, field)
      if delivery and is_forgotten(memory, delivery, field) then drop(memory, field, delivery) end
    elseif kind == 'g' then
      local grant = get(grants, field)
      if grant and grant[3] <= now then put(grants, field, false) end
    elseif kind == 'c' then
      local answer = get(done, field)
      if answer and answer[1] <= now then put(done, field, false) end
    end
  end
end
