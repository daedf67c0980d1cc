/**
 * Remembers the decisions about calls that state a call id. Frameworks request a decision about one call more than
 * once: in a hook and before the tool, on a resume, in their own retries. The second request gets the first answer, and
 * no call runs twice.
 *
 * A memo is only a shortcut. If it has forgotten a call, the ledger still knows the action id of the call.
 */
import type { Action, Decision } from '@mandate/schemas';
import { actionOf } from './authorize.ts';
import type { CallKey } from './call-key.ts';
import { findMandateError, MandateBlockedError } from './errors.ts';
import { keepRecent } from './keep-recent.ts';
import type { Kill, RunningAction, RunningOutcome } from './types.ts';

/** An action that is allowed, with its decision and its whole arguments. */
export type Allowed = {
  action: Action;
  args: RunningAction['args'];
  decision: Decision;
  /**
   * The time by `performance.now()` before the decision was requested. The lease of the decision begins after this
   * time.
   */
  askedAtMs: number;
};

/** An allowed action that starts now. */
export type Taken = Allowed & {
  /** Reports the outcome of the call to the memo. Null if the call was aborted, because its outcome is then unknown. */
  ended(outcome: RunningOutcome | null): void;
};

type Entry = {
  agentId: string;
  /** The digest of the first request. A request with other content gets no answer from the memo. */
  content: string;
  answer: Promise<Allowed>;
  /** The answer is valid until this time. */
  untilMs: number;
  /** True once a caller wants to start the call. It is set before the answer is known, so the call starts once. */
  isClaimed: boolean;
};

/**
 * The maximum number of calls that are remembered, and the maximum number of results of calls. Results may be large.
 */
const MOST_CALLS = 10_000;
const MOST_RESULTS = 200;
/** The maximum number of calls with one call id that get different action ids. The ledger refuses further calls. */
const MOST_REPEATS = 99;

export class Memo {
  readonly #cancel: (decision: Decision) => Promise<void>;
  readonly #entries = new Map<string, Entry>();
  /** For each call id: the calls with this id, in the order of their action ids. The ledger has confirmed each. */
  readonly #repeats = new Map<string, string[]>();
  readonly #results = new Map<string, { content: string; result: Promise<unknown> }>();

  /** @param cancel gives back the reservation of an allowed call that never starts */
  constructor(cancel: (decision: Decision) => Promise<void>) {
    this.#cancel = cancel;
  }

  /**
   * Returns the first answer about the call, or decides the call now.
   *
   * @throws what `decide` throws
   */
  ask(agentId: string, callKey: CallKey, decide: () => Promise<Allowed>): Promise<Allowed> {
    return this.#entry(agentId, callKey, decide).answer;
  }

  /**
   * Like `ask`, and starts the call. A call starts once.
   *
   * @throws what `decide` throws; MandateBlockedError DUPLICATE_ACTION
   */
  async start(agentId: string, callKey: CallKey, decide: () => Promise<Allowed>): Promise<Taken> {
    const entry = this.#entry(agentId, callKey, decide);
    const isSecond = entry.isClaimed;
    entry.isClaimed = true;
    const allowed = await entry.answer;
    if (isSecond) throw startedBefore(allowed.decision);
    entry.untilMs = Number.POSITIVE_INFINITY;
    return {
      ...allowed,
      ended: (outcome) => {
        // After a failure or an abort, the ledger decides whether the call may be repeated.
        const isDone = outcome?.status === 'success' && outcome.verification?.ok !== false;
        if (!isDone) this.#forget(callKey.key, entry);
      },
    };
  }

  /**
   * Returns the action id of the call. Small models repeat their call ids. So the second call with the same call id
   * and other arguments gets the id with `:2`. This number is used only if the ledger has confirmed the call before.
   * Otherwise a call could get another number after a restart, and run again.
   */
  actionIdOf({ id, actionId, called }: CallKey): string {
    const calls = this.#repeats.get(id) ?? [];
    const known = calls.indexOf(called);
    const at = known < 0 ? calls.length : known;
    return at > 0 ? `${actionId}:${at + 1}` : actionId;
  }

  /** The ledger has confirmed that the action id belongs to this call. */
  confirm({ id, called }: CallKey): void {
    const calls = this.#repeats.get(id) ?? [];
    if (!calls.includes(called) && calls.length < MOST_REPEATS) calls.push(called);
    keepRecent(this.#repeats, id, calls, MOST_CALLS);
  }

  /** True if the call was decided and has not started. */
  isAsked({ key, content }: CallKey): boolean {
    const known = this.#entries.get(key);
    return known?.content === content && !known.isClaimed;
  }

  /** Returns the result of the same call, if it runs or has succeeded. Otherwise runs it. */
  once({ key, content }: CallKey, run: () => Promise<unknown>): Promise<unknown> {
    const known = this.#results.get(key);
    if (known !== undefined) return known.content === content ? known.result : run();
    const result = run();
    keepRecent(this.#results, key, { content, result }, MOST_RESULTS);
    result.catch(() => {
      if (this.#results.get(key)?.result === result) this.#results.delete(key);
    });
    return result;
  }

  /**
   * Cancels the allowed calls that have not started. The next request for such a call is decided under the kill. Never
   * rejects.
   */
  async killed(kill: Pick<Kill, 'agentId'>): Promise<void> {
    const cancelled: Promise<void>[] = [];
    for (const [key, entry] of this.#entries) {
      if (entry.isClaimed || (kill.agentId !== null && kill.agentId !== entry.agentId)) continue;
      this.#forget(key, entry);
      cancelled.push(entry.answer.then(({ decision }) => this.#cancel(decision)));
    }
    await Promise.allSettled(cancelled);
  }

  #entry(agentId: string, { key, content }: CallKey, decide: () => Promise<Allowed>): Entry {
    const found = this.#entries.get(key);
    const known = found !== undefined && performance.now() < found.untilMs ? found : null;
    if (known?.content === content) {
      keepRecent(this.#entries, key, known, MOST_CALLS);
      return known;
    }
    const entry: Entry = {
      agentId,
      content,
      answer: decide(),
      untilMs: Number.POSITIVE_INFINITY,
      isClaimed: false,
    };
    // The known entry is kept. The ledger refuses this request, because its action id belongs to the known call.
    if (known !== null) return entry;
    keepRecent(this.#entries, key, entry, MOST_CALLS);
    entry.answer.then(
      ({ decision, askedAtMs }) => {
        // If the call never starts, the end of its lease settles it.
        if (!entry.isClaimed) entry.untilMs = askedAtMs + (decision.reservation?.leaseMs ?? 0);
      },
      (error: unknown) => {
        const holdsMs = holdsForMs(error);
        entry.untilMs = performance.now() + holdsMs;
        if (holdsMs <= 0) this.#forget(key, entry);
      },
    );
    return entry;
  }

  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
  }
}

/**
 * Returns how long a refusal is the answer to the same call. A final decision never changes. A deferred call is always
 * decided again, because a person may have answered. A duplicate is also decided again, because its other attempt may
 * have ended.
 */
function holdsForMs(error: unknown): number {
  const refused = findMandateError(error);
  const decision = refused?.decision ?? null;
  if (refused?.name !== 'MandateBlockedError' || decision === null) return 0;
  if (decision.verdict !== 'BLOCK' || decision.code === 'DUPLICATE_ACTION') return 0;
  return decision.final ? Number.POSITIVE_INFINITY : (decision.retryAfterMs ?? 0);
}

function startedBefore(decision: Decision): MandateBlockedError {
  return new MandateBlockedError('DUPLICATE_ACTION', {
    reason: 'This call was already started.',
    remedy: 'Use its result. To do the same again, make a new call.',
    action: actionOf(decision),
    decision,
  });
}
