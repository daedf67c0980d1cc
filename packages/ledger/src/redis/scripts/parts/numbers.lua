-- Amounts and times are integers up to 2^53-1, which Lua's doubles store exactly. `tonumber` also accepts `nan`,
-- `inf` and `0x10`, and `tostring` rounds. So scripts convert numbers only with these two functions.

local function integer(given)
  local number = tonumber(given)
  local is_integer = number and number % 1 == 0 and number <= LARGEST and number >= -LARGEST
  if is_integer and (number == given or string.find(given, '^%-?%d+$')) then return number end
  error('not an integer: ' .. tostring(given))
end

local function decimal(number)
  return string.format('%.0f', number)
end

-- Returns an amount for the reply. A large amount becomes text, because ioredis 6 misreads integers within 48 of
-- 2^53.
local function outgoing(number)
  if number > LARGEST / 2 or number < -LARGEST / 2 then return decimal(number) end
  return number
end
