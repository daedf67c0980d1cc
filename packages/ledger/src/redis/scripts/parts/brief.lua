-- @use deliveries.lua
-- Deliveries above the limit of remembered deliveries, as in room.ts and forget.ts. `brief` lists their positions,
-- the oldest first. It keeps the last deliveries, and those that the log does not have yet.

local brief = {}

-- Returns the number of remembered deliveries. Deliveries above the limit do not count.
function brief.count_remembered(keys)
  return redis.call('HLEN', keys.seen) - redis.call('LLEN', keys.brief)
end

-- kept: the number of deliveries above the limit to keep
function brief.open(keys, memory, most, kept)
  memory.left = most - brief.count_remembered(keys)
  memory.brief = { key = keys.brief, kept = kept, added = {}, is_brief = {} }
end

-- Stores a delivery above the limit. It replaces a forgotten delivery at the same position.
function brief.remember(memory, position, packed)
  if memory.seen.stored[position] then drop(memory, position, get(memory.seen, position)) end
  put_stored(memory.seen, position, packed)
  local added = memory.brief.added
  added[#added + 1] = position
  memory.brief.is_brief[position] = true
end

-- Returns the positions of the deliveries that are not above the limit.
function brief.others(memory, positions)
  if #memory.brief.added == 0 then return positions end
  local others = {}
  for _, position in ipairs(positions) do
    if not memory.brief.is_brief[position] then others[#others + 1] = position end
  end
  return others
end

local MOST_LOOKED_AT, OLDEST_LOOKED_AT = 1000, 4

-- Writes the changes. Call it after all other writes.
function brief.write(memory)
  local key = memory.brief.key
  call_with_many('RPUSH', key, memory.brief.added)
  local over = redis.call('LLEN', key) - memory.brief.kept
  local gone, last = {}, math.min(math.max(over, 0) + OLDEST_LOOKED_AT, MOST_LOOKED_AT)
  for at, position in ipairs(redis.call('LRANGE', key, 0, last - 1)) do
    local delivery = get(memory.seen, position)
    -- False if another delivery has this position now.
    local stands = delivery and (delivery.kind == 'u' or delivery.kind == 'v')
    local may_go = not stands or at <= over and not is_unpublished(memory, delivery, position)
      or is_forgotten(memory, delivery, position)
    if may_go then
      if stands then gone[#gone + 1] = position end
      redis.call('LREM', key, 1, position)
    elseif at > over then
      break
    end
  end
  call_with_many('HDEL', memory.seen.key, gone)
end
