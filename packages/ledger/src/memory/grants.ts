/** What a person said about a deferred action: for that very request, until it expires or an ALLOW uses it up. */
import type { GrantState } from '@mandate/schemas';
import type { Approval } from '../port.ts';
import type { Deferral } from './deferral.ts';

export type Grant = {
  readonly agentId: string;
  readonly actionId: string;
  readonly digest: string;
  readonly answer: Approval['answer'];
  readonly expiresAtMs: number;
  /** Once expired it is remembered for the replay memory, so that it can be told from one never given. */
  readonly forgetAtMs: number;
  readonly sequence: number;
  /** The deferral that it answers. The ALLOW takes the slots of it along. null if the deferral was forgotten. */
  readonly deferral: Deferral | null;
};

/** By the request that was answered. */
export type Grants = Map<string, Grant>;

type Request = { readonly agentId: string; readonly actionId: string; readonly digest: string };

/** A denial stands until it is forgotten: time does not turn a no into a question. */
export function grantState(grants: Grants, request: Request, nowMs: number): GrantState {
  const grant = grants.get(grantKey(request));
  if (grant === undefined || grant.forgetAtMs <= nowMs) return 'none';
  if (grant.answer === 'denied') return 'denied';
  return grant.expiresAtMs > nowMs ? 'granted' : 'expired';
}

/** What the answer that stands for the request was to; null where none stands. */
export function answeredDeferral(grants: Grants, request: Request, nowMs: number): Deferral | null {
  if (grants.size === 0 || grantState(grants, request, nowMs) === 'none') return null;
  return grants.get(grantKey(request))?.deferral ?? null;
}

/** The latest answer stands, and goes on to hold what the one before it answered. */
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

/** Used up by the decision of that sequence; what a person said after it stands. Answers what it was for. */
export function consumeGrant(grants: Grants, request: Request, sequence: number): Deferral | null {
  const key = grantKey(request);
  const grant = grants.get(key);
  if (grant === undefined || grant.sequence >= sequence) return null;
  grants.delete(key);
  return grant.deferral;
}

/** If the question has an answer already: a log may have the answer before the question. */
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

/** No id holds a blank. */
export function grantKey(request: Request): string {
  return `${request.agentId} ${request.actionId} ${request.digest}`;
}
