-- A hash that is read through a table and written once at the end: several operations of one batch meet the same fields,
-- and no script may write before its last check. An absent value is `false`; putting `false` deletes.

local MOST_ARGUMENTS = 1000

-- decode, encode: between the text that is stored and what scripts work with; by default values are packed
local function open_hash(key, decode, encode)
  return {
    key = key,
    decode = decode or cmsgpack.unpack,
    encode = encode or cmsgpack.pack,
    values = {},
    changed = {},
  }
end

local function prefetch(hash, fields)
  for from = 1, #fields, MOST_ARGUMENTS do
    local to = math.min(#fields, from + MOST_ARGUMENTS - 1)
    local found = redis.call('HMGET', hash.key, unpack(fields, from, to))
    for at = from, to do
      local stored = found[at - from + 1]
      hash.values[fields[at]] = stored and hash.decode(stored)
    end
  end
end

local function get(hash, field)
  local value = hash.values[field]
  if value == nil then
    local stored = redis.call('HGET', hash.key, field)
    value = stored and hash.decode(stored)
    hash.values[field] = value
  end
  return value
end

local function put(hash, field, value)
  hash.values[field] = value
  hash.changed[field] = true
end

-- A command with any number of arguments: Lua hands over no more than a few thousand at once.
local function call_with_many(command, key, arguments)
  for from = 1, #arguments, MOST_ARGUMENTS do
    redis.call(command, key, unpack(arguments, from, math.min(#arguments, from + MOST_ARGUMENTS - 1)))
  end
end

local function write_hash(hash)
  local set, gone = {}, {}
  for field in pairs(hash.changed) do
    local value = hash.values[field]
    if value == false then
      gone[#gone + 1] = field
    else
      set[#set + 1] = field
      set[#set + 1] = hash.encode(value)
    end
  end
  call_with_many('HSET', hash.key, set)
  call_with_many('HDEL', hash.key, gone)
end
