#!lua
-- Returns the state of a question to a person. Changes nothing.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] the request: 'agent action digest'
--
-- Returns { 'OK', now, state, expires at }, or a refusal (parts/shard.lua).
--   state: 'waiting', 'granted', 'denied' or 'expired'; 'none' if the request is not remembered, or was decided
--   meanwhile
--   expires at: when the grant ends, otherwise -1
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua
-- @use parts/grants.lua

local refused = refusal()
if refused then return refused end

local now = shard.now
local action, digest = string.match(ARGV[5], '^(%S+ %S+) (%S+)$')
local asked = latest(open_memory(keys, now), action)
if not asked or asked.digest ~= digest or asked.verdict == 'ALLOW' or asked.final then return { 'OK', now, 'none', -1 } end

local grants = open_hash(keys.grants)
local state = grant_state(grants, ARGV[5], now)
if state == 'none' then return { 'OK', now, asked.verdict == 'DEFER' and 'waiting' or 'none', -1 } end
return { 'OK', now, state, state == 'denied' and -1 or get(grants, ARGV[5])[2] }
