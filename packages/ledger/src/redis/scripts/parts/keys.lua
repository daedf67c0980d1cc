-- The keys of a tenant, in the order of keys.ts. Every script of a tenant gets the same keys. The last entry is a
-- prefix: the keys for older parts of windows begin with it.
local keys = {
  meta = KEYS[1],
  flags = KEYS[2],
  commands = KEYS[3],
  seen = KEYS[4],
  actions = KEYS[5],
  keys = KEYS[6],
  spent = KEYS[7],
  windows = KEYS[8],
  rates = KEYS[9],
  grants = KEYS[10],
  waiting = KEYS[11],
  done = KEYS[12],
  unpublished = KEYS[13],
  answers = KEYS[14],
  plans = KEYS[15],
  running = KEYS[16],
  forget = KEYS[17],
  brief = KEYS[18],
  turns = KEYS[19],
  prefix = KEYS[20],
}
