#!lua
-- Returns a page of the allowed actions that may still run, or still reach the log. An action that was open at `as
-- of`, and still is, is on some page, perhaps on two. In no order.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] the agent, or '' for all   [6] as of which time; '' for now
--       [7] the counter that they were charged to, JSON, or '' for any   [8] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { { position, row of parts/running.lua }, … } }, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/running.lua

-- A page has few calls, because a call has several hundred answers.
local CALLS_A_PAGE = 4

local refused = refusal()
if refused then return refused end

local agent = ARGV[5]
local as_of = ARGV[6] == '' and shard.now or integer(ARGV[6])
local memory = open_memory(keys, shard.now)
local hash, cursor = string.match(ARGV[8], '^(%a?)(%d+)$')
local positions = {}

-- The cursor first goes through the running actions, then through the actions that are not on the log yet.
local next_cursor
if hash == 'u' then
  local after, found = unpack(redis.call('HSCAN', keys.unpublished, cursor, 'COUNT', CALLS_A_PAGE))
  for at = 2, #found, 2 do
    for position in string.gmatch(found[at], '%S+') do positions[#positions + 1] = position end
  end
  next_cursor = after == '0' and '0' or 'u' .. after
else
  local after, found = unpack(redis.call('ZSCAN', keys.running, cursor, 'COUNT', 500))
  for at = 1, #found, 2 do
    local of, position = string.match(found[at], '^(%S+) (%S+)$')
    local alive = tonumber(found[at + 1]) > as_of
    if alive and (agent == '' or of == agent) then positions[#positions + 1] = position end
  end
  next_cursor = after == '0' and 'u0' or 'r' .. after
end

prefetch(memory.seen, positions)
local open = {}
for _, position in ipairs(positions) do
  local entry = get(memory.seen, position)
  local lease = entry and entry.lease
  if lease and (agent == '' or entry.agent == agent) and is_charged(entry, ARGV[7]) then
    open[#open + 1] = { position, open_row(entry) }
  end
end
return { 'OK', shard.now, next_cursor, open }
