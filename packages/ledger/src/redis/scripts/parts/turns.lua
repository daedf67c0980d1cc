-- @use hash.lua
-- The turns that prompts opened, by 'agent prompt': the same rules as packages/step/src/turn.ts. A turn is stored as
-- words: opened at (NONE if only its calls are known), forgotten at, calls of tools, calls of models, intent, and the
-- two words of its person. Intent and person may be empty.
--
-- A limit of a turn (counter-table.ts): { fields, person or false, count or 0, timeout in ms or NONE, intents or false }

local turns = {}
do
  local TURN_WORDS = '^(%-?%d+) (%d+) (%d+) (%d+) (%S*) (%S* %S*)$'

  local function unpack_turn(words)
    local opened, forget_at, tools, models, intent, person = string.match(words, TURN_WORDS)
    return {
      opened = integer(opened), forget_at = integer(forget_at), intent = intent, person = person,
      calls = { [TOOL_CALLS] = integer(tools), [MODEL_CALLS] = integer(models) },
    }
  end

  local function pack_turn(turn)
    return table.concat({
      decimal(turn.opened), decimal(turn.forget_at), decimal(turn.calls[TOOL_CALLS]), decimal(turn.calls[MODEL_CALLS]),
      turn.intent, turn.person,
    }, ' ')
  end

  function turns.open(keys)
    return open_hash(keys.turns, unpack_turn, pack_turn)
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
      if turn and turn.opened ~= NONE and now < turn.forget_at then
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

  -- words: intent and person. A turn that is open already is only remembered longer.
  function turns.begin(hash, field, words, now, forget_at)
    local known = get(hash, field)
    if known and known.opened ~= NONE and now < known.forget_at then
      known.forget_at = math.max(known.forget_at, forget_at)
      put(hash, field, known)
      return
    end
    local intent, person = string.match(words, '^(%S*) (%S* %S*)$')
    local calls = known and known.opened == NONE and known.calls or { [TOOL_CALLS] = 0, [MODEL_CALLS] = 0 }
    put(hash, field, { opened = now, forget_at = forget_at, intent = intent, person = person, calls = calls })
  end

  -- Deletes some of the forgotten turns. The time decides which turns are checked, so each is checked sooner or later.
  function turns.sweep(hash, most, now)
    local _, found = unpack(redis.call('HSCAN', hash.key, decimal(now), 'COUNT', most))
    for at = 1, #found, 2 do
      if unpack_turn(found[at + 1]).forget_at <= now then put(hash, found[at], false) end
    end
  end
end
