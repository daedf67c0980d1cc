-- @use deliveries.lua
-- ALLOWs without an outcome whose lease is alive, of one agent or ('') of all, oldest first.

local function open_entries(memory, agent)
  local coordinates = {}
  for _, member in ipairs(redis.call('ZRANGEBYSCORE', memory.running_key, '(' .. decimal(memory.now), '+inf')) do
    local blank = string.find(member, ' ', 1, true)
    if agent == '' or string.sub(member, 1, blank - 1) == agent then
      coordinates[#coordinates + 1] = string.sub(member, blank + 1)
    end
  end
  prefetch(memory.seen, coordinates)
  local open = {}
  for _, coordinate in ipairs(coordinates) do
    local entry = get(memory.seen, coordinate)
    if entry then open[#open + 1] = entry end
  end
  table.sort(open, function(one, other) return one.sequence < other.sequence end)
  return open
end
