-- Made by `npm run generate` from packages/step and layout.ts. Do not edit it.

local LARGEST = 9007199254740991
local BUDGET_BUCKETS = 1000
local OPEN_WINDOW_MS = 300000

-- Stands for null, because no amount, time or index is below zero.
local NONE = -1

-- The number of each kind of limit.
local BUDGET, RATE, CONFIRMATION, TURN = 1, 2, 3, 4

-- The number of a limit in each unit other than money.
local UNIT = { tokens = 5, tool_calls = 6 }

-- The number of each count of a turn.
local TOOL_CALLS, MODEL_CALLS = 1, 2

-- { verdict, code, final }. Without `final` a counter decides: the refusal is final unless a wait frees it.
local VERDICT = {
  allowed = { 'ALLOW', 'ALLOWED', false },
  deferred_again = { 'DEFER', 'APPROVAL_REQUIRED', false },
  duplicate = { 'BLOCK', 'DUPLICATE_ACTION', true },
  no_room = { 'BLOCK', 'REPLAY_MEMORY_FULL', false },
  late = { 'BLOCK', 'DEADLINE_EXCEEDED', false },
  killed = { 'BLOCK', 'AGENT_KILLED', true },
  turn_unknown = { 'BLOCK', 'TURN_UNKNOWN', true },
  other_person = { 'BLOCK', 'PRINCIPAL_MISMATCH', true },
  turn_over = { 'BLOCK', 'TURN_LIMIT_EXCEEDED', true },
  tool_not_for_intent = { 'BLOCK', 'TOOL_NOT_FOR_INTENT', true },
  store_not_for_intent = { 'BLOCK', 'STORE_NOT_ALLOWED', true },
  over_budget = { 'BLOCK', 'COST_LIMIT_EXCEEDED' },
  over_tokens = { 'BLOCK', 'TOKEN_LIMIT_EXCEEDED' },
  over_tool_calls = { 'BLOCK', 'TOOL_CALL_LIMIT_EXCEEDED' },
  over_rate = { 'BLOCK', 'RATE_LIMIT_EXCEEDED' },
  asks_person = { 'DEFER', 'APPROVAL_REQUIRED', false },
  too_many_wait = { 'BLOCK', 'WAITING_LIMIT_EXCEEDED', false },
  denied = { 'BLOCK', 'APPROVAL_DENIED', true },
  expired = { 'BLOCK', 'APPROVAL_EXPIRED', false },
}

-- The verdict of a call that does not fit into a limit in a unit other than money, by the kind of the limit. Only these
-- kinds are units.
local VERDICT_OF_UNIT = { [5] = VERDICT.over_tokens, [6] = VERDICT.over_tool_calls }

-- The verdict of a request that a person must confirm, by the answer so far.
local VERDICT_OF_GRANT = {
  none = VERDICT.asks_person,
  denied = VERDICT.denied,
  expired = VERDICT.expired,
}

-- The verdict of a call that does not fit into its turn, by the number of the failure.
local TURN_FAILURE = {
  unknown = 1,
  person = 2,
  timeout = 3,
  intent = 4,
  calls = 5,
}
local VERDICT_OF_TURN = { VERDICT.turn_unknown, VERDICT.other_person, VERDICT.turn_over, VERDICT.tool_not_for_intent, VERDICT.turn_over }

-- Observe mode does not lift this refusal.
local NOT_PLANNED = 'INTERNAL_ERROR'

-- For each charging: the amounts that each outcome keeps, and the amount charged for a success without an actual cost
-- (false if actual costs do not count).
local CHARGING = {
  SUCCESS_BASED = { failed = {}, succeeded = {}, verified = {}, estimate = 1 },
  ATTEMPT_BASED = { failed = { 1 }, succeeded = { 1 }, verified = { 1 }, estimate = 1 },
  TIERED = { failed = { 1 }, succeeded = { 1, 2 }, verified = { 1, 2, 3 }, estimate = false },
  COMPOSED = { failed = { 1 }, succeeded = { 2 }, verified = { 3 }, estimate = 4 },
}

-- The array that says how an outcome settles a lease: the index of each field. The amounts of the charging come after `fields`.
-- If the call has token prices, the last element is the list of them.
local SETTLING = {
  type = 1,
  least_micros = 2,
  own_least_micros = 3,
  most_micros = 4,
  mark_micros = 5,
  releases_micros = 6,
  percent = 7,
  open = 8,
  fields = 8,
}

-- The array of a token price: the index of each field.
local TOKEN_PRICE = {
  from_input_tokens = 1,
  input_micros = 2,
  cached_input_micros = 3,
  cache_write_micros = 4,
  output_micros = 5,
  per_call_micros = 6,
}

-- How a delivery is packed. parts/deliveries.lua explains the fields. The body begins at byte body_at, and the words
-- of a decision begin at byte words_at.
-- The head packs: kind, forget_at, call, sequence
-- The body packs: at, attempt, reserved, expires_at, charged, verdict, final, grant_consumed, result
local DELIVERY = {
  head = '<c1ddd',
  body = '<dddddBBBB',
  decision = '<c1ddddddddBBBB',
  body_at = 26,
  words_at = 70,
}
local VERDICT_OF_BYTE = { 'ALLOW', 'BLOCK', 'DEFER' }
local VERDICT_BYTE = { ALLOW = 1, BLOCK = 2, DEFER = 3 }
local STATE_OF_BYTE = { false, 'succeeded', 'failed', 'cancelled' }
local STATE_BYTE = { [false] = 1, ['succeeded'] = 2, ['failed'] = 3, ['cancelled'] = 4 }
