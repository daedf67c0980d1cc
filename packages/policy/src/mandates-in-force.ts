/** Finds the mandate for an action, from a file or from the control service. */
import type { Action, FormerAncestor, Plan } from '@mandate/schemas';
import { plan } from './decide.ts';
import type { ContentFinders } from './governance/output/content-finders.ts';
import { lowerLimit } from './lower-limit.ts';
import type { Mandate, MandateOfFile } from './mandate/mandate.ts';
import { resolveMandate } from './mandate/resolve-mandate.ts';
import type { InShadow } from './rules/rules-in-force.ts';
import { shadowPlan, unknownShadow } from './shadow.ts';
import type { ValidityInterval } from './validity-interval.ts';

export type MandateInForce = {
  /** Null if no mandate applies. Then nothing is allowed. */
  mandate: Mandate | null;
  /** The ancestors of the agent, the nearest first. Absent if there are none. */
  ancestors?: readonly string[];
  /**
   * Ancestors that the agent had before. If one of them was killed with its descendants at that time, the kill still
   * stops the agent. Absent if there are none.
   */
  formerAncestors?: readonly FormerAncestor[];
  /** The result of the rules in shadow. Null or absent if no such rule matches. */
  shadow?: InShadow | null;
  /** The steps that finding the mandate took from the action's step budget. Absent means 0. */
  steps?: number;
  /** A plan that refuses the action. If present, this plan is used, and no plan is made from the mandate. */
  refused?: Plan;
} & ValidityInterval;

export type MandatesInForce = {
  /** The revision of the documents from which the last returned mandate was made. */
  readonly revision: number;
  mandateFor(tenant: string, action: Action, atMs: number): MandateInForce;
};

/** Returns the mandates of a file. They apply to every tenant. */
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

/**
 * Like `plan`, but finds the mandate that applies at `atMs`. The validity of the plan ends when another mandate
 * applies. Rules in shadow do not change the plan. They add a shadow plan.
 */
export function planInForce(
  mandates: MandatesInForce,
  tenant: string,
  action: Action,
  atMs: number,
  redacted: Action = action,
  finders: ContentFinders | null = null,
): Plan {
  const inForce = mandates.mandateFor(tenant, action, atMs);
  const { shadow, ancestors, formerAncestors } = inForce;
  const planned = within(
    inForce,
    inForce.refused ?? plan(action, inForce.mandate, atMs, redacted, inForce.steps, finders, ancestors),
  );
  const standing = {
    ...(ancestors !== undefined && { ancestors }),
    ...(formerAncestors !== undefined && { formerAncestors }),
  };
  const made =
    ancestors === undefined && formerAncestors === undefined ? planned : { ...planned, ...standing };
  if (!shadow) return made;
  if (shadow.mandate === null) return { ...made, shadow: unknownShadow(shadow) };
  const besides = within(
    shadow,
    plan(action, shadow.mandate, atMs, redacted, shadow.steps, finders, ancestors),
  );
  return { ...made, shadow: shadowPlan(action.agentId, made, besides, shadow) };
}

function within({ holdsFromMs, holdsUntilMs }: ValidityInterval, made: Plan): Plan {
  if (holdsFromMs === 0 && holdsUntilMs === null) return made;
  return {
    ...made,
    holdsFromMs: Math.max(made.holdsFromMs, holdsFromMs),
    holdsUntilMs: lowerLimit(made.holdsUntilMs, holdsUntilMs),
  };
}
