/**
 * Asks a plane for the decision about an action. If an answer is lost, the request is sent again with the same ids. The
 * plane then answers that the request is a duplicate of the first one. So this client reads the decision of the action
 * by its id.
 *
 * The time of a request has nine random digits below the millisecond. They show whether a decision answers exactly this
 * request. Without them, two processes with one idempotency key could both use the same ALLOW.
 */
import type { Action, ActionRequested, Decision } from '@mandate/schemas';
import { CALL_CAPS } from '@mandate/schemas/core';
import { MandateBlockedError } from '../errors.ts';
import {
  fieldsOf,
  type PlaneAnswer,
  type PlaneConnection,
  planeUnavailable,
  problemOf,
  refusalOf,
} from './plane-connection.ts';

/** How long one request waits at most. A lost connection is noticed after this time. */
const ONE_WAIT_MS = 5_000;
/** How long one request waits for a decision that is late. A longer wait would also wait for a person. */
const LATE_WAIT_MS = 500;

/**
 * @throws MandateBlockedError INVALID_ACTION if the plane cannot read the action
 * @throws MandateError PLANE_UNAVAILABLE, or with the code of the refusal
 */
export async function askPlane(
  connection: PlaneConnection,
  record: ActionRequested,
  untilMs: number,
): Promise<Decision> {
  const deadlineMs = Math.max(1, Math.ceil(untilMs - performance.now()));
  const action: Action = { ...record.action, requestedAt: uniqueRequestTime(), deadlineMs };
  let mayBeLost = false;
  for (;;) {
    const answer = await connection.request((leftMs) => {
      const waitMs = Math.min(leftMs, ONE_WAIT_MS, CALL_CAPS.waitMs);
      return { method: 'POST', path: `/v1/actions?waitMs=${waitMs}`, body: action };
    }, untilMs);
    mayBeLost ||= answer.tries > 1 || answer.status === 202;
    if (answer.status === 200) {
      const decision = decisionOf(answer, action, connection.url);
      if (!mayBeLost || !isDuplicateOf(decision, action)) return decision;
      const standing = await standingDecision(connection, action, untilMs);
      return standing !== null && standing.requestedAt === action.requestedAt ? standing : decision;
    }
    if (answer.status !== 202) throw errorOf(connection.url, answer, action);
    const late = await lateDecision(connection, action, untilMs);
    if (late.requestedAt === action.requestedAt) return late;
    // Another request for the same action came first. The next answer of the plane says so.
  }
}

/** Waits until there is a decision about the action. */
async function lateDecision(connection: PlaneConnection, action: Action, untilMs: number): Promise<Decision> {
  for (;;) {
    const standing = await standingDecision(connection, action, untilMs);
    if (standing !== null) return standing;
    if (performance.now() >= untilMs) throw planeUnavailable(connection.url, 'the action is not decided yet');
  }
}

/** Returns the decision that is valid for the action and attempt. Null if there is none yet. */
async function standingDecision(
  connection: PlaneConnection,
  action: Action,
  untilMs: number,
): Promise<Decision | null> {
  const answer = await connection.request(
    (leftMs) => ({ method: 'GET', path: pathOf(action, Math.min(leftMs, LATE_WAIT_MS)) }),
    untilMs,
  );
  if (answer.status === 404 && problemOf(answer.body)?.code === 'DECISION_NOT_FOUND') return null;
  if (answer.status !== 200) throw errorOf(connection.url, answer, action);
  return decisionOf(answer, action, connection.url);
}

/** The path that shows an action, after at most `waitMs`. */
function pathOf(
  { id, agentId, attempt = 1 }: Pick<Action, 'id' | 'agentId' | 'attempt'>,
  waitMs: number,
): string {
  const query = new URLSearchParams({ agentId, attempt: String(attempt), waitMs: String(waitMs) });
  return `/v1/actions/${encodeURIComponent(id)}?${query}`;
}

const VERDICTS: ReadonlySet<unknown> = new Set(['ALLOW', 'BLOCK', 'DEFER']);

/** Reads the decision of an answer. An answer about anything but this attempt allows nothing. */
function decisionOf(answer: PlaneAnswer, { id, agentId, attempt = 1 }: Action, url: string): Decision {
  const decision = fieldsOf(fieldsOf(answer.body).decision);
  const isOfThis = decision.actionId === id && decision.agentId === agentId && decision.attempt === attempt;
  if (isOfThis && VERDICTS.has(decision.verdict)) return decision as Decision;
  throw refusalOf(url, { ...answer, body: undefined });
}

function isDuplicateOf({ code, duplicateOf }: Decision, { id, attempt = 1 }: Action): boolean {
  return (
    code === 'DUPLICATE_ACTION' &&
    duplicateOf?.samePayload === true &&
    duplicateOf.actionId === id &&
    duplicateOf.attempt === attempt
  );
}

function errorOf(url: string, answer: PlaneAnswer, action: Action): Error {
  const problem = problemOf(answer.body);
  const refusal = refusalOf(url, answer);
  const isUnreadable = (answer.status === 400 || answer.status === 413) && problem !== null;
  if (!isUnreadable) return refusal;
  const fault = fieldsOf(problem.errors[0]);
  const said = (words: unknown, otherwise: string) => (typeof words === 'string' ? words : otherwise);
  return new MandateBlockedError('INVALID_ACTION', {
    reason: `The call cannot be decided: ${said(fault.detail, problem.detail)}.`,
    remedy: `To run it: ${said(fault.remedy, problem.remedy).replace(/\.$/, '')}.`,
    action: {
      ...{ id: action.id, agentId: action.agentId, type: action.type },
      ...(action.type === 'tool_call' && { tool: action.tool }),
      ...(action.type === 'llm_call' && { model: action.model }),
    },
    decision: null,
    cause: refusal,
  });
}

/** Returns the present time with nine random digits, so that no other request has the same time. */
export function uniqueRequestTime(): string {
  const [random = 0] = crypto.getRandomValues(new Uint32Array(1));
  const digits = String(random % 1_000_000_000).padStart(9, '0');
  return new Date().toISOString().replace('Z', `${digits}Z`);
}
