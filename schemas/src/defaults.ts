/**
 * Every default and every cap of Mandate, in one table. Durations are in milliseconds, sizes in bytes or UTF-16
 * units.
 */

export const DEFAULTS = {
  tenant: 'default',
  /** Counts from the time when the log took the request. A request may state its own `deadlineMs`. */
  deadlineMs: 30_000,
  /** How long an action id, an idempotency key and a log position are remembered. */
  replayMemoryMs: 24 * 3_600_000,
  /** How many deliveries of a tenant a ledger remembers, unless the tenant's document sets it. */
  rememberedIds: 10_000_000,
  /** How long an allowed action may run before its reservation counts as lost. */
  leaseMs: 5 * 60_000,
  /** How long an approval is valid, unless the person or a policy sets it. */
  grantMs: 5 * 60_000,
  /** How many deferred actions of an agent may wait for a person at one time, unless a policy sets it. */
  maxWaiting: 50,
  /** How long a grant is valid, unless the request sets it. */
  mandateTtlMs: 5 * 60_000,
  /** How long the API key of a person is valid by default. Keys of agents and services do not expire by default. */
  roleKeyMs: 90 * 86_400_000,
  /** How long before a key expires people get a warning. */
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
    /** An open console reads a few times a second. Each read writes a record of half a KiB. */
    reads: { perSecond: 200, burst: 2_000, perDay: 2_000_000 },
    /** Each of 400 agents may be refused once every eight seconds. */
    refusals: { perSecond: 50, burst: 20_000, perDay: null },
    /** One agent causes at most 86,400 such records a day, about 250 MB. */
    refusalsPerAgent: { perSecond: 1, burst: 600, perDay: null },
  },
  /**
   * A report is charged at most this many times its reservation. `actualCostMicros` is the cap if nothing is
   * reserved.
   */
  actualCostFactor: 10,
  actualCostMicros: 1_000_000,
  /**
   * How many calls of an agent that reserve nothing may be open at one time. This holds where money is limited, unless a
   * policy sets it.
   */
  maxOpen: 20,
  /** A call is open until an outcome settles it, and at most this long. */
  openWindowMs: 5 * 60_000,
  /** How much an agent's own reports of failures may give back. */
  releases: { calls: 10, percent: 20 },
} as const;

export const CAPS = {
  recordBytes: 256 * 1024,
  documentBytes: 1024 * 1024,
  depth: 32,
  /**
   * The depth of a body over HTTP. The size of the body bounds everything else. A change that is nested too deep for
   * the log still gets its own error.
   */
  bodyDepth: 128,
  keys: 1_000,
  /**
   * The elements of all lists of a record together. An element costs as much as a text that is many times as long.
   */
  elements: 20_000,
  stringUnits: 64 * 1024,
  idUnits: 200,
  /** The part of a key that is kept of an unreadable record. It is longer than any key that names an agent. */
  keyUnits: 1_000,
  amountMicros: Number.MAX_SAFE_INTEGER,
  attempts: 1_000,
  deadlineMs: 24 * 3_600_000,
  leaseMs: 12 * 3_600_000,
  replayMemoryMs: 31 * 86_400_000,
  rememberedIds: 1_000_000_000,
  /** The highest value of any limit on records or bytes. */
  throughput: 1_000_000_000_000,
  /**
   * How many deliveries the ledger still recognizes that it had no room to remember. It keeps the last ones of each
   * tenant.
   */
  unrememberedKept: 10_000,
  /** The longest life of a question to a person, and of an approval. */
  questionMs: 31 * 86_400_000,
  /** The longest time that a publisher waits for an answer. */
  waitMs: 60_000,
  /** A rate keeps one timestamp for each call. This bounds the size of one counter. */
  rateCalls: 100_000,
  rateWindowMs: 31 * 86_400_000,
  /** The bound for one agent: the ledger keeps the questions of an agent in one list. */
  maxWaiting: 1_000,
  /** A windowed budget keeps a bounded number of buckets: see `BUDGET_BUCKETS`. */
  budgetWindowMs: 366 * 86_400_000,
  budgetsPerMandate: 32,
  /** The highest value of `maxOpen`: the ledger keeps one timestamp for each open call. */
  openCalls: 100_000,
  /** The highest value of `calls` in `maxReleases`. */
  releaseCalls: 100_000,
  globs: 10_000,
  toolPolicies: 10_000,
  /** Conditions in one list of a rule, and in all lists of the rule together. */
  conditions: 100,
  conditionValues: 1_000,
  /**
   * The size of all patterns of a new document, with their repeats written out: the number of steps that one
   * character of a text may take. Documents that already exist are not checked.
   */
  patternSize: 20_000,
  /** Objects in all argument schemas of a new document. */
  schemaParts: 5_000,
  /**
   * How much work all rules and policies may do for one action: characters times the size of a pattern, and similar
   * work. It takes a tenth of a second or two.
   */
  stepsPerAction: 10_000_000,
  rulePriority: 1_000_000,
  rules: 100_000,
  agents: 100_000,
  /** The agents that are known to be no longer registered. Beyond this number the oldest is forgotten. */
  retiredAgents: 100_000,
  /** Tenants that were ever opened. Every process holds them all. */
  tenants: 10_000,
  /**
   * Tenants that ever had a topic of their own. Kafka keeps the assignment of a group in 1 MiB: with names of 64
   * characters it has room for 30 deciders.
   */
  directTopics: 250,
  keysPerAgent: 100,
  /** The keys of people in a tenant. */
  roleKeys: 1_000,
  /** Fields of the context that one key fixes. */
  pins: 32,
  /** The longest validity of a key. */
  keyMs: 3_650 * 86_400_000,
  /** The ended keys of a tenant that are still known with their names. Beyond this number the oldest is forgotten. */
  endedKeys: 10_000,
  policies: 10_000,
  versionsPerPolicy: 10_000,
  /** The size of one change on the control topic. */
  changeBytes: 1_500_000,
  /**
   * The size of all agents, rules and policies with their versions of a tenant, as JSON. Every process holds them.
   * Grants with their sources have the same bound again.
   */
  controlUnits: 64 * 1024 * 1024,
  /** The length of a text that a condition looks for. A search for a longer text can take very long. */
  conditionUnits: 1_000,
  /** The ancestors of a sub-agent. */
  parents: 32,
  /**
   * The ancestors that an agent has left. Each is remembered, because a kill of its family may still stop the agent.
   */
  formerAncestors: 128,
  /** The departures of all agents of a tenant together. Every process holds them all. */
  departures: 100_000,
  groups: 1_000,
  mandateTtlMs: 24 * 3_600_000,
  /** The grants of a tenant that have neither ended nor been revoked. */
  issuedMandates: 10_000,
  /** The rules of one grant. Every process holds them all. */
  rulesPerMandate: 100,
  /** The context of a grant, as JSON. */
  contextUnits: 4_096,
} as const;

/**
 * A windowed budget slides in steps of `windowMs / BUDGET_BUCKETS`, at least a millisecond. The steps are rounded so
 * that a charge is never forgotten early. So no window ever holds more than the budget, with bounded memory.
 */
export const BUDGET_BUCKETS = 1_000;
