-- @use charge.lua
-- Charges and settles an ALLOW in units other than money, by the rules of money (packages/step/src/unit-charge.ts). The
-- kind of a limit in a unit is the number of the unit.
--
-- A request: { { kind, amount to reserve, word }, … }, one entry for each unit. A lease: { { reserved, word }, … }. The
-- word (field-encoding.ts) is JSON: { kind, settling, name of the agent's counter of releases, charges }. `settling` has
-- the fields of SETTLING, in the unit. The charges have the form of parts/deliveries.lua.

local units = {}
do
  local USAGE = '^(%d+),%d+,%d+,(%d+)$'

  -- What an outcome states in each unit, or nil.   usage: 'input,cached,written,output', or ''   tool_calls: a number
  -- as text, or ''
  local REPORTED = {
    [UNIT.tokens] = function(usage)
      local input, output = string.match(usage, USAGE)
      return input and integer(input) + integer(output)
    end,
    [UNIT.tool_calls] = function(_, tool_calls)
      return tool_calls ~= '' and integer(tool_calls) or nil
    end,
  }

  -- Adds an outcome to the counters of a lease.
  local function add(counters, charged, own, at, delta, excess)
    if excess ~= 0 then add_to_all(counters, own_among(charged, own), at, excess) end
    add_to_all(counters, charged, at, delta)
  end

  -- Charges an ALLOW. Returns its lease.   charged: { { kind, counters }, … } of the terms, in the same order
  function units.reserve(counters, requested, charged)
    local lease = {}
    for at, its in ipairs(requested) do
      lease[at] = { charge_now(counters, charged[at][2], its[2]), its[3] }
    end
    return lease
  end

  -- Applies an outcome that the log has before its decision.   waiting: { { kind, delta, excess, released, name of the
  -- counter of releases }, … }, or nil. Returns what `moved` of step.lua lists.
  function units.apply(counters, lease, charged, waiting, own)
    local moved = {}
    for at, its in ipairs(lease) do
      local kind, counters_of_unit = unpack(charged[at])
      moved[at] = { its[2], outgoing(its[1]), 0, 0, '' }
      for _, outcome in ipairs(waiting or {}) do
        if outcome[1] == kind then
          local _, delta, excess, released, releases = unpack(outcome)
          add(counters, counters_of_unit, own, counters.now, delta, excess)
          add_to(counters, counter_of(counters, releases), counters.now, released)
          moved[at] = { its[2], outgoing(its[1] + delta), outgoing(excess), outgoing(released), releases }
        end
      end
    end
    return moved
  end

  local function settle_one(counters, entry, its, outcome, stated, own)
    local reserved, word = unpack(its)
    local kind, settling, releases_name, charges = unpack(cjson.decode(word))
    settling[SETTLING.fields + 1] = reserved
    local charged_to = counters_of(counters, charges)
    local releases = counter_of(counters, releases_name)
    local reported = {
      status = outcome.status, verified = outcome.verified, releases = outcome.releases, metered = true,
      actual = REPORTED[kind](stated.usage, stated.tool_calls) or false,
    }
    local charged, excess, released, refused = settlement.cost_of(settling, reserved, reported, releases.sum)
    local delta = cut_to_exact(counters, charged_to, entry.at, charged - reserved)
    if excess > 0 then
      for _, counter in ipairs(own_among(charged_to, own)) do
        excess = excess_in(counters, counter, entry.at, delta, excess)
      end
    end
    add(counters, charged_to, own, entry.at, delta, excess)
    if released ~= 0 then add_to(counters, releases, counters.now, released) end
    local overdrawn = delta + excess > 0 and settlement.is_overdrawn(charges, charged_to)
    local answer = {
      kind, outgoing(delta), outgoing(reserved + delta), outgoing(excess), outgoing(released), refused and 1 or 0,
      overdrawn and 1 or 0,
    }
    return answer, { word, outgoing(delta), outgoing(excess), outgoing(released), releases_name }
  end

  -- Settles every unit of a lease. Returns the answers and the moved amounts, in the form of step.lua.
  --   stated: { usage, tool_calls }   own: the first part of the names of the agent's own counters
  function units.settle(counters, entry, outcome, stated, own)
    local answers, moved = {}, {}
    for at, its in ipairs(entry.lease.units) do
      answers[at], moved[at] = settle_one(counters, entry, its, outcome, stated, own)
    end
    return answers, moved
  end
end
