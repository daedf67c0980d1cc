-- @use hash.lua
-- The turns that prompts opened, by 'agent prompt': the same rules as packages/step/src/turn.ts. A turn is stored as
-- words: opened at, forgotten at, calls of tools, calls of models, 1 if it is open (0 if only its calls are known),
-- intent, and the two words of its person. Intent and person may be empty.
--
-- A limit of a turn (counter-table.ts): { fields, person or false, count or 0, timeout in ms or NONE, intents or false }

local turns = {}
do
  -- A call checks more turns than it opens, so that the deletion never falls behind.
  local SWEPT_FOR_EACH = 8
  local TURN_WORDS = '^(%d+) (%d+) (%d+) (%d+) ([01]) (%S*) (%S* %S*)$'

  local function unpack_turn(words)
    local opened, forget_at, tools, models, is_open, intent, person = string.match(words, TURN_WORDS)
    return {
      opened = integer(opened), forget_at = integer(forget_at), is_open = is_open == '1', intent = intent, person = person,
      calls = { [TOOL_CALLS] = integer(tools), [MODEL_CALLS] = integer(models) },
    }
  end

  -- Only open turns are written. load.lua writes the others.
  local function pack_turn(turn)
    return table.concat({
      decimal(turn.opened), decimal(turn.forget_at), decimal(turn.calls[TOOL_CALLS]), decimal(turn.calls[MODEL_CALLS]),
      '1', turn.intent, turn.person,
    }, ' ')
  end

  -- limits: the limits of turns in the call. Their turns are read at once.
  function turns.open(keys, limits)
    local hash = open_hash(keys.turns, unpack_turn, pack_turn)
    local fields, listed = {}, {}
    for _, limit in ipairs(limits) do
      for _, field in ipairs(limit[1]) do
        if not listed[field] then fields[#fields + 1], listed[field] = field, true end
      end
    end
    prefetch(hash, fields)
    return hash
  end

  local function contains(list, value)
    for _, one in ipairs(list) do
      if one == value then return true end
    end
    return false
  end

  local function failure_of(turn, limit, most, now, granted)
    local _, person, count, timeout_ms, intents = unpack(limit)
    if person and person ~= turn.person then return TURN_FAILURE.person end
    if timeout_ms ~= NONE and not granted and now >= turn.opened + timeout_ms then return TURN_FAILURE.timeout end
    if intents and not contains(intents, turn.intent) then return TURN_FAILURE.intent end
    if most ~= NONE and (turn.calls[count] or 0) >= most then return TURN_FAILURE.calls end
    return 0
  end

  -- Returns { failure or 0, number of the agent or 0, opened at, intent, calls }, and the field of the turn or nil.
  function turns.check(hash, limit, most, now, granted)
    for at, field in ipairs(limit[1]) do
      local turn = get(hash, field)
      if turn and turn.is_open and now < turn.forget_at then
        local fails = failure_of(turn, limit, most, now, granted)
        return { fails, at, turn.opened, turn.intent, turn.calls[limit[3]] or 0 }, field
      end
    end
    return { TURN_FAILURE.unknown, 0, 0, '', 0 }, nil
  end

  function turns.count(hash, field, count)
    local turn = get(hash, field)
    turn.calls[count] = turn.calls[count] + 1
    put(hash, field, turn)
  end

  -- words: intent and person. If the turn is remembered, its time and its calls stay. Its intent and person stay if it
  -- is open.
  function turns.begin(hash, field, words, now, forget_at)
    local intent, person = string.match(words, '^(%S*) (%S* %S*)$')
    local turn = get(hash, field)
    if not turn or now >= turn.forget_at then
      turn = { opened = now, forget_at = forget_at, calls = { [TOOL_CALLS] = 0, [MODEL_CALLS] = 0 } }
    end
    if not turn.is_open then turn.is_open, turn.intent, turn.person = true, intent, person end
    turn.forget_at = math.max(turn.forget_at, forget_at)
    put(hash, field, turn)
    hash.begun = (hash.begun or 0) + 1
  end

  -- Deletes some of the forgotten turns, if the call opened a turn. The time decides which turns are checked, so each is
  -- checked sooner or later. A turn that the call itself changed is not forgotten.
  function turns.sweep(hash, now)
    if not hash.begun then return end
    local _, found = unpack(redis.call('HSCAN', hash.key, decimal(now), 'COUNT', SWEPT_FOR_EACH * hash.begun))
    for at = 1, #found, 2 do
      local field = found[at]
      if hash.stored[field] == nil then hash.stored[field] = found[at + 1] end
      local turn = get(hash, field)
      if turn and turn.forget_at <= now then put(hash, field, false) end
    end
  end
end
