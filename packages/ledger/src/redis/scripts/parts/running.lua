-- @use deliveries.lua
-- ALLOWs that may still run (no outcome, lease alive) or still reach the log, of one agent or ('') of all, that were charged to one
-- counter or ('') any, oldest first.

local MOST_IN_ONE_SCRIPT = 1000

local function unpublished_coordinates(keys)
  local coordinates = {}
  local calls = redis.call('HGETALL', keys.unpublished)
  for at = 2, #calls, 2 do
    for coordinate in string.gmatch(calls[at], '%S+') do coordinates[#coordinates + 1] = coordinate end
  end
  return coordinates
end

local function may_be_open(keys)
  return redis.call('ZCARD', keys.running) + #unpublished_coordinates(keys)
end

local function open_entries(keys, memory, agent, counter)
  local coordinates, listed = {}, {}
  local function list(coordinate)
    if listed[coordinate] then return end
    listed[coordinate] = true
    coordinates[#coordinates + 1] = coordinate
  end
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', memory.running_key, '(' .. decimal(memory.now), '+inf')) do
    local blank = string.find(member, ' ', 1, true)
    if agent == '' or string.sub(member, 1, blank - 1) == agent then
      list(string.sub(member, blank + 1))
    end
  end
  for _, coordinate in ipairs(unpublished_coordinates(keys)) do list(coordinate) end
  prefetch(memory.seen, coordinates)
  local open = {}
  for _, coordinate in ipairs(coordinates) do
    local entry = get(memory.seen, coordinate)
    if entry and entry.lease and (agent == '' or entry.agent == agent) and is_charged(entry, counter) then
      open[#open + 1] = entry
    end
  end
  table.sort(open, function(one, other) return one.sequence < other.sequence end)
  return open
end
