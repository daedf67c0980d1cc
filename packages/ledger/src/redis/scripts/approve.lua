#!lua
-- Stores a person's answer to a deferred action, once for each command. The latest answer wins. An answer is accepted
-- only if the newest decision about the action has the digest of the request, and has neither allowed the action nor
-- blocked it finally.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] how long the command is remembered, in ms   [6] command
--       [7] the request: 'agent action digest'   [8] 'granted' or 'denied'   [9] until when
--
-- Returns { 'OK', now, { epoch, sequence, at, expires at } }, { 'UNKNOWN' } if no such request is remembered,
-- { 'DECIDED', verdict, code } if the action was decided meanwhile, or a refusal (parts/shard.lua).
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua
-- @use parts/waiting.lua
-- @use parts/commands.lua

local refused = refusal()
if refused then return refused end

local now = shard.now
local name = 'approve ' .. ARGV[6]
local known = done_before(keys.done, name, now)
if known then return { 'OK', now, known } end

local action, digest = string.match(ARGV[7], '^(%S+ %S+) (%S+)$')
local asked = latest(open_memory(keys, now), action)
if not asked or asked.digest ~= digest then return { 'UNKNOWN' } end
if asked.verdict == 'ALLOW' or asked.final then return { 'DECIDED', asked.verdict, asked.code } end

local memory_ms, expires_at = integer(ARGV[5]), integer(ARGV[9])
local receipt = { ARGV[4], next_sequence(), now, expires_at }
local grants, waiting = open_hash(keys.grants), waiting_actions.open(keys)
local forget_at = math.max(now, expires_at) + memory_ms
local before = get(grants, ARGV[7])
-- The deferral of the request. It still waits for a person, or it belongs to the previous answer.
local answers = waiting_actions.take(waiting, asked.agent, asked.action .. ' ' .. digest, now)
  or before and before[3] > now and before[5] or false
put(grants, ARGV[7], { ARGV[8], expires_at, forget_at, shard.sequence, answers })
write_hash(grants)
waiting_actions.write(waiting, keys.forget)
redis.call('ZADD', keys.forget, decimal(forget_at), 'g ' .. ARGV[7])
keep_done(keys.done, name, now + memory_ms, receipt)
redis.call('ZADD', keys.forget, decimal(now + memory_ms), 'c ' .. name)
write_shard()
return { 'OK', now, receipt }
