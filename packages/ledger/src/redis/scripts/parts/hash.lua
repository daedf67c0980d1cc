-- A hash that is read into a table and written once at the end. Several operations of a batch use the same fields,
-- and a script must not write before its last check. An absent value is `false`. Setting `false` deletes a value. A
-- prefetched value is decoded when it is first used, because most fields are never used. `put_stored` sets a value that
-- is already encoded.

local MOST_ARGUMENTS = 1000

-- decode, encode: convert between the stored text and the values of scripts. By default values are packed
local function open_hash(key, decode, encode)
  return {
    key = key,
    decode = decode or cmsgpack.unpack,
    encode = encode or cmsgpack.pack,
    stored = {},
    values = {},
    set = {}, -- field, value, field, value, …
    gone = {},
  }
end

-- Runs HMGET for any number of fields, in several calls, because Lua passes only a few thousand arguments at once.
local function fetch(key, fields)
  if #fields == 0 then return {} end
  if #fields <= MOST_ARGUMENTS then return redis.call('HMGET', key, unpack(fields)) end
  local found = {}
  for from = 1, #fields, MOST_ARGUMENTS do
    local to = math.min(#fields, from + MOST_ARGUMENTS - 1)
    for _, stored in ipairs(redis.call('HMGET', key, unpack(fields, from, to))) do found[#found + 1] = stored end
  end
  return found
end

local function prefetch(hash, fields)
  local stored = hash.stored
  for at, found in ipairs(fetch(hash.key, fields)) do
    local field = fields[at]
    if stored[field] == nil then stored[field] = found end
  end
end

local function get(hash, field)
  local stored = hash.stored[field]
  if stored == nil then
    stored = redis.call('HGET', hash.key, field)
    hash.stored[field] = stored
  end
  if not stored then return false end
  local value = hash.values[field]
  if value == nil then
    value = hash.decode(stored)
    hash.values[field] = value
  end
  return value
end

local function put_stored(hash, field, stored)
  hash.stored[field] = stored
  if hash.values[field] ~= nil then hash.values[field] = nil end
  local set = hash.set
  local last = #set
  set[last + 1], set[last + 2] = field, stored
end

local function put(hash, field, value)
  if value == false then
    hash.stored[field] = false
    hash.gone[#hash.gone + 1] = field
  else
    put_stored(hash, field, hash.encode(value))
    hash.values[field] = value
  end
end

local function call_with_many(command, key, arguments)
  for from = 1, #arguments, MOST_ARGUMENTS do
    redis.call(command, key, unpack(arguments, from, math.min(#arguments, from + MOST_ARGUMENTS - 1)))
  end
end

local function write_hash(hash)
  local gone = {}
  for _, field in ipairs(hash.gone) do
    if not hash.stored[field] then gone[#gone + 1] = field end
  end
  call_with_many('HSET', hash.key, hash.set)
  call_with_many('HDEL', hash.key, gone)
end
