/** What a person said about a deferred action: for that very request, until it expires or an ALLOW uses it up. */
import type { GrantState } from '@mandate/schemas';
import type { Approval } from '../port.ts';

export type Grant = {
  readonly agentId: string;
  readonly actionId: string;
  readonly digest: string;
  readonly answer: Approval['answer'];
  readonly expiresAtMs: number;
  /** Once expired it is remembered for the replay memory, so that it can be told from one never given. */
  readonly forgetAtMs: number;
  readonly sequence: number;
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

/** The latest answer stands. */
export function putGrant(grants: Grants, grant: Grant, nowMs: number): void {
  for (const [key, known] of grants) {
    if (known.forgetAtMs <= nowMs) grants.delete(key);
  }
  const key = grantKey(grant);
  const known = grants.get(key);
  if (known === undefined || known.sequence < grant.sequence) grants.set(key, grant);
}

/** Used up by the decision of that sequence; what a person said after it stands. */
export function consumeGrant(grants: Grants, request: Request, sequence: number): void {
  const key = grantKey(request);
  const grant = grants.get(key);
  if (grant !== undefined && grant.sequence < sequence) grants.delete(key);
}

/** No id holds a blank. */
function grantKey(request: Request): string {
  return `${request.agentId} ${request.actionId} ${request.digest}`;
}
