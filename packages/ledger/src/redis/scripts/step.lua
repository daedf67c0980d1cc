#!lua
-- The atomic step, for a batch of one tenant: SEMANTICS section 1, for each operation in order. What it needs is read
-- through tables; everything is decided and checked against these; only then is anything written, as a script that
-- fails half way is not rolled back.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] replay memory in ms   [6] tenant   [7] the operations, JSON (step.ts)
--       [8…] the plan of each operation, as text that is only kept and given back; '' for outcomes
--
-- Returns { 'OK', now, results }, a refusal (parts/shard.lua), or { 'CORRUPT', coordinate } when another record is
-- remembered there: then nothing has happened. A result is one of
--   { 'decided', facts }        { 'decided', facts, plan }     decided now, or before under that plan
--   { 'settled', facts, redelivered }
--   { 'published' }             redelivered, and its record is on the log
--   { 'replan' }                the plan does not hold now; nor was anything of this agent done after it
-- with the facts of a decision   { sequence, at, first, late, kill, limits, charged, cumulative, lease expires at }
-- and those of an outcome        { sequence, at, kind, late, delta, charged, cumulative, overdrawn }
--
-- @use constants
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua
-- @use parts/grants.lua
-- @use parts/forget.lua
-- @use parts/flags.lua
-- @use parts/duplicates.lua
-- @use parts/verdict.lua
-- @use parts/limits.lua
-- @use parts/charge.lua

local refused = refusal()
if refused then return refused end

local now = shard.now
local replay_until = now + integer(ARGV[5])
local tenant = ARGV[6]
local batch = cjson.decode(ARGV[7])
local operations = batch.operations

local memory = open_memory(keys, now)
local counters = open_counters(keys, now)
local flags = open_hash(keys.flags)
local grants = open_hash(keys.grants)
local done = open_hash(keys.done)

local function holds(request)
  return now >= request.holdsFrom and (not request.holdsUntil or now < request.holdsUntil)
end

-- Requests of an agent mostly have the same limits: what follows from these alone is worked out once.
local function plan_limits(set)
  if set.charged then return end
  for _, limit in ipairs(set.limits) do
    if limit.windowMs then integer(limit.windowMs) end
    if limit.max then integer(limit.max) end
  end
  local charges = charges_of(set.limits, set.total)
  set.charged = counters_of(counters, charges)
  set.packed = cmsgpack.pack(charges)
end

local function lifetime_spend(total)
  return spent_in(counter_of(counters, total, false))
end

-- The same coordinate again: the answer that was given, or the news that its record is on the log.
local function answer_again(operation)
  local known = recall(memory, operation.at)
  if not known then return nil end
  local is_outcome = known.kind == 's'
  local same = is_outcome == (operation.op == 'settle') and (is_outcome or known.digest == operation.digest)
  if not same then return { 'CORRUPT', operation.at } end
  local answer = get(memory.unpublished, operation.at)
  if not answer then return { 'published' } end
  if is_outcome then return { 'settled', answer.facts, true } end
  return { 'decided', answer.facts, answer.plan }
end

local function reserve(request, set)
  local reserved = fitting(counters, set.charged, now, request.reserve)
  add_to_all(counters, set.charged, now, reserved)
  return {
    reserved = reserved,
    expires_at = now + request.leaseMs,
    charged = reserved,
    result = false,
    charging = request.charging,
    charges = set.packed,
  }
end

local function decide(request, plan)
  local first = find_first(memory, grants, request)
  local late = not first and request.deadline and now > request.deadline or false
  local kill = not first and not late and stopped_by(flags, tenant, request.agent) or nil
  local ended = first or late or kill
  if not ended and not holds(request) then return { 'replan' } end

  local set = batch.limits[request.limits]
  plan_limits(set)
  local judged = not ended and (not request.refusal or watches(request))
  local limits = judged and look_at_limits(counters, grants, request, set.limits) or {}
  local found = { first = first, late = late, kill = kill, limits = limits }
  local verdict, code, hard = rule(request, found)

  local grant_consumed = false
  local lease = false
  if verdict == 'ALLOW' then
    for _, fact in ipairs(limits) do
      if fact[1] == 'confirmation' and fact[2] then grant_consumed = true end
    end
    lease = reserve(request, set)
  end
  if enforce(request, found) == 'ALLOW' then take_slots(counters, set.limits) end

  local sequence = next_sequence()
  if grant_consumed then consume_grant(grants, grant_name(request), sequence) end
  local charged = lease and lease.reserved or 0
  local facts = {
    sequence, now, first or false, late, kill or false, limits,
    outgoing(charged), outgoing(lifetime_spend(set.total)), lease and lease.expires_at or false,
  }
  local answer = { plan = plan, facts = facts, delta = charged }
  if first then
    local duplicate = { kind = 'd', agent = request.agent, forget_at = replay_until, digest = request.digest }
    remember(memory, request.at, duplicate, answer)
    return { 'decided', facts }
  end
  local entry = {
    kind = late and 'e' or 'f',
    agent = request.agent,
    forget_at = lease and math.max(replay_until, lease.expires_at) or replay_until,
    digest = request.digest,
    action = request.action,
    attempt = request.attempt,
    key = request.key,
    appended_at = request.appendedAt,
    at = now,
    sequence = sequence,
    verdict = verdict,
    code = code,
    hard = hard,
    grant_consumed = grant_consumed,
    lease = lease,
  }
  remember(memory, request.at, entry, answer)
  claim(memory, request.at, entry)
  return { 'decided', facts }
end

local function kind_of(entry)
  if not entry then return 'unknown' end
  if not entry.lease then return 'not_allowed' end
  return entry.lease.result and 'repeated' or 'settled'
end

local function is_overdrawn(charges, charged)
  for at, charge in ipairs(charges) do
    if charge[3] and spent_in(charged[at]) > charge[3] then return true end
  end
  return false
end

local function settle(outcome)
  local entry, place = standing(memory, outcome.agent, outcome.action, outcome.attempt)
  local kind = kind_of(entry)
  local lease = entry and entry.lease
  local delta, late, overdrawn = 0, false, false
  if kind == 'settled' then
    local charges = cmsgpack.unpack(lease.charges)
    local charged = counters_of(counters, charges)
    late = now >= lease.expires_at
    delta = fitting(counters, charged, entry.at, final_charge(lease.charging, outcome) - lease.reserved)
    add_to_all(counters, charged, entry.at, delta)
    lease.charged = lease.reserved + delta
    lease.result = result_of(outcome)
    put(memory.seen, place, entry)
    memory.runs[entry.agent .. ' ' .. place] = false
    overdrawn = delta > 0 and is_overdrawn(charges, charged)
  end
  local facts = {
    next_sequence(), now, kind, late, outgoing(delta),
    outgoing(lease and lease.charged or 0), outgoing(lifetime_spend(outcome.total)), overdrawn,
  }
  local answer = { plan = false, facts = facts, delta = delta }
  -- What it settled may be forgotten before its own record is on the log.
  if kind == 'settled' then answer.at, answer.charges = entry.at, lease.charges end
  remember(memory, outcome.at, { kind = 's', agent = outcome.agent, forget_at = replay_until }, answer)
  return { 'settled', facts, false }
end

-- JSON knows fractions; nothing here is one.
local function check(operation)
  integer(operation.attempt)
  if operation.op == 'settle' then return operation.actual and integer(operation.actual) end
  integer(operation.reserve)
  integer(operation.leaseMs)
  for place = 2, #operation.charging do integer(operation.charging[place]) end
end

local coordinates, actions = {}, {}
for at, operation in ipairs(operations) do
  check(operation)
  coordinates[at] = operation.at
  actions[at] = operation.agent .. ' ' .. operation.action
end
prefetch(memory.seen, coordinates)
prefetch(memory.actions, actions)

local lifetime, windowed = {}, {}
for _, set in ipairs(batch.limits) do
  lifetime[#lifetime + 1] = set.total
  for _, limit in ipairs(set.limits) do
    local names = limit.windowMs and windowed or lifetime
    if limit.counter then names[#names + 1] = limit.counter end
  end
end
prefetch(counters.spent, lifetime)
prefetch(counters.windows, windowed)

-- More than the one delivery that an operation adds, so that forgetting keeps up.
forget_some(memory, 2 * #operations + 4, grants, done)

local results, waiting = {}, {}
for at, operation in ipairs(operations) do
  local result
  if waiting[operation.agent] then
    result = { 'replan' }
  else
    result = answer_again(operation)
      or (operation.op == 'decide' and decide(operation, ARGV[7 + at]) or settle(operation))
  end
  if result[1] == 'CORRUPT' then return result end
  if result[1] == 'replan' then waiting[operation.agent] = true end
  results[at] = result
end

write_memory(memory)
write_counters(counters)
write_hash(grants)
write_hash(done)
write_shard()
return { 'OK', now, results }
