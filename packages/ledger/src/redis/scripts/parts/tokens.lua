-- @use charge.lua
-- Settles the tokens of an ALLOW, by the rules of money (packages/step/src/token-charge.ts).
--
-- The tokens of a lease (field-encoding.ts), as JSON: { settling, name of the agent's counter of released tokens,
-- charges }. `settling` has the fields of SETTLING, in tokens. The charges have the form of parts/deliveries.lua.

local tokens = {}
do
  local USAGE = '^(%d+),%d+,%d+,(%d+)$'

  local function used_in(usage)
    local input, output = string.match(usage, USAGE)
    return input and integer(input) + integer(output)
  end

  -- Adds an outcome to the counters of a lease.
  function tokens.add(counters, charged, own, at, delta, excess)
    if excess ~= 0 then add_to_all(counters, own_among(charged, own), at, excess) end
    add_to_all(counters, charged, at, delta)
  end

  -- Returns delta, excess, released, refused (true or false), overdrawn, and the name of the counter of released tokens.
  -- usage: 'input,cached,written,output', or ''   own: the first part of the names of the agent's own counters
  function tokens.settle(counters, entry, outcome, usage, own)
    local reserved = entry.lease.reserved_tokens
    local settling, releases_name, charges = unpack(cjson.decode(entry.lease.tokens))
    settling[SETTLING.fields + 1] = reserved
    local charged_to = counters_of(counters, charges)
    local releases = counter_of(counters, releases_name)
    local reported = {
      status = outcome.status, verified = outcome.verified, releases = outcome.releases, metered = true,
      actual = used_in(usage) or false,
    }
    local charged, excess, released, refused = settlement.cost_of(settling, reserved, reported, releases.sum)
    local delta = cut_to_exact(counters, charged_to, entry.at, charged - reserved)
    if excess > 0 then
      for _, counter in ipairs(own_among(charged_to, own)) do
        excess = excess_in(counters, counter, entry.at, delta, excess)
      end
    end
    tokens.add(counters, charged_to, own, entry.at, delta, excess)
    if released ~= 0 then add_to(counters, releases, counters.now, released) end
    local overdrawn = delta + excess > 0 and settlement.is_overdrawn(charges, charged_to)
    return delta, excess, released, refused, overdrawn, releases_name
  end
end
