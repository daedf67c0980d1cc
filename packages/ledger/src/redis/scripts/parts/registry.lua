-- @use clock.lua
-- @use hash.lua
-- The registry: which state is in force, on which servers, and which tenants have a shard. It has its own slot.
--
-- KEYS[1] registry: layout, state ('ready' or 'rebuilding'), epoch, generation, runs (the names of the server runs of
--         all primaries at the last rebuild, separated by blanks: clock.lua), replay_memory in ms, lease_until,
--         clock
-- KEYS[2] tenants: 'opening' or 'open', by the tenant's name
-- KEYS[3] kill flags: only '*', the flag that stops everything (flags.lua)   KEYS[4] commands
-- ARGV[1] time: clock.lua   ARGV[2] layout   ARGV[3] the latest time that the caller has seen
--
-- A refusal changes nothing. It is { 'NOT_READY', why, found, expected }.

local registry = { key = KEYS[1], tenants = KEYS[2], flags = KEYS[3], commands = KEYS[4] }

local function has_run(runs, run)
  return string.find(' ' .. runs .. ' ', ' ' .. run .. ' ', 1, true) ~= nil
end

local function registry_refusal()
  local layout, state, epoch, generation, runs, lease_until, clock = unpack(redis.call(
    'HMGET', registry.key, 'layout', 'state', 'epoch', 'generation', 'runs', 'lease_until', 'clock'
  ))
  registry.now = read_clock(math.max(integer(clock or 0), integer(ARGV[3])))
  registry.epoch, registry.generation, registry.runs, registry.state = epoch, generation, runs, state
  registry.lease_until = integer(lease_until or 0)
  local clocks_differ = clock_refusal()
  if clocks_differ then return clocks_differ end
  if not layout then return { 'NOT_READY', 'empty', '', '' } end
  if layout ~= ARGV[2] then return { 'NOT_READY', 'layout', layout, ARGV[2] } end
  if state ~= 'ready' then return { 'NOT_READY', 'rebuilding', epoch, '' } end
  local own = server_run()
  if not has_run(runs, own) then return { 'NOT_READY', 'run', own, runs } end
  return nil
end

local function tenant_names()
  return redis.call('HKEYS', registry.tenants)
end
