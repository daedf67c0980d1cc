-- Every script of a tenant is given the same keys, in the order of keys.ts. The last is no key itself: what lies further
-- back in a window has a key of its own, which begins with it.
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
  prefix = KEYS[19],
}
