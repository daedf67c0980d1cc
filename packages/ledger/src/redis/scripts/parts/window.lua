-- @use clock.lua
-- @use hash.lua
-- The sum of the last `window_ms`, in buckets, by the arithmetic of sliding-sum.ts. A rate is the same for calls, in
-- buckets of a millisecond.
--
-- Stored in a hash, by name: a HEAD of sum, credits (the number of negative buckets), oldest bucket that counts,
-- window_ms, width_ms, and 1 if some buckets are spilled. Then a PAIR of bucket and amount for each of the newest
-- buckets, in order. All are doubles, which `struct` reads and writes in a third of the time of text. PIECE_BYTES of
-- older pairs go as one piece to the window's own sorted set, scored by the last bucket. So a step reads and writes
-- some dozen bytes for a window. It reads more only if a bucket expires, an older charge changes, or a request waits.
--
-- Variables that only this part needs are local to it, because a script may have 200 local variables.

local width_of, bucket_of, bucket_ends, each_bucket, sum_up, open_window, has_left
local amount_in, set_amount, add_to_window, flush_pending, wait_for_room, write_window

do
  local HEAD, HEAD_BYTES = '<dddddd', 48
  local PAIR, PAIR_BYTES = '<dd', 16
  local PIECE_BYTES = 16 * PAIR_BYTES

  local struct_pack, struct_unpack = struct.pack, struct.unpack

  function width_of(window_ms)
    return math.max(1, math.ceil(window_ms / BUDGET_BUCKETS))
  end

  function bucket_of(window, at)
    return math.floor(at / window.width_ms)
  end

  function bucket_ends(window, bucket)
    return (bucket + 1) * window.width_ms - 1 + window.window_ms
  end

  -- Calls `visit(bucket, amount)` for each pair, until `visit` returns true.
  local function each_pair(packed, visit)
    for from = 1, #packed, PAIR_BYTES do
      local bucket, amount = struct_unpack(PAIR, packed, from)
      if visit(bucket, amount) then return true end
    end
    return false
  end

  local PIECES_AT_FIRST = 4

  -- Does the same as each_pair for each piece. The first piece may begin with buckets that have left the window.
  local function each_piece(window, visit)
    if not window.spilled then return false end
    local looked_at, at_once = 0, PIECES_AT_FIRST
    while true do
      local found = redis.call(
        'ZRANGEBYSCORE', (window.prefix .. window.name), decimal(window.oldest), '+inf', 'LIMIT', looked_at, at_once
      )
      for _, piece in ipairs(found) do
        if visit(window.pieces[piece] or piece) then return true end
      end
      if #found < at_once then return false end
      looked_at, at_once = looked_at + at_once, 2 * at_once
    end
  end

  -- Calls `visit` for each bucket that counts, the oldest first. The third argument says if the bucket is spilled.
  function each_bucket(window, visit)
    local function visit_spilled(bucket, amount)
      return bucket >= window.oldest and visit(bucket, amount, true)
    end
    local function visit_piece(piece)
      return each_pair(piece, visit_spilled)
    end
    return each_piece(window, visit_piece)
      or each_pair(window.pairs, visit)
      or (window.newest ~= NONE and visit(window.newest, window.amount))
  end

  function sum_up(window)
    local running = 0
    each_bucket(window, function(_, amount) running = math.max(0, running + amount) end)
    return running
  end

  -- Removes the buckets that have left the window. The time does not change within a script, so this happens once.
  local function expire(window, now)
    local last = math.floor((now - window.window_ms + 1) / window.width_ms) - 1
    local had_credits, oldest, spilled = window.credits > 0, NONE, false
    local pieces_are_there = false
    each_bucket(window, function(bucket, amount, is_spilled)
      pieces_are_there = pieces_are_there or is_spilled
      if bucket > last then
        oldest, spilled = bucket, is_spilled
        return true
      end
      window.sum = window.sum - amount
      if amount < 0 then window.credits = window.credits - 1 end
    end)
    -- If all buckets of a piece have left the window, the server may have deleted the piece.
    local given_back = window.spilled and not pieces_are_there
    if window.spilled then window.left_through = last end
    window.oldest, window.spilled, window.changed = oldest, spilled, true
    if oldest == NONE then
      window.pairs, window.newest, window.amount, window.sum, window.credits = '', NONE, 0, 0, 0
      return
    end
    if not spilled then
      local from = 1
      while from < #window.pairs and struct_unpack('<d', window.pairs, from) < oldest do from = from + PAIR_BYTES end
      window.pairs = string.sub(window.pairs, from)
    end
    if had_credits or given_back then window.sum = sum_up(window) end
    window.adds_up = window.credits == 0 and window.window_ms > 0
  end

  -- prefix: the first part of the key for the window's pieces
  function open_window(name, prefix, stored, window_ms, width_ms, now)
    if not stored then
      return {
        name = name, prefix = prefix, window_ms = window_ms, width_ms = width_ms,
        sum = 0, credits = 0, oldest = NONE, pairs = '', newest = NONE, amount = 0,
        added = 0, adds_up = window_ms > 0,
      }
    end
    local sum, credits, oldest, its_window_ms, its_width_ms, spilled = struct_unpack(HEAD, stored)
    local bytes = #stored
    local newest, amount, others = NONE, 0, ''
    if bytes > HEAD_BYTES then
      newest, amount = struct_unpack(PAIR, stored, bytes - PAIR_BYTES + 1)
      others = string.sub(stored, HEAD_BYTES + 1, bytes - PAIR_BYTES)
    end
    local window = {
      name = name, prefix = prefix, window_ms = its_window_ms, width_ms = its_width_ms,
      sum = sum, credits = credits, oldest = oldest,
      pairs = others, newest = newest, amount = amount, -- `pairs`: all buckets that are not spilled, except the newest
      added = 0, -- amounts of this time: in the sum, and not in their bucket yet
      adds_up = credits == 0 and its_window_ms > 0, -- true if a charge of this time is simply added to the sum
    }
    if spilled == 1 then
      window.spilled = true
      window.pieces = {} -- by what is stored, what they are to be
    end
    if oldest ~= NONE and bucket_ends(window, oldest) <= now then expire(window, now) end
    return window
  end

  -- Returns whether all buckets of a stored window have left the window, and whether some of the buckets may still be
  -- spilled.
  function has_left(stored, now)
    local _, _, _, window_ms, width_ms, spilled = struct_unpack(HEAD, stored)
    local newest = #stored > HEAD_BYTES and struct_unpack('<d', stored, #stored - PAIR_BYTES + 1)
    return not newest or (newest + 1) * width_ms - 1 + window_ms <= now, spilled == 1
  end

  -- Returns the piece that contains a bucket. Nil if the bucket is not spilled.
  local function piece_of(window, bucket)
    if not window.spilled then return nil end
    return redis.call('ZRANGEBYSCORE', (window.prefix .. window.name), decimal(bucket), '+inf', 'LIMIT', 0, 1)[1]
  end

  function amount_in(window, bucket)
    if bucket == window.newest then return window.amount end
    if bucket > window.newest then return 0 end
    local piece = piece_of(window, bucket)
    local found = 0
    each_pair(piece and (window.pieces[piece] or piece) or window.pairs, function(at, amount)
      if at == bucket then found = amount end
      return at >= bucket
    end)
    return found
  end

  local function with_amount(packed, bucket, amount)
    local from, behind = 1, 1
    while from < #packed do
      local at = struct_unpack('<d', packed, from)
      if at > bucket then break end
      behind = at == bucket and from or from + PAIR_BYTES
      from = from + PAIR_BYTES
    end
    return string.sub(packed, 1, behind - 1) .. struct_pack(PAIR, bucket, amount) .. string.sub(packed, from)
  end

  function set_amount(window, bucket, amount)
    if bucket > window.newest then
      if window.newest ~= NONE then window.pairs = window.pairs .. struct_pack(PAIR, window.newest, window.amount) end
      window.newest = bucket
    end
    if bucket == window.newest then
      window.amount = amount
      return
    end
    local piece = piece_of(window, bucket)
    if piece then
      window.pieces[piece] = with_amount(window.pieces[piece] or piece, bucket, amount)
    else
      window.pairs = with_amount(window.pairs, bucket, amount)
    end
  end

  -- Adds to the bucket of `at`, unless the bucket has already left the window.
  function add_to_window(window, at, delta, now)
    local bucket = bucket_of(window, at)
    if delta == 0 or bucket_ends(window, bucket) <= now then return end
    local before = amount_in(window, bucket)
    local after = before + delta
    set_amount(window, bucket, after)
    window.changed = true
    if window.oldest == NONE or bucket < window.oldest then window.oldest = bucket end
    if before < 0 then window.credits = window.credits - 1 end
    if after < 0 then window.credits = window.credits + 1 end
    if before < 0 or window.credits > 0 then
      window.sum = sum_up(window)
    else
      window.sum = window.sum + delta
    end
    window.adds_up = window.credits == 0
  end

  -- Puts amounts of the current time into their buckets. This is done once in each call, or before buckets are read.
  function flush_pending(window, now)
    local added = window.added
    if added == 0 then return end
    window.added = 0
    window.sum = window.sum - added
    add_to_window(window, now, added, now)
  end

  -- Returns the shortest wait after which the sum is at most `room`. `room` is not negative. The oldest buckets leave
  -- first. Credits never pay for later charges. So with credits, the newest buckets that together exceed `room`
  -- decide how long to wait.
  function wait_for_room(window, room, now)
    flush_pending(window, now)
    local left, last_to_leave = window.sum, NONE
    if window.credits == 0 then
      each_bucket(window, function(bucket, amount)
        left, last_to_leave = left - amount, bucket
        return left <= room
      end)
    else
      local buckets, amounts = {}, {}
      each_bucket(window, function(bucket, amount)
        buckets[#buckets + 1], amounts[#amounts + 1] = bucket, amount
      end)
      local newest = 0
      for at = #buckets, 1, -1 do
        newest = newest + amounts[at]
        if newest > room then
          last_to_leave = buckets[at]
          break
        end
      end
    end
    return last_to_leave == NONE and 0 or bucket_ends(window, last_to_leave) - now
  end

  local function pack_window(window)
    local newest = window.newest == NONE and '' or struct_pack(PAIR, window.newest, window.amount)
    return struct_pack(
      HEAD, window.sum, window.credits, window.oldest, window.window_ms, window.width_ms, window.spilled and 1 or 0
    ) .. window.pairs .. newest
  end

  local function last_bucket(packed)
    return (struct_unpack('<d', packed, #packed - PAIR_BYTES + 1))
  end

  -- Writes the spilled buckets, and returns the text of the window for the hash.
  function write_window(window)
    local key = window.prefix .. window.name
    if window.left_through then redis.call('ZREMRANGEBYSCORE', key, '-inf', decimal(window.left_through)) end
    for stored, piece in pairs(window.pieces or {}) do
      redis.call('ZREM', key, stored)
      redis.call('ZADD', key, decimal(last_bucket(piece)), piece)
    end
    while #window.pairs >= PIECE_BYTES do
      local piece = string.sub(window.pairs, 1, PIECE_BYTES)
      local last = last_bucket(piece)
      redis.call('ZADD', key, decimal(last), piece)
      expire_at(key, bucket_ends(window, last))
      window.pairs, window.spilled = string.sub(window.pairs, PIECE_BYTES + 1), true
    end
    return pack_window(window)
  end
end
