/** Which mandate an action is decided under, wherever mandates come from: a file, or the control plane. */
import type { Action, Plan } from '@mandate/schemas';
import { plan } from './decide.ts';
import type { Mandate, MandateOfFile } from './mandate/mandate.ts';
import { resolveMandate } from './mandate/resolve-mandate.ts';

export type MandateInForce = {
  /** Null: none applies, and nothing is allowed. */
  mandate: Mandate | null;
  /** It is the one from then on, and until before then; null: for ever. */
  holdsFromMs: number;
  holdsUntilMs: number | null;
};

export type MandatesInForce = {
  /** Of what they follow from at this moment: of the mandate that was asked for last. */
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

/** As `plan`, under the mandate that is in force then: made again once that is another. */
export function planInForce(
  mandates: MandatesInForce,
  tenant: string,
  action: Action,
  atMs: number,
  shown: Action = action,
): Plan {
  const { mandate, holdsFromMs, holdsUntilMs } = mandates.mandateFor(tenant, action, atMs);
  const made = plan(action, mandate, atMs, shown);
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
