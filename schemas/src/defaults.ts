/** Every default and every cap of Mandate, in one table. Durations in milliseconds, sizes in bytes or UTF-16 units. */

export const DEFAULTS = {
  tenant: 'default',
  /** Counts from the log's append time. A request may state its own `deadlineMs`. */
  deadlineMs: 30_000,
  /** For how long an action id, an idempotency key and a position are remembered. */
  replayMemoryMs: 24 * 3_600_000,
  /** How many deliveries of a tenant a ledger remembers, unless the tenant's document sets it. */
  rememberedIds: 10_000_000,
  /** How long an allowed action may run before its reservation counts as lost. */
  leaseMs: 5 * 60_000,
  /** How long a grant of a person lives, unless the person or a policy sets it. */
  grantMs: 5 * 60_000,
  /** How many deferred actions of an agent may wait for a person at one time, unless a policy sets it. */
  maxWaiting: 50,
  /** How long a grant of a mandate lasts. */
  mandateTtlMs: 5 * 60_000,
  /** How long the API key of a person is valid by default. Keys of agents and services do not expire by default. */
  roleKeyMs: 90 * 86_400_000,
  /** How long before the end of a key people get a warning. */
  keyExpiryWarningMs: 14 * 86_400_000,
  /**
   * How much a tenant may write through each process that takes its requests, unless its document sets it. A key has half of
   * it. A fleet of 400 agents fits: if each calls a tool every second and reports the outcome, they publish 800 records a
   * second (69 million a day) of about 1 KiB. One key that publishes as fast as it can does not fit: it reached 13,500
   * records a second.
   */
  limits: {
    publishRecords: { perSecond: 2_000, burst: 20_000, perDay: 70_000_000 },
    publishBytes: { perSecond: 4 * 1024 * 1024, burst: 40 * 1024 * 1024, perDay: 100 * 1024 * 1024 * 1024 },
    /** `mandate apply` of a folder makes one change for each document. */
    changes: { perSecond: 50, burst: 2_000, perDay: 500_000 },
    /** An open console reads a few times a second. Each read is a record of half a KiB. */
    reads: { perSecond: 200, burst: 2_000, perDay: 2_000_000 },
    /** Each of 400 agents may be refused once every eight seconds. */
    refusals: { perSecond: 50, burst: 20_000, perDay: null },
    /** One agent causes at most 86,400 records a day, some 250 MB. */
    refusalsPerAgent: { perSecond: 1, burst: 600, perDay: null },
  },
  /** A report is charged up to this many times its reservation. `actualCostMicros` is the cap if nothing is reserved. */
  actualCostFactor: 10,
  actualCostMicros: 1_000_000,
  /**
   * How many calls of an agent that reserve nothing may be open at one time. This holds where money is limited, unless a
   * policy sets it.
   */
  maxOpen: 20,
  /** A call is open until an outcome settles it, and at most this long. */
  openWindowMs: 5 * 60_000,
  /** How much an agent's own reports may give back of actions that did not succeed. */
  releases: { calls: 10, percent: 20 },
} as const;

export const CAPS = {
  recordBytes: 256 * 1024,
  documentBytes: 1024 * 1024,
  depth: 32,
  /**
   * The depth of a body over HTTP. Its bytes bound all else. A change that is nested too deep for the log still gets its
   * own error.
   */
  bodyDepth: 128,
  keys: 1_000,
  /** The elements of all lists of a record together: each costs as much as in a text many times as long. */
  elements: 20_000,
  stringUnits: 64 * 1024,
  idUnits: 200,
  /** The part of a key that is kept from an unreadable record: longer than any key that names an agent. */
  keyUnits: 1_000,
  amountMicros: Number.MAX_SAFE_INTEGER,
  attempts: 1_000,
  deadlineMs: 24 * 3_600_000,
  leaseMs: 12 * 3_600_000,
  replayMemoryMs: 31 * 86_400_000,
  rememberedIds: 1_000_000_000,
  /** The highest value of any limit on records or bytes. */
  throughput: 1_000_000_000_000,
  /** How many deliveries without room the ledger still recognizes at a redelivery: a tenant's last ones. */
  unrememberedKept: 10_000,
  /** The longest life of a question to a person, and of a grant. */
  questionMs: 31 * 86_400_000,
  /** The longest time that a publisher waits for an answer. */
  waitMs: 60_000,
  /** A rate keeps one timestamp a call: this bounds what one counter can hold. */
  rateCalls: 100_000,
  rateWindowMs: 31 * 86_400_000,
  /** The bound for one agent: the ledger keeps its questions in one list. */
  maxWaiting: 1_000,
  /** A windowed budget keeps at most so many buckets: see `BUDGET_BUCKETS`. */
  budgetWindowMs: 366 * 86_400_000,
  budgetsPerMandate: 32,
  /** In `maxOpen`: the ledger keeps one timestamp for each. */
  openCalls: 100_000,
  /** In `maxReleases`. */
  releaseCalls: 100_000,
  globs: 10_000,
  toolPolicies: 10_000,
  /** In one list of a rule's conditions, and in all of them together. */
  conditions: 100,
  conditionValues: 1_000,
  /**
   * The size of all patterns of a document that is written, with their repeats written out: the steps that one character
   * of a text may take. Documents that exist already are not checked.
   */
  patternSize: 20_000,
  /** Objects in all argument schemas of such a document. */
  schemaParts: 5_000,
  /**
   * How much is looked at for one action, by all rules and policies together: characters times the size of a pattern, and
   * what takes as long. A tenth of a second or two.
   */
  stepsPerAction: 10_000_000,
  rulePriority: 1_000_000,
  rules: 100_000,
  agents: 100_000,
  /**
   * The agents that are known to be no longer registered. Beyond this number the oldest is forgotten, as if it had never
   * existed.
   */
  retiredAgents: 100_000,
  /** That were ever opened: every process holds them. */
  tenants: 10_000,
  /**
   * The tenants with a topic of their own, in all time. Kafka keeps a group's assignment in 1 MiB: with names of 64, that
   * of 30 deciders.
   */
  directTopics: 250,
  keysPerAgent: 100,
  /** The keys of people in a tenant. */
  roleKeys: 1_000,
  /** Fields of the context that one key fixes. */
  pins: 32,
  /** The longest that a key may be said to last. */
  keyMs: 3_650 * 86_400_000,
  /** The ended keys of a tenant with a known owner. Beyond this number the oldest is forgotten. */
  endedKeys: 10_000,
  policies: 10_000,
  versionsPerPolicy: 10_000,
  /** The size of one change on the control topic. */
  changeBytes: 1_500_000,
  /**
   * The size of all agents, policies with their versions, and rules of a tenant, as JSON: every process holds them.
   * Issued mandates with their sources have the same bound again.
   */
  controlUnits: 64 * 1024 * 1024,
  /** The length of a text that a condition looks for: a search for a longer text can take very long. */
  conditionUnits: 1_000,
  /** How many stand above a sub-agent. */
  parents: 32,
  /** That an agent has left, of which each is remembered: a kill of their families may hold it. */
  formerAncestors: 128,
  /** The departures of all agents of a tenant together: every process holds them. */
  departures: 100_000,
  groups: 1_000,
  mandateTtlMs: 24 * 3_600_000,
  /** The mandates of a tenant that have neither ended nor been revoked. */
  issuedMandates: 10_000,
  /** That an issued mandate is made of: every process holds them all. */
  rulesPerMandate: 100,
  /** The context that a mandate is issued for, as JSON. */
  contextUnits: 4_096,
} as const;

/**
 * A windowed budget slides in steps of `windowMs / BUDGET_BUCKETS` (at least a millisecond), rounded so that a
 * charge is never forgotten early: no true window ever holds more than the budget, at a bounded memory.
 */
export const BUDGET_BUCKETS = 1_000;
