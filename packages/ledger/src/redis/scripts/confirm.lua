#!lua
-- What is on the log now: its answer is forgotten, and from its time on the delivery itself may be.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] the coordinates, JSON
-- Returns { 'OK' }, or a refusal. {'EPOCH'} means that nothing of this may be committed.
--
-- @use constants
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua

local refused = refusal()
if refused then return refused end

local coordinates = cjson.decode(ARGV[5])
local memory = open_memory(keys, shard.now)
prefetch(memory.seen, coordinates)

local published, forgetting = {}, {}
for _, coordinate in ipairs(coordinates) do
  local delivery = get(memory.seen, coordinate)
  if delivery then
    published[#published + 1] = coordinate
    forgetting[#forgetting + 1] = decimal(delivery.forget_at)
    forgetting[#forgetting + 1] = 'd ' .. coordinate
  end
end
call_with_many('HDEL', keys.unpublished, published)
call_with_many('ZADD', keys.forget, forgetting)
return { 'OK' }
