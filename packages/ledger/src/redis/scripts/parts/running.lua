-- @use deliveries.lua
-- Finds ALLOWs that may still run (no outcome, lease alive) or still reach the log, oldest first: of one agent, or of
-- all (''), and charged to one counter, or to any ('').

local MOST_IN_ONE_SCRIPT = 1000

-- Returns { agent, action, attempt, call, digest, sequence, reserved, decided at, lease expires at }.
local function open_row(entry)
  return {
    entry.agent, entry.action, entry.attempt, entry.call_word, entry.digest, entry.sequence,
    outgoing(entry.lease.reserved), entry.at, entry.lease.expires_at,
  }
end

local function unpublished_positions(keys)
  local positions = {}
  local calls = redis.call('HGETALL', keys.unpublished)
  for at = 2, #calls, 2 do
    for position in string.gmatch(calls[at], '%S+') do positions[#positions + 1] = position end
  end
  return positions
end

local function may_be_open(keys)
  return redis.call('ZCARD', keys.running) + #unpublished_positions(keys)
end

local function open_entries(keys, memory, agent, counter)
  local positions, listed = {}, {}
  local function list(position)
    if listed[position] then return end
    listed[position] = true
    positions[#positions + 1] = position
  end
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', memory.running_key, '(' .. decimal(memory.now), '+inf')) do
    local blank = string.find(member, ' ', 1, true)
    if agent == '' or string.sub(member, 1, blank - 1) == agent then
      list(string.sub(member, blank + 1))
    end
  end
  for _, position in ipairs(unpublished_positions(keys)) do list(position) end
  prefetch(memory.seen, positions)
  local open = {}
  for _, position in ipairs(positions) do
    local entry = get(memory.seen, position)
    if entry and entry.lease and (agent == '' or entry.agent == agent) and is_charged(entry, counter) then
      open[#open + 1] = entry
    end
  end
  table.sort(open, function(one, other) return one.sequence < other.sequence end)
  return open
end
