-- Every script of a tenant is given the same keys, in the order of keys.ts. The last is no key itself: windows and rates
-- have one each, which begin with it.
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
  done = KEYS[11],
  unpublished = KEYS[12],
  running = KEYS[13],
  forget = KEYS[14],
  prefix = KEYS[15],
}
