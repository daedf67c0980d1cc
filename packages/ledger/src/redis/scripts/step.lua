#!lua
-- The atomic step, for a batch of one tenant: docs/semantics.md section 1, for each operation in order. Data is read
-- through tables, and all decisions and checks use the tables. All writes come last, because a script that fails half
-- way is not rolled back.
--
-- KEYS  of the tenant: parts/keys.lua
-- ARGV  [1..4] parts/shard.lua   [5] replay memory in ms   [6] tenant
--       [7] the operations, JSON (encode-call.ts): arrays of words and numbers, by index
--       [8] the plans of the operations, as text that is only stored and returned
--
-- Returns { 'OK', now, call, results, answers, kept, held }, a refusal (parts/shard.lua), or { 'CORRUPT', position }
-- if another record is remembered at a position. Then nothing has changed.
--   results   for each operation the index of its answer. 0: redelivered, and its record is on the log. -1: the plan does
--             not hold now, and later operations of this agent are not done either. { call, index }: redelivered,
--             answered by that call
--   answers   on the fast path: only the operation
--             decided: { operation, sequence, first or 0, 1 if late or 2 without room, { kill } or 0, charged or
--             { charged, { kind of a unit, charged }, … }, cumulative, lease expires at or 0, limit, … }
--             (parts/limits.lua)
--             settled: { operation, sequence, kind, late, delta, charged, cumulative, overdrawn, excess, released,
--             refused, over cost per call, what the usage costs or nothing, units or nothing }. Units: { { kind,
--             delta, charged, excess, released, refused, overdrawn }, … }
--   kept      { call, now, answers, plans, held } of each earlier call in the results, as it answered
--   held      the counters' sums when the call began, in the order of their names. Empty without a fast path
--
-- The index of an answer in its call is `sequence - call + 1`. Most requests are new and have room:
-- parts/fast-path.lua.
--
-- @use parts/constants.lua
-- @use parts/keys.lua
-- @use parts/shard.lua
-- @use parts/deliveries.lua
-- @use parts/brief.lua
-- @use parts/slots.lua
-- @use parts/forget.lua
-- @use parts/flags.lua
-- @use parts/duplicates.lua
-- @use parts/limits.lua
-- @use parts/units.lua
-- @use parts/turns.lua

local SWEEP_EACH = 64
local FORGETS_FOR_ROOM = 1000
local RUNNING = STATE_BYTE[false]
local floor = math.floor

local refused = refusal()
if refused then return refused end

local now = shard.now
local replay_ms = integer(ARGV[5])
local replay_until = now + replay_ms
local tenant = ARGV[6]
local batch = cjson.decode(ARGV[7])
local positions, actions, texts, keys_of = batch.positions, batch.actions, batch.texts, batch.keys
local numbers, agents = batch.numbers, batch.agents
-- True if the clock of the log is ahead of this clock.
local is_ahead = batch.appendedAtMs > now

local call = shard.sequence + 1
local memory = open_memory(keys, now, call)
brief.open(keys, memory, batch.maxRemembered, batch.keptUnremembered)
local counters = open_counters(keys, now)
local flags = open_hash(keys.flags)
local grants = open_hash(keys.grants)
local deferred = waiting_actions.open(keys)
local done = open_hash(keys.done)
local open_turns = turns.open(keys, batch.turns)

local answers, answered, moved, kept = {}, {}, {}, {}

prefetch(memory.seen, positions)
prefetch(memory.actions, actions)
local lifetimes = open_lifetimes(counters, batch.lifetimes)
local windowed = open_windowed(counters, batch.windows, batch.windowsMs)
local rates = open_rates(counters, batch.rates, batch.ratesMs)
local all_terms = {}
for at, given in ipairs(batch.terms) do all_terms[at] = open_terms(given, lifetimes, windowed, rates, batch.turns) end

-- The words of a request are parsed when they are first used, because most requests never need them.
local requests = {}
local function request_at(at)
  local request = requests[at]
  if request then return request end
  local digest, agent, action, key, appended_at = string.match(texts[at], REQUEST_WORDS)
  request = {
    agent = agent, action = action, attempt = numbers[5 * at - 2], digest = digest, key = key ~= '' and key,
    appended_at = integer(appended_at),
  }
  requests[at] = request
  return request
end

-- Returns the time until which the answer is remembered. No deadline is longer than the replay memory. So the
-- deadline is over when its request is forgotten, on both clocks.
local function replay_until_of(at)
  if not is_ahead then return replay_until end
  return math.max(now, request_at(at).appended_at) + replay_ms
end

-- Returns the state of the person's answer, and the number of the agent's waiting actions.
local function person_at(at)
  local request = request_at(at)
  return grant_state(grants, grant_name(request), now), #waiting_actions.waiting_of(deferred, request.agent, now)
end

local leases = {}
local function lease_end_of(expires_at)
  local text = leases[expires_at] or decimal(expires_at)
  leases[expires_at] = text
  return text
end

-- Answers a repeated delivery with the call and index of its answer, or 0 if its record is on the log.
local function answer_again(at, is_outcome)
  local position = positions[at]
  local known = recall(memory, position)
  if not known then return nil end
  local digest = not is_outcome and string.match(texts[at], '^%S+') or nil
  local was_outcome = known.kind == 's' or known.kind == 'v'
  if is_outcome ~= was_outcome or digest ~= known.digest then return 'CORRUPT' end
  if not is_unpublished(memory, known, position) then return 0 end
  if known.call ~= call then kept[known.call] = true end
  return { known.call, known.sequence - known.call + 1 }
end

-- Removes and returns the stored outcome of this attempt, if the log has the outcome before the decision (ADR 18). So
-- it is applied once. Returns { delta, result, excess, released, own, name of the counter of releases, name of the
-- rate of open calls, units }. Nil if no outcome waits. Units: see units.apply.
local function take_pending_outcome(field, attempt)
  local name = 'pending ' .. field .. ' ' .. decimal(attempt)
  local known = get(done, name)
  if not known or known[1] <= now then return nil end
  put(done, name, false)
  return known[2]
end

-- @use parts/fast-path.lua

fast_path.open()

-- Forgets more deliveries than the operations add, so that freeing memory never falls behind. Forgets many more if
-- the operations would exceed the limit.
local forgets = memory.left < #positions and FORGETS_FOR_ROOM or 2 * #positions + 4
local forgotten = forget_some(memory, forgets, grants, deferred, done)

local function decide(at, agent, terms, attempt, deadline, reserve)
  -- What the request reserves in units other than money (parts/units.lua), or false.
  local its_units = batch.units and batch.units[at] or false
  local position, field, key = positions[at], actions[at], keys_of[at]
  local known = memory.actions.stored[field] or key ~= ''
  local first = known and find_first(memory, grants, request_at(at)) or nil
  local unremembered = memory.left <= 0
  local late = not first and not unremembered and deadline >= 0 and now > deadline
  local kill = not first and not unremembered and not late and stopped_by(flags, tenant, agent, terms.ancestors, terms.left) or nil
  local ended = first or unremembered or late or kill
  if not ended and (now < terms.holds_from or (terms.holds_until >= 0 and now >= terms.holds_until)) then return -1 end

  local sequence = next_sequence()
  if fast_path.takes(terms) and not ended then
    return fast_path.allow(at, sequence, agent, terms, attempt, reserve)
  end
  fast_path.charge_pending()
  -- The nils reserve space in the table for the limits.
  local over = unremembered and 2 or late and 1 or 0
  local answer = { at, sequence, first or 0, over, kill or 0, 0, 0, 0, nil, nil, nil, nil, nil, nil, nil, nil }
  local verdict, code, final = unpack(VERDICT.duplicate)
  local granted, counted = false, nil
  if not ended and (not terms.refusal or terms.observes) then
    -- A request with an answer already has slots. The check does not count these slots, so that they cannot refuse
    -- the request.
    local its = terms.asks and waiting_actions.answered(grants, grant_name(request_at(at)), now)
    local own = its and slots.release(its, terms.rates, now)
    verdict, code, final, granted, counted =
      check_limits(terms, reserve, its_units, answer, person_at, at, now, open_turns)
    if its then
      if verdict ~= 'ALLOW' then slots.retake(its, own, now) end
      fast_path.close()
    end
  end
  if unremembered and not first then
    verdict, code, final = unpack(VERDICT.no_room)
  elseif late then
    verdict, code, final = unpack(VERDICT.late)
  elseif kill then
    verdict, code, final = unpack(VERDICT.killed)
  elseif terms.refusal and not first then
    verdict, code, final = 'BLOCK', terms.refusal, terms.final
  end
  if verdict == 'ALLOW' or verdict == 'DEFER' then take_slots(terms, 1) end
  if verdict == 'DEFER' then fast_path.close() end
  if verdict ~= 'ALLOW' then counted = nil end
  -- Observe mode lifts only the refusals of its own mandate.
  if terms.observes and not ended then verdict, code, final = unpack(VERDICT.allowed) end

  local index = sequence - call + 1
  answers[index], answered[index] = answer, position
  local forget_at, runs = replay_until_of(at), nil
  local reserved, expires_at, state, charges, in_units = 0, 0, 0, '', nil
  if verdict == 'ALLOW' then
    reserved = charge_now(counters, terms.charged, reserve)
    expires_at, state, charges = now + terms.lease_ms, RUNNING, terms.charges
    if expires_at > forget_at then forget_at = expires_at end
    runs = agent .. ' ' .. position
    local running = memory.running
    local last = #running
    running[last + 1], running[last + 2] = lease_end_of(expires_at), runs
    answer[6], answer[8] = outgoing(reserved), expires_at
    if its_units then
      in_units = units.reserve(counters, its_units, terms.charged_units)
      answer[6] = { answer[6] }
      for unit, its in ipairs(in_units) do answer[6][unit + 1] = { its_units[unit][1], outgoing(its[1]) } end
    end
    fast_path.close()
    if terms.opens then turns.begin(open_turns, field, terms.opens, now, forget_at) end
    if counted then turns.count(open_turns, counted[1], counted[2]) end
    if granted then consume_grant(grants, grant_name(request_at(at)), sequence) end
  end
  if verdict == 'DEFER' then forget_at = math.max(forget_at, now + terms.asks_ms) end
  answer[7] = outgoing(terms.total.sum)

  if unremembered then
    brief.remember(memory, position, pack_duplicate('u', forget_at, call, sequence, request_at(at).digest, agent))
    return index
  elseif first then
    remember(memory, position, pack_duplicate('d', forget_at, call, sequence, request_at(at).digest, agent))
    return index
  end
  local charged = reserved
  local outcome = shard.pending_until > now and take_pending_outcome(field, attempt)
  if outcome and runs then
    local delta, result, excess, released, own, releases, open_calls, waiting_units = unpack(outcome)
    charged, state = reserved + delta, STATE_BYTE[result]
    add_to_all(counters, terms.charged, now, delta)
    add_to_all(counters, own_among(terms.charged, own), now, excess)
    add_to(counters, counter_of(counters, releases), now, released)
    if settlement.is_open(cjson.decode(string.match(texts[at], '%S+$'))) then
      slots.release_one(rate_of(counters, open_calls, OPEN_WINDOW_MS), now, now)
    end
    moved[index] = { now, charges, outgoing(charged), outgoing(excess), outgoing(released), own, releases }
    if in_units then moved[index][8] = units.apply(counters, in_units, terms.charged_units, waiting_units, own) end
  end
  remember(memory, position, pack_decision(
    late and 'e' or 'f', forget_at, call, sequence,
    now, attempt, verdict, final, granted and runs, code, texts[at], reserved, expires_at, charged, state,
    charge_words(charges, in_units)
  ))
  -- A forgotten delivery at this position may have marked the same member of `running` for removal. The new ALLOW
  -- keeps this member, unless its outcome is already known.
  if runs then memory.ended[runs] = outcome and true or nil end
  claim(memory, position, field, attempt)
  if key ~= '' then put(memory.keys, key, request_at(at).action) end
  if verdict == 'DEFER' then
    local request = request_at(at)
    waiting_actions.begin(deferred, agent, request.action .. ' ' .. request.digest, terms.rates, now, forget_at)
  end
  return index
end

local settle
do
  -- See encode-call.ts. The last words are the token usage and the calls of tools, each of them or nothing.
  local OUTCOME_WORDS = '^(%S+) (%S+) (%S+) (%d+) (%S+) (%S+) (%S*) (%d*)$'

  local function kind_of(entry)
    if not entry then return 'unknown' end
    if not entry.lease then return 'not_allowed' end
    return entry.lease.result and 'repeated' or 'settled'
  end

  local charges_by_text = {}
  local function charges_in(text)
    local charges = charges_by_text[text] or cjson.decode(text)
    charges_by_text[text] = charges
    return charges
  end

  function settle(at, agent, attempt, total, actual)
    fast_path.charge_pending()
    local status, verified, by, releases_at, own, open_calls, usage, tool_calls = string.match(texts[at], OUTCOME_WORDS)
    local outcome = { status = status, verified = verified, releases = by == 'release' }
    local releases = lifetimes[integer(releases_at)]
    local entry, decided_at = decision_for_attempt(memory, actions[at], attempt)
    local kind = kind_of(entry)
    if kind ~= 'settled' and memory.left <= 0 then kind = 'unremembered' end
    local lease = entry and entry.lease
    local delta, late, overdrawn, excess, released, refused, over = 0, false, false, 0, 0, false, false
    local usage_cost, in_units, moved_units
    if kind == 'settled' then
      local charges, charging = charges_in(lease.charges), cjson.decode(lease.charging)
      local charged_to = counters_of(counters, charges)
      late = now >= lease.expires_at
      usage_cost = settlement.cost_of_usage(charging, usage)
      actual = math.max(actual, usage_cost or NONE)
      outcome.actual, outcome.metered = actual >= 0 and actual, outcome.releases or usage_cost ~= nil
      local charged
      charged, excess, released, refused = settlement.cost_of(charging, lease.reserved, outcome, releases.sum)
      delta = cut_to_exact(counters, charged_to, entry.at, charged - lease.reserved)
      if excess > 0 then
        local its_own = own_among(charged_to, own)
        for _, counter in ipairs(its_own) do excess = excess_in(counters, counter, entry.at, delta, excess) end
        add_to_all(counters, its_own, entry.at, excess)
      end
      add_to_all(counters, charged_to, entry.at, delta)
      if released ~= 0 then add_to(counters, releases, now, released) end
      if settlement.is_open(charging) then
        slots.release_one(rate_of(counters, open_calls, OPEN_WINDOW_MS), entry.at, now)
        fast_path.close()
      end
      if lease.units then
        in_units, moved_units = units.settle(counters, entry, outcome, { usage = usage, tool_calls = tool_calls }, own)
        fast_path.close()
      end
      over = settlement.is_marked(charging, actual)
      lease.charged = lease.reserved + delta
      lease.result = settlement.result_of(outcome)
      put(memory.seen, decided_at, entry)
      memory.ended[agent .. ' ' .. decided_at] = true
      overdrawn = delta + excess > 0 and settlement.is_overdrawn(charges, charged_to)
    end
    local sequence = next_sequence()
    answers[#answers + 1] = {
      at, sequence, kind, late and 1 or 0, outgoing(delta), outgoing(lease and lease.charged or 0),
      outgoing(total.sum), overdrawn and 1 or 0, outgoing(excess), outgoing(released), refused and 1 or 0, over and 1 or 0,
      usage_cost and outgoing(usage_cost) or nil,
    }
    if in_units then
      local answer = answers[#answers]
      answer[13] = answer[13] or false
      answer[14] = in_units
    end
    answered[#answered + 1] = positions[at]
    -- The outcome is stored here, because the settled decision may be forgotten before the outcome's record is on the
    -- log.
    if delta ~= 0 or excess ~= 0 or released ~= 0 or in_units then
      moved[#answers] = { entry.at, lease.charges, outgoing(delta), outgoing(excess), outgoing(released), own, releases.name }
      moved[#answers][8] = moved_units
      fast_path.close()
    end
    if kind == 'unremembered' then
      brief.remember(memory, positions[at], pack_outcome('v', replay_until, call, sequence, agent))
    else
      remember(memory, positions[at], pack_outcome('s', replay_until, call, sequence, agent))
    end
    return #answers
  end
end

local results, waiting = {}, {}
for at = 1, #positions do
  local from = 5 * (at - 1)
  local terms, agent, attempt = all_terms[numbers[from + 1]], agents[numbers[from + 2]], numbers[from + 3]
  local result
  if waiting[agent] then
    result = -1
  else
    result = memory.seen.stored[positions[at]] and answer_again(at, terms == nil) or nil
    if result == 'CORRUPT' then return { 'CORRUPT', positions[at] } end
    if not result and terms then
      result = decide(at, agent, terms, attempt, numbers[from + 4], numbers[from + 5])
    elseif not result then
      result = settle(at, agent, attempt, lifetimes[numbers[from + 4]], numbers[from + 5])
    end
  end
  if result == -1 then waiting[agent] = true end
  results[at] = result
end

fast_path.charge_pending()
local stored = {}
for earlier in pairs(kept) do
  local name = decimal(earlier)
  local at, given, _, held_then = unpack(cmsgpack.unpack(redis.call('HGET', keys.answers, name)))
  stored[#stored + 1] = { earlier, at, given, redis.call('HGET', keys.plans, name), held_then }
end

write_forgotten(memory, forgotten)
write_memory(memory)
if #answers > 0 then
  local name = decimal(call)
  redis.call('HSET', keys.unpublished, name, table.concat(answered, ' '))
  redis.call('HSET', keys.answers, name, cmsgpack.pack({ now, answers, moved, fast_path.held }))
  redis.call('HSET', keys.plans, name, ARGV[8])
  list_to_forget(memory, replay_until, brief.others(memory, answered))
end
-- The sweep is rare, because HSCAN of Redis returns all of a small hash at once.
if floor(shard.sequence / SWEEP_EACH) > floor((call - 1) / SWEEP_EACH) then sweep_windows(counters, SWEEP_EACH) end
turns.sweep(open_turns, now)
write_counters(counters)
write_hash(grants)
write_hash(open_turns)
waiting_actions.write(deferred, memory.forget_key)
write_hash(done)
brief.write(memory)
write_shard()
return { 'OK', now, call, results, answers, stored, fast_path.held }
