/**
 * The evidence of a decision's checks, parsed from the record. Each check has its own facts
 * (packages/policy/src/checks). A newer decider may have an unknown check, and an older decider fewer facts. Such
 * evidence is `unknown`: it is shown, but not described in a sentence.
 */
import { BUDGET_SCOPES, type Check } from '@mandate/schemas';
import { z } from 'zod';
import { GOVERNED_READERS } from './governed-evidence.ts';

const money = z.object({ costMicros: z.int(), maxMicros: z.int(), price: z.string() });
/** The limit of another policy on the same counter. For a confirmation: the other policy asks a person too. */
const other = z.object({
  policy: z.string().optional(),
  maxMicros: z.int().optional(),
  most: z.int().optional(),
  maxCalls: z.int().optional(),
  result: z.enum(['pass', 'block']).optional(),
});
export type Other = z.output<typeof other>;
/** Absent in older decisions, or if there are no other limits. */
const otherLimits = z.array(other).optional();
const rate = z.object({
  scope: z.literal('principal').optional(),
  calls: z.int(),
  maxCalls: z.int(),
  windowMs: z.int(),
  retryAfterMs: z.int().nullable(),
  otherLimits,
});
/** A limit in a unit other than money. `reserve`: what the call would reserve. */
const inUnit = z.object({
  scope: z.enum(BUDGET_SCOPES),
  id: z.string(),
  windowMs: z.int().nullable(),
  used: z.int(),
  reserve: z.int(),
  most: z.int(),
  retryAfterMs: z.int().nullable(),
  otherLimits,
});
const matched = { pattern: z.string().optional() };
const nothing = z.unknown().transform(() => ({}));

const READERS = {
  ...GOVERNED_READERS,
  duplicate: nothing,
  'replay-memory': nothing,
  deadline: nothing,
  'kill-switch': nothing,
  'tenant-open': z.object({ tenant: z.string(), closedAt: z.string() }),
  'within-steps': z.object({ steps: z.int() }),
  'mandate-found': z.object({
    agentId: z.string(),
    context: z.string().optional(),
    /**
     * True if the agent is registered. Then only rules give it policies, and a mandates file does not apply. Absent
     * in older decisions.
     */
    registered: z.boolean().default(false),
    retiredAt: z.string().optional(),
    /** The agent that may act only under a grant: the agent of the action, or one of its ancestors. */
    requiresGrant: z.string().optional(),
  }),
  'policy-found': z.object({ policy: z.string() }),
  'mandate-alive': z.object({ expiresAt: z.string(), revokedAt: z.string().optional() }),
  'tool-denied': z.object({ tool: z.string(), ...matched }),
  'tool-known': z.object({ tool: z.string(), declared: z.int().optional() }),
  'tool-allowed': z.object({ tool: z.string(), ...matched, delegated: z.boolean().default(false) }),
  'arguments-valid': z
    .object({ rule: z.string(), pointer: z.string(), expected: z.string() })
    .nullable()
    .transform((fault) => ({ fault })),
  'model-allowed': z.object({ model: z.string(), ...matched }),
  'provider-allowed': z.object({ provider: z.string().nullable(), ...matched }),
  'model-priced': z.object({
    model: z.string(),
    price: z.string(),
    /** The kinds of token counts that are missing in the call. */
    missing: z.array(z.string()).optional(),
  }),
  'tokens-stated': z.object({
    callTokens: z.int().nullable(),
    /** The kinds of token counts that are missing in the call. */
    missing: z.array(z.string()).optional(),
  }),
  'estimate-stated': z.object({ tool: z.string(), estimateMicros: z.int() }),
  'tool-cost-per-call': money,
  'mandate-cost-per-call': money,
  'tool-rate': rate,
  budget: z.object({
    scope: z.enum(BUDGET_SCOPES),
    id: z.string(),
    windowMs: z.int().nullable(),
    spentMicros: z.int(),
    maxMicros: z.int().nullable(),
    retryAfterMs: z.int().nullable(),
    /** The amount that the call would reserve; absent in older decisions. */
    costMicros: z.int().optional(),
    otherLimits,
  }),
  tokens: inUnit,
  'tool-calls': inUnit,
  'mandate-rate': rate,
  'open-calls': rate,
  confirmation: z.object({
    grant: z.enum(['none', 'granted', 'denied', 'expired']),
    waiting: z.int(),
    maxWaiting: z.int(),
    otherLimits,
  }),
};
type Readers = typeof READERS;

/** `ancestor` is the ancestor with the policy of the limit. */
type EvidenceOf = { [Name in keyof Readers]: { by: Name; ancestor?: string } & z.output<Readers[Name]> };
export type Evidence = EvidenceOf[keyof Readers] | { by: 'unknown' };
export type GovernedEvidence = EvidenceOf[keyof typeof GOVERNED_READERS];

export function parseEvidence({ check, result, evidence, ancestor }: Check): Evidence {
  // A check that was skipped has no evidence.
  if (result === 'skip' || !isKnown(check)) return { by: 'unknown' };
  const read = READERS[check].safeParse(evidence);
  if (!read.success) return { by: 'unknown' };
  return { by: check, ...(ancestor !== undefined && { ancestor }), ...read.data } as Evidence;
}

function isKnown(name: string): name is keyof Readers {
  return Object.hasOwn(READERS, name);
}

/** Returns the ancestor that has the counter, as the end of a phrase. Empty if the agent itself has the counter. */
export function ofAncestor({ ancestor }: { ancestor?: string }): string {
  return ancestor === undefined ? '' : ` of "${ancestor}"`;
}
