/**
 * Every default and every cap of Mandate, in one table. Durations are in milliseconds, sizes in bytes or UTF-16
 * units.
 */

import { CALL_CAPS } from './call-caps.ts';

export const DEFAULTS = {
  tenant: 'default',
  /**
   * How long a request may wait for its decision. The time starts when the log receives the request. A request may
   * state its own `deadlineMs`.
   */
  deadlineMs: 30_000,
  /** How long an action id, an idempotency key and a log position are remembered. */
  replayMemoryMs: 24 * 3_600_000,
  /** How many deliveries of a tenant a ledger remembers, unless the tenant's document sets this number. */
  rememberedIds: 10_000_000,
  /** How long an allowed action may run without an outcome. After that its reservation counts as lost. */
  leaseMs: 5 * 60_000,
  /** How long an approval is valid, unless the person or a policy sets this time. */
  grantMs: 5 * 60_000,
  /** How many deferred actions of an agent may wait for a person at one time, unless a policy sets this number. */
  maxWaiting: 50,
  /** How long a grant is valid, unless the request sets this time. */
  grantTtlMs: 5 * 60_000,
  /** How long the API key of a person is valid by default. Keys of agents and services do not expire by default. */
  roleKeyMs: 90 * 86_400_000,
  /** How long before the expiry of a key people get a warning. */
  keyExpiryWarningMs: 14 * 86_400_000,
  /**
   * How much a tenant may write through each process that takes its requests, unless its document sets the quotas. A
   * single key may write half of this. A fleet of 400 agents fits: if each calls a tool every second and reports the
   * outcome, they publish 800 records a second (69 million a day) of about 1 KiB. One key that publishes as fast as
   * it can does not fit: it reached 13,500 records a second.
   */
  quotas: {
    publishRecords: { perSecond: 2_000, burst: 20_000, perDay: 70_000_000 },
    publishBytes: { perSecond: 4 * 1024 * 1024, burst: 40 * 1024 * 1024, perDay: 100 * 1024 * 1024 * 1024 },
    /** The burst allows `mandate apply` of a large folder, because it makes one change for each document. */
    changes: { perSecond: 50, burst: 2_000, perDay: 500_000 },
    /** An open console reads a few times a second. Each read writes a record of half a KiB. */
    reads: { perSecond: 200, burst: 2_000, perDay: 2_000_000 },
    /** This limit allows each of 400 agents to be refused once every eight seconds. */
    refusals: { perSecond: 50, burst: 20_000, perDay: null },
    /** With this limit, one agent causes at most 86,400 records of refusals a day, about 250 MB. */
    refusalsPerAgent: { perSecond: 1, burst: 600, perDay: null },
  },
  /**
   * The default cap of a reported cost: this many times the reservation. If nothing is reserved, `actualCostMicros`
   * is the cap.
   */
  actualCostFactor: 10,
  actualCostMicros: 1_000_000,
  /** How many calls of tools of one answer are charged to counters that agents share. */
  sharedToolCallsPerAnswer: 100,
  /**
   * How many calls without a reservation an agent may have open at one time. Applies if money is limited, unless a
   * policy sets this number.
   */
  maxOpen: 20,
  /** How long a call counts as open at most. An outcome that settles the call ends this time earlier. */
  openWindowMs: 5 * 60_000,
  /** How many days the audit keeps the records of the context builder, unless the privacy document sets this number. */
  contextDays: 30,
  /** How much an agent's own reports of failures may give back. */
  releases: { calls: 10, percent: 20 },
} as const;

export const CAPS = {
  ...CALL_CAPS,
  documentBytes: 1024 * 1024,
  /**
   * The deepest nesting of the body of an HTTP request. The size of the body limits everything else. This cap is
   * higher than the cap of the log, so a change that is too deep for the log gets an error of its own.
   */
  bodyDepth: 128,
  keys: 1_000,
  /**
   * The maximum number of elements of all lists in a record together. An element costs as much as a text of many
   * characters.
   */
  elements: 20_000,
  /**
   * The maximum number of characters of a key that are kept for an unreadable record. No key that names an agent is
   * longer.
   */
  keyUnits: 1_000,
  amountMicros: Number.MAX_SAFE_INTEGER,
  /** The highest limit in a unit other than money. */
  amountOfUnit: Number.MAX_SAFE_INTEGER,
  /** The maximum number of tokens of one kind that an outcome may state. */
  tokens: 1_000_000_000,
  replayMemoryMs: 31 * 86_400_000,
  rememberedIds: 1_000_000_000,
  /** The highest value of any limit on records or bytes. */
  throughput: 1_000_000_000_000,
  /**
   * How many deliveries of each tenant the ledger still recognizes after its memory was full. It keeps the last of
   * those that it could not remember.
   */
  unrememberedKept: 10_000,
  /** The longest time that a question to a person, or an approval, may be valid. */
  questionMs: 31 * 86_400_000,
  /**
   * The highest number of calls in a rate. A rate keeps one timestamp for each call, so this limits the size of a
   * counter.
   */
  rateCalls: 100_000,
  rateWindowMs: 31 * 86_400_000,
  /** The highest number of waiting questions of one agent. The ledger keeps the questions of an agent in one list. */
  maxWaiting: 1_000,
  /** The longest window of a budget. Its number of buckets is limited: see `BUDGET_BUCKETS`. */
  budgetWindowMs: 366 * 86_400_000,
  budgetsPerMandate: 32,
  /** The highest value of `maxOpen`. The ledger keeps one timestamp for each open call. */
  openCalls: 100_000,
  /** The maximum number of tools that an outcome counts by name, for the answer of a model. */
  toolsPerAnswer: 64,
  /** The maximum number of calls of tools that are counted in the answer of a model. */
  toolCallsPerAnswer: 10_000,
  /** The highest value of `calls` in `maxReleases`. */
  releaseCalls: 100_000,
  globs: 10_000,
  toolPolicies: 10_000,
  /** The maximum number of conditions in one list of a rule, and in all lists of the rule together. */
  conditions: 100,
  conditionValues: 1_000,
  /**
   * The largest size of all patterns of a new document, with their repeats written out: the number of steps that one
   * character of a text may take. Documents that already exist are not checked.
   */
  patternSize: 20_000,
  /** The maximum number of objects in all argument schemas of a new document. */
  schemaParts: 5_000,
  /**
   * How many steps all rules and policies may take for one action. A step is one character times one unit of a
   * pattern's size, or similar work. All steps together take 0.1 to 0.2 seconds.
   */
  stepsPerAction: 10_000_000,
  rulePriority: 1_000_000,
  rules: 100_000,
  agents: 100_000,
  /** How many retired agents are remembered. Beyond this number the oldest of them is forgotten. */
  retiredAgents: 100_000,
  /** The maximum number of tenants that may ever be opened. Every process keeps all of them in memory. */
  tenants: 10_000,
  /**
   * The maximum number of tenants that may ever have a topic of their own. Kafka stores the assignment of a consumer
   * group in 1 MiB. With names of 64 characters this is enough for 30 deciders.
   */
  directTopics: 250,
  keysPerAgent: 100,
  /** The maximum number of keys of people in a tenant. */
  roleKeys: 1_000,
  /** The maximum number of fields of the context that one key may fix. */
  pins: 32,
  /** The longest validity of a key. */
  keyMs: 3_650 * 86_400_000,
  /**
   * How many keys of a tenant are remembered with their names after they were revoked or ended. Beyond this number
   * the oldest of them is forgotten.
   */
  endedKeys: 10_000,
  policies: 10_000,
  versionsPerPolicy: 10_000,
  /** The largest size of one change on the control topic. */
  changeBytes: 1_500_000,
  /**
   * The largest size of a change that publishes an agent manifest, because it contains the manifest and all documents
   * that the manifest compiles to. The topic accepts records of 2 MiB.
   */
  manifestChangeBytes: 2_000_000,
  /** The maximum number of agent manifests of a tenant, removed ones included. */
  manifests: 10_000,
  versionsPerManifest: 10_000,
  /** The maximum number of agents, of policies and of rules that one agent manifest compiles to. */
  documentsPerManifest: 10_000,
  /**
   * The largest size of all agents, rules and policies of a tenant with their versions, as JSON. Every process keeps
   * them in memory. Grants with their sources have a separate limit of the same size.
   */
  controlUnits: 64 * 1024 * 1024,
  /** The longest text that a condition may search for. The search for a longer text can take very long. */
  conditionUnits: 1_000,
  /** The maximum number of ancestors of a sub-agent. */
  parents: 32,
  /**
   * The maximum number of former ancestors of an agent. Each is remembered, because a kill of a former ancestor with
   * its descendants may still stop the agent.
   */
  formerAncestors: 128,
  /**
   * The maximum number of former ancestors of all agents of a tenant together. Every process keeps all of them in
   * memory.
   */
  departures: 100_000,
  groups: 1_000,
  /** The most roles that one list may name. */
  roles: 200,
  /** The most stores and categories of memories of one policy, together. */
  categories: 10_000,
  /** The most categories below each other. A change on the log may be nested 64 deep, and each category takes two. */
  categoryDepth: 24,
  /** The most characters of the description of a category. */
  descriptionCharacters: 500,
  grantTtlMs: 24 * 3_600_000,
  /** The maximum number of grants of a tenant that have neither ended nor been revoked. */
  grants: 10_000,
  /** The maximum number of rules of one grant. Every process keeps all of them in memory. */
  rulesPerMandate: 100,
  /** The largest context of a grant, as JSON. */
  contextUnits: 4_096,
} as const;

/**
 * The number of buckets in a windowed budget. The window slides in steps of `windowMs / BUDGET_BUCKETS`, at least a
 * millisecond. The steps are rounded so that a charge is never forgotten early. So the charges in any window never
 * exceed the budget, and memory is limited.
 */
export const BUDGET_BUCKETS = 1_000;
