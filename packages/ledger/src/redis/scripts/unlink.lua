#!lua
-- Frees a generation that is no longer in force: its windows and rates page by page, and then the rest.
--
-- KEYS  of the tenant, in that generation: parts/keys.lua
-- ARGV  [1] generation   [2] 'windows', 'rates' or 'rest'   [3] cursor, '0' at first
--
-- Returns the next cursor, '0' at the end.
--
-- @use parts/constants.lua
-- @use parts/keys.lua

if redis.call('HGET', keys.meta, 'generation') == ARGV[1] then return '0' end
if ARGV[2] == 'rest' then
  redis.call(
    'UNLINK', keys.seen, keys.actions, keys.keys, keys.spent, keys.windows, keys.rates, keys.grants, keys.done,
    keys.waiting, keys.unpublished, keys.answers, keys.plans, keys.running, keys.forget, keys.brief,
    keys.turns
  )
  return '0'
end
local windowed = ARGV[2] == 'windows'
local cursor, found = unpack(redis.call('HSCAN', windowed and keys.windows or keys.rates, ARGV[3], 'COUNT', 200))
for at = 1, #found, 2 do
  redis.call('UNLINK', keys.prefix .. (windowed and 'window:' or 'rate:') .. found[at])
end
return cursor
