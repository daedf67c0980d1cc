/**
 * A person's answer to a deferred action. It is valid for exactly this request, until it expires or an ALLOW uses it
 * up.
 */
import type { GrantState } from '@mandate/schemas';
import type { Approval } from '../port.ts';
import type { Deferral } from './deferral.ts';

export type Grant = {
  readonly agentId: string;
  readonly actionId: string;
  readonly digest: string;
  readonly answer: Approval['answer'];
  readonly expiresAtMs: number;
  /**
   * An expired grant is remembered for the replay memory. So the ledger can distinguish it from a grant that was
   * never given.
   */
  readonly forgetAtMs: number;
  readonly sequence: number;
  /** The deferral that the grant answers. The ALLOW takes over its slots. Null if the deferral was forgotten. */
  readonly deferral: Deferral | null;
};

/** Grants, by the key from `grantKey`. */
export type Grants = Map<string, Grant>;

type Request = { readonly agentId: string; readonly actionId: string; readonly digest: string };

/**
 * Returns the state of the answer to a request. A denial does not expire: the action stays denied until the denial is
 * forgotten.
 */
export function grantState(grants: Grants, request: Request, nowMs: number): GrantState {
  const grant = grants.get(grantKey(request));
  if (grant === undefined || grant.forgetAtMs <= nowMs) return 'none';
  if (grant.answer === 'denied') return 'denied';
  return grant.expiresAtMs > nowMs ? 'granted' : 'expired';
}

/** Returns the deferral that belongs to the remembered answer to a request. Null if there is no such deferral. */
export function answeredDeferral(grants: Grants, request: Request, nowMs: number): Deferral | null {
  if (grants.size === 0 || grantState(grants, request, nowMs) === 'none') return null;
  return grants.get(grantKey(request))?.deferral ?? null;
}

/** Stores an answer. The latest answer counts, and takes over the deferral of the earlier answer. */
export function putGrant(grants: Grants, grant: Grant, nowMs: number): void {
  for (const [key, known] of grants) {
    if (known.forgetAtMs <= nowMs) grants.delete(key);
  }
  const key = grantKey(grant);
  const known = grants.get(key);
  const deferral = grant.deferral ?? known?.deferral ?? null;
  const latest = known === undefined || known.sequence < grant.sequence ? grant : known;
  grants.set(key, latest.deferral === deferral ? latest : { ...latest, deferral });
}

/** Removes the grant that the decision with this sequence uses up, and returns its deferral. Keeps a later answer. */
export function consumeGrant(grants: Grants, request: Request, sequence: number): Deferral | null {
  const key = grantKey(request);
  const grant = grants.get(key);
  if (grant === undefined || grant.sequence >= sequence) return null;
  grants.delete(key);
  return grant.deferral;
}

/**
 * Adds a deferral to the stored answer of its question. Needed because a log may have the answer before the question.
 */
export function attachDeferral(
  grants: Grants,
  request: Request,
  deferral: Deferral,
  sequence: number,
): boolean {
  const key = grantKey(request);
  const grant = grants.get(key);
  if (grant === undefined || grant.sequence < sequence) return false;
  if (grant.deferral === null) grants.set(key, { ...grant, deferral });
  return true;
}

/** A space separates the parts, because no id contains a space. */
export function grantKey(request: Request): string {
  return `${request.agentId} ${request.actionId} ${request.digest}`;
}
