/**
 * How much a tenant may contain and how much it may write. Each process that takes its requests counts the throughputs
 * itself. An absent limit has its default. `0` lets nothing through.
 */
import { z } from 'zod';
import { CAPS, DEFAULTS } from './defaults.ts';

const most = (cap: number) => z.int().min(0).max(cap).optional();
const amount = most(CAPS.throughput);

/** How many units per second in the long run, at once, and per day. The default burst is ten seconds of `perSecond`. */
const throughput = z.strictObject({ perSecond: amount, burst: amount, perDay: amount });
const published = z.strictObject({ records: throughput.optional(), bytes: throughput.optional() });

export const tenantLimits = z.strictObject({
  agents: most(CAPS.agents),
  /** Archived policies count as well. */
  policies: most(CAPS.policies),
  rules: most(CAPS.rules),
  /** Counts only grants that have neither ended nor been revoked. */
  issuedMandates: most(CAPS.issuedMandates),
  /** How many deliveries the ledger remembers within the replay memory. */
  rememberedIds: most(CAPS.rememberedIds),
  /** Actions and outcomes that gateways accept. */
  publish: published.optional(),
  /** The limit for each key. Default: half of the tenant's limit. */
  publishPerKey: published.optional(),
  /** Decisions that refuse an action. A gateway counts them to find agents that flood. */
  refusals: throughput.omit({ perDay: true }).optional(),
  /** The limit for each agent. */
  refusalsPerAgent: throughput.omit({ perDay: true }).optional(),
  /** Changes by operators, authors and admins. A key has half of it. */
  changes: throughput.optional(),
  /** Reads that are recorded. A key has half of it. */
  reads: throughput.optional(),
});
export type TenantLimits = z.output<typeof tenantLimits>;

/** `perDay`: null if there is no bound. */
export type Throughput = {
  readonly perSecond: number;
  readonly burst: number;
  readonly perDay: number | null;
};

/** The throughput for a tenant, and for each of its keys. */
export type ThroughputOf = { readonly tenant: Throughput; readonly key: Throughput };

export type TenantLimitsInForce = {
  readonly rememberedIds: number;
  readonly publishedRecords: ThroughputOf;
  readonly publishedBytes: ThroughputOf;
  readonly changes: ThroughputOf;
  readonly reads: ThroughputOf;
  readonly refusals: { readonly tenant: Throughput; readonly agent: Throughput };
};

type Said = z.output<typeof throughput>;

/** The limits in force. A tenant without limits of its own has `DEFAULTS.limits`, which also gives the reasons. */
export function limitsInForce(said: TenantLimits = {}): TenantLimitsInForce {
  const { publishRecords, publishBytes, changes, reads, refusals, refusalsPerAgent } = DEFAULTS.limits;
  const { publish, publishPerKey } = said;
  return {
    rememberedIds: said.rememberedIds ?? DEFAULTS.rememberedIds,
    publishedRecords: withKeys(publishRecords, publish?.records, publishPerKey?.records),
    publishedBytes: withKeys(publishBytes, publish?.bytes, publishPerKey?.bytes),
    changes: withKeys(changes, said.changes),
    reads: withKeys(reads, said.reads),
    refusals: {
      tenant: inForce(refusals, said.refusals),
      agent: inForce(refusalsPerAgent, said.refusalsPerAgent),
    },
  };
}

function withKeys(byDefault: Throughput, ofTenant: Said | undefined, ofKey?: Said): ThroughputOf {
  const tenant = inForce(byDefault, ofTenant);
  return { tenant, key: inForce(halfOf(tenant), ofKey) };
}

function inForce(byDefault: Throughput, said: Partial<Said> = {}): Throughput {
  const { perSecond = byDefault.perSecond, perDay = byDefault.perDay } = said;
  const burst = said.burst ?? (said.perSecond === undefined ? byDefault.burst : 10 * said.perSecond);
  return { perSecond, burst, perDay };
}

function halfOf({ perSecond, burst, perDay }: Throughput): Throughput {
  const half = (all: number) => Math.ceil(all / 2);
  return { perSecond: half(perSecond), burst: half(burst), perDay: perDay === null ? null : half(perDay) };
}
