/** Decides a call, and handles a question to a person in the way that the settings say. */
import type { RiskLevel } from '@mandate/schemas';
import { findMandateError, type MandateDeferredError, type RunningAction } from '@mandate/sdk/plane';
import type { DeferredCalls } from './deferred-calls.ts';
import type { Hints } from './known-tools.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import type { Caller, ProxySettings } from './settings.ts';
import type { Subject } from './subjects.ts';

export type Decided =
  | { kind: 'allowed'; running: RunningAction }
  | { kind: 'refused'; refusal: Refusal; actionId: string };

/** What the client can do while a call waits. */
export type Waiting = {
  signal: AbortSignal;
  /** Shows a person the address of the question. False: the person declined. Null: the client cannot show it. */
  show: ((question: { approvalId: string; text: string; url: string }) => Promise<boolean>) | null;
  /** Tells the client that the call waits. */
  waits(text: string): void;
};

type Deciding = {
  caller: Caller;
  settings: ProxySettings;
  deferred: DeferredCalls;
  /** The hints of the server about the tool. Null: there are none. */
  hints: Hints | null;
  /** Null: not known. */
  risk: RiskLevel | null;
  /** The client states the same idempotency key when it repeats a call. Null: it states none. */
  idempotencyKey: string | null;
  /** The action id of an earlier round of the call. Null: this is the first round. */
  actionId: string | null;
};

/** @throws the reason of the signal */
export async function decideCall(subject: Subject, deciding: Deciding, waiting: Waiting): Promise<Decided> {
  const { caller, settings, deferred } = deciding;
  const remembered =
    deciding.actionId ?? (deciding.idempotencyKey === null ? deferred.take(caller, subject) : null);
  const first = await ask(subject, deciding, waiting, {
    actionId: remembered,
    // A client that names the action has already shown the question to its user.
    waits: settings.defer === 'hold' || deciding.actionId !== null,
  });
  if (first.kind === 'allowed' || first.question === null) return first;
  const { question } = first;
  const url = settings.defer === 'elicit' ? (settings.approvalUrl?.(question.approvalId) ?? null) : null;
  let last: Asked = first;
  if (url !== null && waiting.show !== null) {
    const isShown = await waiting.show({ approvalId: question.approvalId, text: question.reason, url });
    if (isShown) last = await ask(subject, deciding, waiting, { actionId: question.action.id, waits: true });
  }
  if (last.kind === 'refused' && last.question !== null) deferred.keep(caller, subject, question.action.id);
  return last;
}

type Asked = Decided & { question: MandateDeferredError | null };

async function ask(
  subject: Subject,
  { caller, settings, deferred, hints, risk, idempotencyKey }: Deciding,
  waiting: Waiting,
  { actionId, waits }: { actionId: string | null; waits: boolean },
): Promise<Asked> {
  // The client may disconnect while the call is decided. The call may then continue in another request.
  const deciding = new AbortController();
  const onAbort = () => deciding.abort(waiting.signal.reason);
  waiting.signal.addEventListener('abort', onAbort, { once: true });
  if (waiting.signal.aborted) onAbort();
  let asked: string | null = null;
  const options = {
    signal: deciding.signal,
    ...(idempotencyKey !== null && { idempotencyKey }),
    ...(actionId !== null && { actionId }),
    ...(waits && {
      onDefer: 'wait' as const,
      deferTimeoutMs: settings.holdMs,
      onDeferred({ approvalId, action }: Pick<MandateDeferredError, 'approvalId' | 'action'>) {
        asked = action.id;
        waiting.waits(`The call waits for a person. The question is "${approvalId}".`);
      },
    }),
  };
  try {
    const running = await caller.agent.start({
      ...{ type: 'tool_call', ...subject, options },
      ...(hints !== null && { hints }),
      ...(risk !== null && { risk }),
    });
    return { kind: 'allowed', running, question: null };
  } catch (thrown) {
    const error = findMandateError(thrown);
    if (error === null) {
      // The client gave up. If it makes the call again, the question stays the same.
      if (asked !== null) deferred.keep(caller, subject, asked);
      throw thrown;
    }
    const question = error.code === 'APPROVAL_REQUIRED' ? (error as MandateDeferredError) : null;
    return { kind: 'refused', refusal: refusalOf(error), actionId: error.action.id, question };
  } finally {
    waiting.signal.removeEventListener('abort', onAbort);
  }
}
