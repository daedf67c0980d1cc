/**
 * The newest decisions and settlements, for two kinds of callers. For the first kind, the answer came before the
 * acknowledgement of the request. The second kind asks for a decision that may not be in the audit yet. The store is
 * limited by count and by bytes on the log. The oldest answers are removed first.
 */
import {
  type ActionSettled,
  type Decision,
  type DecisionHead,
  type LogPosition,
  readDecisionsRecord,
  standsForAction,
} from '@mandate/schemas';

/**
 * A decision with the fields that a gateway needs. `value` has the bytes of its record on the log, which callers get.
 */
export type Decided = { event: 'action.decided'; decision: DecisionHead; value: Uint8Array };

/** A record of the decisions topic that answers a record of an actions topic. */
export type Answer = Decided | ActionSettled;

export type ActionName = { actionId: string; agentId?: string | undefined; attempt?: number | undefined };

type Kept = { answer: Answer; bytes: number };

export function sourceKey({ topic, partition, offset }: LogPosition): string {
  return `${topic}/${partition}/${offset}`;
}

export function sourceOf(answer: Answer): LogPosition {
  return answer.event === 'action.decided' ? answer.decision.source : answer.settlement.source;
}

/** Returns the whole decision, parsed, for code that must change a part of it. */
export function wholeOf({ value }: Decided): Decision {
  const record = readDecisionsRecord(value);
  if (record.event !== 'action.decided') throw new TypeError(`a decision was expected, not ${record.event}`);
  return record.decision;
}

export class RecentAnswers {
  readonly #maxCount: number;
  readonly #maxBytes: number;
  readonly #bySource = new Map<string, Kept>();
  readonly #byAction = new Map<string, Decided[]>();
  #bytes = 0;

  constructor(bounds: { count: number; bytes: number }) {
    this.#maxCount = bounds.count;
    this.#maxBytes = bounds.bytes;
  }

  /** Adds an answer. An answer to the same record is ignored; a decider can write it twice after a crash. */
  add(answer: Answer, bytes: number): void {
    const key = sourceKey(sourceOf(answer));
    if (this.#bySource.has(key)) return;
    this.#bySource.set(key, { answer, bytes });
    this.#bytes += bytes;
    if (answer.event === 'action.decided') this.#index(answer);
    for (const [oldest, kept] of this.#bySource) {
      if (this.#bySource.size <= this.#maxCount && this.#bytes <= this.#maxBytes) break;
      this.#bySource.delete(oldest);
      this.#bytes -= kept.bytes;
      if (kept.answer.event === 'action.decided') this.#unindex(kept.answer);
    }
  }

  of(source: LogPosition): Answer | null {
    return this.#bySource.get(sourceKey(source))?.answer ?? null;
  }

  /**
   * Returns the valid decision about an action, if it is among the newest records. If no attempt is given, the newest
   * attempt counts. Decisions of agents for which `visible` returns false are left out.
   */
  standing(tenant: string, action: ActionName, visible: (agentId: string) => boolean): Decided | null {
    const decisions = (this.#byAction.get(actionKey(tenant, action.actionId)) ?? []).filter(
      ({ decision: { agentId, attempt } }) =>
        visible(agentId) &&
        (action.agentId === undefined || action.agentId === agentId) &&
        (action.attempt === undefined || action.attempt === attempt),
    );
    return decisions.reduce<Decided | null>((best, next) => (stands(next, best) ? next : best), null);
  }

  #index(decided: Decided): void {
    const key = actionKey(decided.decision.tenant, decided.decision.actionId);
    const known = this.#byAction.get(key);
    if (known === undefined) this.#byAction.set(key, [decided]);
    else known.push(decided);
  }

  #unindex(decided: Decided): void {
    const key = actionKey(decided.decision.tenant, decided.decision.actionId);
    const left = (this.#byAction.get(key) ?? []).filter((other) => other !== decided);
    if (left.length === 0) this.#byAction.delete(key);
    else this.#byAction.set(key, left);
  }
}

/**
 * True if `next` replaces `standing`, which is earlier on the log, as the valid decision. A duplicate never replaces
 * a first decision. A decision after a person's answer replaces the DEFER.
 */
function stands({ decision: next }: Decided, standing: Decided | null): boolean {
  if (standing === null) return true;
  const best = standing.decision;
  if (!standsForAction(next.kind)) return false;
  return !standsForAction(best.kind) || next.attempt > best.attempt || best.verdict === 'DEFER';
}

function actionKey(tenant: string, actionId: string): string {
  return `${tenant}/${actionId}`;
}
