/**
 * Deferred actions in the model: the actions that wait for a person, and the actions that pass their slots to a
 * granted ALLOW. Computed from the whole history each time.
 */
import type { Approval } from '../../port.ts';
import {
  asksUntilMs,
  commandMemoryMs,
  type DecideEvent,
  type History,
  type HistoryEvent,
} from './history.ts';
import { enforcedVerdict, publishedVerdict } from './verdict.ts';

type Request = Pick<Approval, 'tenant' | 'agentId' | 'actionId' | 'digest'>;

/** The state of one request: the waiting DEFER, and the grant with the DEFER that it answers. */
type Asked = {
  waiting: DecideEvent | null;
  grant: { answers: DecideEvent | null; forgetAtMs: number } | null;
};

/** Returns the number of deferred actions of an agent, or of the whole tenant, that wait for a person. */
export function waiting(history: History, of: Pick<Request, 'tenant'> & { agentId?: string }): number {
  const requests = history.events.flatMap((event) =>
    event.type === 'decide' && isDeferral(event) && isOf(event.request, of) ? [event.request] : [],
  );
  const byName = new Map(requests.map((request) => [nameOf(request), request]));
  return [...byName.values()].filter((request) => {
    const asked = askedBy(history, request).waiting;
    return asked !== null && history.nowMs < forgetAtMs(history, asked);
  }).length;
}

/**
 * Returns the DEFER to which the latest answer about this request belongs. Null if that DEFER was forgotten before
 * the answer.
 */
export function answered(history: History, request: Request): DecideEvent | null {
  return askedBy(history, request).grant?.answers ?? null;
}

/** Returns the DEFER that gave its slots to this ALLOW. */
export function takenAlong(history: History, allow: DecideEvent): DecideEvent | null {
  const granted = allow.facts.limits.some((fact) => fact.kind === 'confirmation' && fact.grant === 'granted');
  if (!granted || enforcedVerdict(allow.request.plan, allow.facts).verdict !== 'ALLOW') return null;
  const before = history.events.slice(0, history.events.indexOf(allow));
  return answered({ ...history, events: before }, allow.request);
}

/** True for a new DEFER, and false for a repeated one. */
function isDeferral({ request, facts }: DecideEvent): boolean {
  return facts.first === null && publishedVerdict(request.plan, facts).verdict === 'DEFER';
}

function askedBy(history: History, request: Request): Asked {
  const own = history.events.filter((event) => concerns(event, request));
  return own.reduce((asked, event) => after(history, asked, event), {
    waiting: null,
    grant: null,
  } as Asked);
}

function after(history: History, { waiting, grant }: Asked, event: HistoryEvent): Asked {
  if (event.type === 'decide') {
    if (isDeferral(event)) return { waiting: event, grant };
    const used = event.facts.limits.some((fact) => fact.kind === 'confirmation' && fact.grant === 'granted');
    return used && event.facts.leaseExpiresAtMs !== null ? { waiting, grant: null } : { waiting, grant };
  }
  if (event.type !== 'approve') return { waiting, grant };
  const answers = waiting !== null && event.atMs < forgetAtMs(history, waiting) ? waiting : null;
  const before = grant !== null && event.atMs < grant.forgetAtMs ? grant.answers : null;
  const { expiresAtMs } = event.approval;
  return {
    waiting: answers === null ? waiting : null,
    grant: {
      answers: answers ?? before,
      forgetAtMs: Math.max(event.atMs, expiresAtMs) + commandMemoryMs(history),
    },
  };
}

function concerns(event: HistoryEvent, request: Request): boolean {
  if (event.type === 'approve') return nameOf(event.approval) === nameOf(request);
  return event.type === 'decide' && nameOf(event.request) === nameOf(request);
}

/** `of` without an agent is every agent of the tenant. */
function isOf(
  request: Pick<Request, 'tenant' | 'agentId'>,
  of: Pick<Request, 'tenant'> & { agentId?: string },
): boolean {
  return request.tenant === of.tenant && request.agentId === (of.agentId ?? request.agentId);
}

function nameOf({ tenant, agentId, actionId, digest }: Request): string {
  return JSON.stringify([tenant, agentId, actionId, digest]);
}

function forgetAtMs({ replayMemoryMs }: History, asked: DecideEvent): number {
  const { atMs, request } = asked;
  return Math.max(Math.max(atMs, request.appendedAtMs) + replayMemoryMs, asksUntilMs(asked));
}
