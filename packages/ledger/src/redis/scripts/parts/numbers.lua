-- Numbers. Amounts and times are integers up to 2^53-1, which Lua's doubles hold exactly. `tonumber` takes `nan`, `inf`
-- and `0x10` as well, and `tostring` rounds: so they come in and go out through these two.

local function integer(given)
  local number = tonumber(given)
  local is_integer = number and number % 1 == 0 and number <= LARGEST and number >= -LARGEST
  if is_integer and (number == given or string.find(given, '^%-?%d+$')) then return number end
  error('not an integer: ' .. tostring(given))
end

local function decimal(number)
  return string.format('%.0f', number)
end

-- An amount as it goes out: ioredis 6 misreads integers that are within 48 of 2^53, so large ones go as text.
local function outgoing(number)
  if number > LARGEST / 2 or number < -LARGEST / 2 then return decimal(number) end
  return number
end
