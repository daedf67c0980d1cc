/**
 * How much a tenant may contain and how much it may write. Each process that takes its requests counts the throughputs
 * itself. An absent limit has its default. `0` lets nothing through.
 */
import { z } from 'zod';
import { CAPS, DEFAULTS } from './defaults.ts';

const most = (cap: number) => z.int().min(0).max(cap).optional();
const amount = most(CAPS.throughput);

/** How many units per second in the long run, at once, and per day. The default burst is ten seconds of `perSecond`. */
const throughput = z.strictObject({
  perSecond: amount.describe('How many in a second, in the long run.'),
  burst: amount.describe('How many at once. Absent: ten times `perSecond`.'),
  perDay: amount.describe('How many on a day in UTC.'),
});
const published = z.strictObject({
  records: throughput.optional().describe('The number of records.'),
  bytes: throughput.optional().describe('The size of the records, in bytes.'),
});

export const tenantLimits = z.strictObject({
  agents: most(CAPS.agents).describe('How many agents.'),
  policies: most(CAPS.policies).describe('How many policies, archived ones included.'),
  rules: most(CAPS.rules).describe('How many rules.'),
  issuedMandates: most(CAPS.issuedMandates).describe(
    'How many grants that have neither ended nor been revoked.',
  ),
  rememberedIds: most(CAPS.rememberedIds).describe(
    'How many deliveries the ledger remembers within the replay memory.',
  ),
  publish: published.optional().describe('Actions and outcomes that gateways accept.'),
  publishPerKey: published
    .optional()
    .describe('The same for each key. Absent: half of the limit of the tenant.'),
  refusals: throughput.omit({ perDay: true }).optional().describe('Decisions that refuse an action.'),
  refusalsPerAgent: throughput.omit({ perDay: true }).optional().describe('The same for each agent.'),
  changes: throughput.optional().describe('Changes by operators, authors and admins. A key has half of it.'),
  reads: throughput.optional().describe('Reads that are recorded. A key has half of it.'),
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

type Stated = z.output<typeof throughput>;

/** The limits in force. A tenant without limits of its own has `DEFAULTS.limits`, which also gives the reasons. */
export function limitsInForce(stated: TenantLimits = {}): TenantLimitsInForce {
  const { publishRecords, publishBytes, changes, reads, refusals, refusalsPerAgent } = DEFAULTS.limits;
  const { publish, publishPerKey } = stated;
  return {
    rememberedIds: stated.rememberedIds ?? DEFAULTS.rememberedIds,
    publishedRecords: withKeys(publishRecords, publish?.records, publishPerKey?.records),
    publishedBytes: withKeys(publishBytes, publish?.bytes, publishPerKey?.bytes),
    changes: withKeys(changes, stated.changes),
    reads: withKeys(reads, stated.reads),
    refusals: {
      tenant: inForce(refusals, stated.refusals),
      agent: inForce(refusalsPerAgent, stated.refusalsPerAgent),
    },
  };
}

function withKeys(byDefault: Throughput, ofTenant: Stated | undefined, ofKey?: Stated): ThroughputOf {
  const tenant = inForce(byDefault, ofTenant);
  return { tenant, key: inForce(halfOf(tenant), ofKey) };
}

function inForce(byDefault: Throughput, stated: Partial<Stated> = {}): Throughput {
  const { perSecond = byDefault.perSecond, perDay = byDefault.perDay } = stated;
  const burst = stated.burst ?? (stated.perSecond === undefined ? byDefault.burst : 10 * stated.perSecond);
  return { perSecond, burst, perDay };
}

function halfOf({ perSecond, burst, perDay }: Throughput): Throughput {
  const half = (all: number) => Math.ceil(all / 2);
  return { perSecond: half(perSecond), burst: half(burst), perDay: perDay === null ? null : half(perDay) };
}
