-- @use counters.lua
-- @use waiting.lua
-- The slots that deferred actions have in rates: the same rules as deferrals.ts.

local slots = {}

-- Releases the slots of a deferral in these rates. Returns the rates in which the deferral had a slot.
function slots.release(deferral, rates, now)
  local left = {}
  for _, rate in ipairs(rates) do
    for _, held in ipairs(deferral[4]) do
      local holds = held[1] == rate.name and bucket_ends(rate, bucket_of(rate, deferral[2])) > now
      if holds then
        flush_pending(rate, now)
        if amount_in(rate, bucket_of(rate, deferral[2])) > 0 then
          add_to_window(rate, deferral[2], -1, now)
          left[#left + 1] = rate
        end
      end
    end
  end
  return left
end

-- Releases one slot of the rate that was taken at `at`.
function slots.release_one(rate, at, now)
  slots.release({ false, at, false, { { rate.name } } }, { rate }, now)
end

-- Takes slots again that were released before.
function slots.retake(deferral, rates, now)
  for _, rate in ipairs(rates) do add_to_window(rate, deferral[2], 1, now) end
end
