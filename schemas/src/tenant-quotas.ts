/**
 * The quotas: how much a tenant may contain and how much it may write. Each process that takes its requests counts
 * separately. If a quota is absent, its default applies. `0` allows nothing.
 */
import { z } from 'zod';
import { CAPS, DEFAULTS } from './defaults.ts';
import { described } from './described.ts';

const most = (cap: number) => z.int().min(0).max(cap).optional();
const amount = most(CAPS.throughput);

/**
 * The allowed units per second in the long run, in one burst, and per day. The default burst is ten seconds of
 * `perSecond`.
 */
const throughput = z.strictObject({
  perSecond: described(
    amount,
    'How many per second, on average. Default: the quota of the plane. 0: none.',
    2_000,
  ),
  burst: described(amount, 'How many at once. Default: ten times `perSecond`.', 20_000),
  perDay: described(amount, 'How many per day, by UTC. Default: the quota of the plane.', 70_000_000),
});
const published = z.strictObject({
  records: described(throughput.optional(), 'The number of records.'),
  bytes: described(throughput.optional(), 'The size of the records, in bytes.'),
});

export const tenantQuotas = z.strictObject({
  agents: described(
    most(CAPS.agents),
    'How many agents the tenant may register. Default: the maximum of the plane.',
    500,
  ),
  policies: described(
    most(CAPS.policies),
    'How many policies the tenant may have, archived ones included. Default: the maximum of the plane.',
    100,
  ),
  rules: described(
    most(CAPS.rules),
    'How many rules the tenant may have. Default: the maximum of the plane.',
    200,
  ),
  grants: described(
    most(CAPS.grants),
    'How many grants the tenant may have that have neither ended nor been revoked. Default: the maximum of the plane.',
    1_000,
  ),
  rememberedIds: described(
    most(CAPS.rememberedIds),
    'How many deliveries the ledger remembers within the replay memory. Default: the quota of the plane.',
    10_000_000,
  ),
  publish: described(published.optional(), 'Actions and outcomes that gateways accept.'),
  publishPerKey: described(
    published.optional(),
    'The quota of each key. Default: half of the quota of the tenant.',
  ),
  refusals: described(throughput.omit({ perDay: true }).optional(), 'Decisions that refuse an action.'),
  refusalsPerAgent: described(throughput.omit({ perDay: true }).optional(), 'The quota of each agent.'),
  changes: described(
    throughput.optional(),
    'Changes by operators, authors and admins. Each key may use half of the quota.',
  ),
  reads: described(throughput.optional(), 'Reads that are recorded. Each key may use half of the quota.'),
});
export type TenantQuotas = z.output<typeof tenantQuotas>;

/** `perDay`: null if there is no limit per day. */
export type Throughput = {
  readonly perSecond: number;
  readonly burst: number;
  readonly perDay: number | null;
};

/** The throughput for a tenant, and for each of its keys. */
export type ThroughputOf = { readonly tenant: Throughput; readonly key: Throughput };

export type QuotasInForce = {
  readonly rememberedIds: number;
  readonly publishedRecords: ThroughputOf;
  readonly publishedBytes: ThroughputOf;
  readonly changes: ThroughputOf;
  readonly reads: ThroughputOf;
  readonly refusals: { readonly tenant: Throughput; readonly agent: Throughput };
};

type Stated = z.output<typeof throughput>;

/**
 * Returns the quotas in force. A tenant without quotas of its own has `DEFAULTS.quotas`, and the reasons for them are
 * explained there.
 */
export function quotasInForce(stated: TenantQuotas = {}): QuotasInForce {
  const { publishRecords, publishBytes, changes, reads, refusals, refusalsPerAgent } = DEFAULTS.quotas;
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
