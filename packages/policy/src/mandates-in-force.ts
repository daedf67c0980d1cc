/** Which mandate an action is decided under, wherever mandates come from: a file, or the control plane. */
import type { Action, FormerAncestor, Plan } from '@mandate/schemas';
import { plan } from './decide.ts';
import type { Mandate, MandateOfFile } from './mandate/mandate.ts';
import { resolveMandate } from './mandate/resolve-mandate.ts';
import type { InShadow } from './rules/rules-in-force.ts';
import { shadowPlan, unknownShadow } from './shadow.ts';

export type MandateInForce = {
  /** Null: none applies, and nothing is allowed. */
  mandate: Mandate | null;
  /** The ancestors of the agent, the nearest first; absent: none. */
  above?: readonly string[];
  /** The families that the agent left: one that was killed before still stops it; absent: none. */
  formerAncestors?: readonly FormerAncestor[];
  /** The mandate holds from then on, and until before then; null: without end. */
  holdsFromMs: number;
  holdsUntilMs: number | null;
  /** Null or absent where no rule in shadow matches. */
  shadow?: InShadow | null;
  /** How much of what one action may take was taken to find it; absent: nothing. */
  steps?: number;
  /** In the place of a plan under the mandate, where it is known why nothing is allowed. */
  refused?: Plan;
};

export type MandatesInForce = {
  /** The revision of everything that the mandate asked for last follows from. */
  readonly revision: number;
  mandateFor(tenant: string, action: Action, atMs: number): MandateInForce;
};

/** Mandates of a file are those of every tenant. */
export function mandatesOfFile(mandates: readonly MandateOfFile[], revision: number): MandatesInForce {
  return {
    revision,
    mandateFor: (_tenant, action) => ({
      mandate: resolveMandate(mandates, action),
      holdsFromMs: 0,
      holdsUntilMs: null,
    }),
  };
}

/** As `plan`, under the mandate that is in force then: made again once that is another. No rule in shadow changes it. */
export function planInForce(
  mandates: MandatesInForce,
  tenant: string,
  action: Action,
  atMs: number,
  redacted: Action = action,
): Plan {
  const inForce = mandates.mandateFor(tenant, action, atMs);
  const { shadow, above, formerAncestors } = inForce;
  const planned = within(
    inForce,
    inForce.refused ?? plan(action, inForce.mandate, atMs, redacted, inForce.steps),
  );
  const standing = {
    ...(above !== undefined && { above }),
    ...(formerAncestors !== undefined && { formerAncestors }),
  };
  const made = above === undefined && formerAncestors === undefined ? planned : { ...planned, ...standing };
  if (!shadow) return made;
  if (shadow.mandate === null) return { ...made, shadow: unknownShadow(shadow) };
  const besides = within(shadow, plan(action, shadow.mandate, atMs, redacted, shadow.steps));
  return { ...made, shadow: shadowPlan(action.agentId, made, besides, shadow) };
}

function within(
  { holdsFromMs, holdsUntilMs }: Pick<MandateInForce, 'holdsFromMs' | 'holdsUntilMs'>,
  made: Plan,
): Plan {
  if (holdsFromMs === 0 && holdsUntilMs === null) return made;
  return {
    ...made,
    holdsFromMs: Math.max(made.holdsFromMs, holdsFromMs),
    holdsUntilMs: earlier(made.holdsUntilMs, holdsUntilMs),
  };
}

function earlier(oneMs: number | null, otherMs: number | null): number | null {
  return oneMs === null || otherMs === null ? (oneMs ?? otherMs) : Math.min(oneMs, otherMs);
}
