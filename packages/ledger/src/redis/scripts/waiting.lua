#!lua
-- Returns a page of the agents with actions that wait for a person, and how many. An agent may be on two pages. In no
-- order.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] cursor, '0' at first
--
-- Returns { 'OK', now, next cursor ('0' at the end), { agent, number, agent, number, … } }, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/waiting.lua

-- A page has few agents, because an agent may have many waiting actions.
local AGENTS_A_PAGE = 50

local refused = refusal()
if refused then return refused end

local waiting = waiting_actions.open(keys)
local after, found = unpack(redis.call('HSCAN', keys.waiting, ARGV[5], 'COUNT', AGENTS_A_PAGE))
local page = {}
for at = 1, #found, 2 do
  page[at] = found[at]
  page[at + 1] = #waiting_actions.waiting_of(waiting, found[at], shard.now)
end
return { 'OK', shard.now, after, page }
