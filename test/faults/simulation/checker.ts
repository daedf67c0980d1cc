/**
 * Checks what must be true of every history. The checker computes everything from the log, without Mandate's own
 * readers. Some checks run during the history (every committed request has an answer), and the others at its end.
 */
import type { LogRecord } from '@mandate/bus';
import type { Balance, KillReceipt, OpenAction, Operation, StepResult } from '@mandate/ledger';
import {
  type ActionReference,
  type ActionsRecord,
  type Decision,
  type DecisionsRecord,
  type KillTarget,
  readActionsRecord,
  type Settlement,
  standsForAction,
  TOPICS,
} from '@mandate/schemas';

/** The number of deferred actions of an agent that may wait for a person. No person answers in the simulation. */
export const MAX_WAITING = 2;

type TopicPartition = { topic: string; partition: number };
type Standing = { decision: Decision } | { settlement: Settlement };
/** A charge of a counter. `positionName` names the log position of the request or outcome that made the charge. */
type Charge = { positionName: string; sequence: number; atMs: number; micros: number };

/** An operator's order and its result. The times of an order are counted in steps of the scheduler. */
export type Order = {
  do: 'kill' | 'revive';
  id: string;
  target: KillTarget;
  /**
   * The time of the order. A repetition has the time of the first order with its id, because its answer is about the
   * first order.
   */
  startedAt: number;
  /** The time of the answer. Infinite while the answer is awaited. If no answer comes, a number after all steps. */
  endedAt: number;
  acknowledged: Pick<KillReceipt, 'sequences' | 'open'> | null;
};

/** The contents of log and ledger for a tenant, when all work is done. */
export type AtRest = {
  tenant: string;
  balances: readonly Balance[];
  folded: readonly Balance[];
  open: readonly OpenAction[];
  openFolded: readonly OpenAction[];
};

export class Checker {
  /** The faults found so far. The first fault explains most. */
  readonly faults: string[] = [];
  /** The number of decisions and settlements that an overtaken epoch made. */
  void = 0;
  /** The number of valid records that are on the log more than once. */
  repeated = 0;
  /**
   * The number of outcomes that the log has before their decisions. `decidedAgain` is the number of these decisions
   * that a later epoch made.
   */
  early = 0;
  decidedAgain = 0;
  /** The number of decisions in tenants that opened while everything was killed. */
  openedKilled = 0;
  /** The number of decisions and settlements that the ledger could not remember, because its memory was full. */
  unremembered = 0;
  readonly standing: Standing[] = [];
  readonly #epochs = new Map<number, { id: string; generation: number }>();
  /** The bytes of the valid answer, by the log position of the request or outcome that it answers. */
  readonly #answers = new Map<string, Buffer>();
  readonly #letters = new Set<string>();
  /**
   * `#first` has the attempts with a valid decision. `#early` has the epochs of outcomes that came before their
   * decisions.
   */
  readonly #first = new Set<string>();
  readonly #early = new Map<string, string>();
  readonly #requests: LogRecord[] = [];
  /** The step at which each operation of the ledger took effect, by epoch, tenant and sequence. */
  readonly #stepped = new Map<string, number>();
  /** For each outcome that a ledger settled: the sequence, by epoch and by the outcome's log position. */
  readonly #settledAs = new Map<string, number>();
  /** The step at which each answer reached the log, by the log position of the request or outcome that it answers. */
  readonly #publishedAt = new Map<string, number>();
  readonly #now: () => number;

  /** @param now returns the current step of the scheduler */
  constructor(now: () => number) {
    this.#now = now;
  }

  onAppend(record: LogRecord): void {
    const { topic } = record.position;
    if (topic === TOPICS.actions) this.#requests.push(record);
    if (topic === TOPICS.deadLetters) this.#letters.add(positionNameOf(parsed(record).deadLetter.source));
    if (topic === TOPICS.decisions) this.#takeIn(record, parsed(record));
  }

  onCommit({ topic, partition }: TopicPartition, from: number, to: number): void {
    for (let offset = from; offset < to; offset += 1) {
      const positionName = positionNameOf({ topic, partition, offset });
      if (!this.#isAnswered(positionName))
        this.#fault(`${positionName} is committed, and no answer stands on the log`);
    }
  }

  onStep(batch: readonly Operation[], results: readonly StepResult[], step: number): void {
    batch.forEach(({ tenant, source }, at) => {
      const result = results[at];
      if ((result?.kind !== 'decided' && result?.kind !== 'settled') || result.redelivered) return;
      const { epoch, sequence } = result.facts;
      if (result.kind === 'decided') this.#stepped.set(`${epoch} ${tenant} ${sequence}`, step);
      // An outcome that came before its request changed no counter, so it is not recorded.
      else if (result.facts.kind === 'settled')
        this.#settledAs.set(`${epoch} ${positionNameOf(source)}`, sequence);
    });
  }

  atRest(orders: readonly Order[], tenants: readonly AtRest[], maxRemembered: number): void {
    this.#everyRequestIsAnswered();
    this.#oneFirstDecision();
    this.#sequencesAreUnique();
    for (const { tenant, balances, folded, open, openFolded } of tenants) {
      this.#limitsHeld(tenant);
      this.#roomHeld(tenant, maxRemembered);
      const onLog = this.#spentOnLog(tenant);
      for (const [name, ledgerMicros] of lifetimeOf(balances)) {
        const micros = onLog.get(name) ?? 0;
        if (micros !== ledgerMicros)
          this.#fault(`${name}: ${micros} on the log, ${ledgerMicros} in the ledger`);
        onLog.delete(name);
      }
      for (const [name, micros] of onLog)
        if (micros !== 0) this.#fault(`${name}: ${micros} on the log, nothing in the ledger`);
      this.#same(`counters of ${tenant}, in the ledger and folded`, balances, folded);
      this.#same(`open actions of ${tenant}, in the ledger and folded`, open, openFolded);
    }
    for (const order of orders)
      if (order.do === 'kill' && order.acknowledged !== null) this.#killHeld(order, orders);
  }

  #takeIn({ position, value }: LogRecord, record: DecisionsRecord): void {
    const inForce = this.#epochs.get(position.partition);
    if (record.event === 'ledger.epoch') {
      const { id, generation = 0 } = record.epoch;
      if (inForce === undefined || generation > inForce.generation)
        this.#epochs.set(position.partition, { id, generation });
    }
    if (record.event !== 'action.decided' && record.event !== 'action.settled') return;
    const { source, ledgerEpoch } = record.event === 'action.decided' ? record.decision : record.settlement;
    if (inForce !== undefined && inForce.id !== ledgerEpoch) {
      this.void += 1;
      return;
    }
    const positionName = positionNameOf(source);
    const known = this.#answers.get(positionName);
    const bytes = Buffer.from(value);
    if (known !== undefined) {
      this.repeated += 1;
      if (!known.equals(bytes)) this.#fault(`two answers stand for ${positionName}: ${known} and ${bytes}`);
      return;
    }
    this.#answers.set(positionName, bytes);
    this.#lookWhetherEarly(record);
    this.#publishedAt.set(positionName, this.#now());
    this.standing.push(
      record.event === 'action.decided' ? { decision: record.decision } : { settlement: record.settlement },
    );
  }

  #lookWhetherEarly(record: DecisionsRecord): void {
    if (record.event === 'action.settled' && record.settlement.kind === 'settled') {
      const name = attemptOf(record.settlement);
      if (this.#first.has(name)) return;
      this.early += 1;
      this.#early.set(name, record.settlement.ledgerEpoch);
    }
    if (record.event === 'action.decided' && standsForAction(record.decision.kind)) {
      const name = attemptOf(record.decision);
      this.#first.add(name);
      if ((this.#early.get(name) ?? record.decision.ledgerEpoch) !== record.decision.ledgerEpoch)
        this.decidedAgain += 1;
    }
  }

  #everyRequestIsAnswered(): void {
    const answers = new Map(this.standing.map((each) => [positionNameOf(answerOf(each).source), each]));
    for (const { position, value } of this.#requests) {
      const positionName = positionNameOf(position);
      const read = readActionsRecord(value);
      const answer = answers.get(positionName);
      if (!read.ok && !this.#letters.has(positionName))
        this.#fault(`${positionName} cannot be read, and is no dead letter`);
      if (read.ok && this.#letters.has(positionName))
        this.#fault(`${positionName} can be read, and is a dead letter`);
      if (read.ok && answer === undefined) this.#fault(`${positionName} has no answer that stands`);
      if (read.ok && answer !== undefined && !isAnswerTo(read.value, answer))
        this.#fault(`${positionName} is answered by another's answer: ${JSON.stringify(answer)}`);
    }
  }

  /** Checks that each attempt has one first decision, and that each duplicate refers to a first decision. */
  #oneFirstDecision(): void {
    const firsts = new Map<string, Decision>();
    const byAttempt = Map.groupBy(this.#decisions(), attemptOf);
    for (const [name, decisions] of byAttempt) {
      const [first, other] = decisions.filter(({ kind }) => standsForAction(kind));
      if (first !== undefined) firsts.set(name, first);
      if (other !== undefined) this.#fault(`two first decisions on attempt ${name}`);
    }
    for (const repeat of this.#decisions()) {
      if (repeat.kind !== 'duplicate') continue;
      const named = namedBy(repeat);
      const first = firsts.get(named);
      const isAsSaid =
        first !== undefined && first.ledgerSequence < repeat.ledgerSequence
          ? isRepeatOf(first, repeat)
          : byAttempt.get(named)?.some((decision) => isMadeAnew(decision, repeat));
      if (!isAsSaid)
        this.#fault(`${positionNameOf(repeat.source)} is no repeat of ${named}: ${repeat.reason}`);
    }
  }

  #sequencesAreUnique(): void {
    const taken = new Set<string>();
    for (const each of this.standing) {
      const { tenant, ledgerSequence, source } = answerOf(each);
      const name = `${tenant} ${ledgerSequence}`;
      if (taken.has(name)) this.#fault(`sequence ${name} is given twice, once to ${positionNameOf(source)}`);
      taken.add(name);
    }
  }

  /** Adds up the log: returns what was spent of each counter without a window. */
  #spentOnLog(tenant: string): Map<string, number> {
    const spent = new Map<string, number>();
    for (const [name, charges] of this.#charges(tenant)) {
      if (name.endsWith('null]'))
        spent.set(
          name,
          charges.reduce((sum, { micros }) => sum + micros, 0),
        );
    }
    return spent;
  }

  /**
   * Returns all charges of each counter. A settlement counts at the time of its decision. A settlement by an earlier
   * ledger counts just after the decision.
   */
  #charges(tenant: string): Map<string, Charge[]> {
    const charges = new Map<string, Charge[]>();
    const allowed = new Map<string, Decision>();
    for (const decision of this.#decisions())
      if (decision.reservation !== null) allowed.set(attemptOf(decision), decision);
    for (const each of this.#inOrder(tenant)) {
      const decision = 'decision' in each ? each.decision : allowed.get(attemptOf(each.settlement));
      if (decision?.reservation == null) continue;
      if ('settlement' in each && each.settlement.kind !== 'settled') continue;
      const micros = 'decision' in each ? decision.reservation.micros : each.settlement.deltaMicros;
      const sequence =
        'decision' in each
          ? decision.ledgerSequence
          : Math.max(each.settlement.ledgerSequence, decision.ledgerSequence + 0.5);
      for (const budget of decision.reservation.budgets) {
        const name = counterOf(budget);
        const positionName = positionNameOf(answerOf(each).source);
        const charge = { positionName, sequence, atMs: Date.parse(decision.decidedAt), micros };
        charges.set(name, [...(charges.get(name) ?? []), charge]);
      }
    }
    return charges;
  }

  /**
   * Checks that at its sequence, an ALLOW exceeds no budget, and no rate in any window. An outcome counts if the same
   * ledger settled it before the ALLOW. It counts even if it is settled again later, which happens if the ledger is
   * lost when only one of two partitions has its record.
   */
  #limitsHeld(tenant: string): void {
    const charges = this.#charges(tenant);
    const calls = new Map<string, number[]>();
    const waiting = new Map<string, number>();
    for (const each of this.#inOrder(tenant)) {
      if (!('decision' in each)) continue;
      const { reservation, deferral, decidedAt, ledgerEpoch, ledgerSequence, actionId } = each.decision;
      const atMs = Date.parse(decidedAt);
      if (deferral !== undefined) {
        const many = (waiting.get(each.decision.agentId) ?? 0) + 1;
        waiting.set(each.decision.agentId, many);
        if (many > MAX_WAITING) this.#fault(`${actionId} is question ${many} of ${MAX_WAITING}`);
      }
      for (const { agentId, tool, windowMs, maxCalls } of (reservation ?? deferral)?.rates ?? []) {
        const name = JSON.stringify([agentId, tool, windowMs]);
        const times = [...(calls.get(name) ?? []), atMs].filter((time) => time > atMs - windowMs);
        calls.set(name, times);
        if (times.length > maxCalls)
          this.#fault(`${actionId} is call ${times.length} of ${maxCalls} in ${name}`);
      }
      if (reservation === null) continue;
      const isBefore = ({ positionName, sequence }: Charge) =>
        sequence <= ledgerSequence ||
        (this.#settledAs.get(`${ledgerEpoch} ${positionName}`) ?? Infinity) < ledgerSequence;
      for (const budget of reservation.budgets) {
        if (budget.maxMicros === null) continue;
        const fromMs = budget.windowMs === null ? Number.NEGATIVE_INFINITY : atMs - budget.windowMs;
        const spent = (charges.get(counterOf(budget)) ?? [])
          .filter((charge) => isBefore(charge) && charge.atMs > fromMs)
          .reduce((sum, { micros }) => sum + micros, 0);
        if (reservation.micros > 0 && spent > budget.maxMicros)
          this.#fault(`${actionId} is allowed with ${spent} of ${budget.maxMicros} in ${counterOf(budget)}`);
      }
    }
  }

  /**
   * Checks that the ledger remembers a decision, or an outcome that settles nothing, only while its memory has room.
   * The history is too short for the ledger to forget anything.
   */
  #roomHeld(tenant: string, maxRemembered: number): void {
    let remembered = 0;
    for (const each of this.#inOrder(tenant)) {
      const { kind, source } = answerOf(each);
      if (kind === 'unremembered') {
        this.unremembered += 1;
        continue;
      }
      if (kind !== 'settled' && remembered >= maxRemembered)
        this.#fault(
          `${positionNameOf(source)} is remembered as number ${remembered + 1} of ${maxRemembered}`,
        );
      remembered += 1;
    }
  }

  /**
   * Checks that nothing is allowed between a kill and a revive, and that the answer to the kill named each ALLOW that
   * reached the log later. If a kill of everything does not name a tenant, the tenant had no decisions then, so all
   * its decisions are after the kill.
   */
  #killHeld(kill: Order, orders: readonly Order[]): void {
    const { target, acknowledged } = kill;
    if (acknowledged === null) return;
    const revives = orders.filter(
      (order) => order.do === 'revive' && isSame(order.target, target) && order.endedAt > kill.startedAt,
    );
    for (const decision of this.#decisions()) {
      if (!concerns(target, decision)) continue;
      const { ledgerEpoch, tenant, ledgerSequence, source } = decision;
      const sequence = acknowledged.sequences[tenant] ?? 0;
      const steppedAt = this.#stepped.get(`${ledgerEpoch} ${tenant} ${ledgerSequence}`) ?? 0;
      const mayRun = revives.some(({ startedAt }) => startedAt < steppedAt);
      if (sequence === 0 && !mayRun) this.openedKilled += 1;
      if (decision.verdict !== 'ALLOW') continue;
      if (ledgerSequence > sequence && !mayRun)
        this.#fault(
          `${decision.actionId} is allowed as ${ledgerSequence}, behind ${kill.do} ${sequence} of ${JSON.stringify(target)}`,
        );
      const isLate =
        (this.#publishedAt.get(positionNameOf(source)) ?? 0) > kill.endedAt && steppedAt < kill.startedAt;
      const isNamed = acknowledged.open.some((open) => attemptOf(open) === attemptOf(decision));
      if (isLate && !isNamed)
        this.#fault(`${decision.actionId} reached the log behind a kill that did not name it`);
    }
  }

  #decisions(): Decision[] {
    return this.standing.flatMap((each) => ('decision' in each ? [each.decision] : []));
  }

  #inOrder(tenant: string): Standing[] {
    return this.standing
      .filter((each) => answerOf(each).tenant === tenant)
      .sort((a, b) => answerOf(a).ledgerSequence - answerOf(b).ledgerSequence);
  }

  #isAnswered(positionName: string): boolean {
    return this.#answers.has(positionName) || this.#letters.has(positionName);
  }

  #same(what: string, one: unknown, other: unknown): void {
    const [left, right] = [JSON.stringify(one), JSON.stringify(other)];
    if (left !== right) this.#fault(`${what} differ: ${left} and ${right}`);
  }

  #fault(what: string): void {
    this.faults.push(what);
  }
}

function parsed({ value }: LogRecord) {
  return JSON.parse(Buffer.from(value).toString());
}

function positionNameOf({ topic, partition, offset }: TopicPartition & { offset: number | string }): string {
  return `${topic}/${partition}/${offset}`;
}

function attemptOf({ tenant, agentId, actionId, attempt }: ActionReference): string {
  return `${tenant}/${agentId} ${actionId} ${attempt}`;
}

function namedBy({ tenant, agentId, duplicateOf }: Decision): string {
  return duplicateOf === null ? '' : attemptOf({ ...duplicateOf, tenant, agentId });
}

/**
 * True if the duplicate refers to this decision, and says correctly if the payload is the same. In one case the
 * action is the same, and the attempt is not a permitted retry of a refusal. In the other case, another action has
 * the same idempotency key.
 */
function isRepeatOf(first: Decision, repeat: Decision): boolean {
  const { duplicateOf, digest, actionId, attempt, action } = repeat;
  const mayBeRetried = first.verdict === 'BLOCK' && !first.final;
  return (
    first.id === duplicateOf?.decisionId &&
    duplicateOf.samePayload === (first.digest === digest) &&
    (first.actionId === actionId
      ? attempt <= first.attempt || !mayBeRetried
      : action.idempotencyKey !== undefined && action.idempotencyKey === first.action.idempotencyKey)
  );
}

/**
 * True for the one exception that is allowed: a ledger was lost before the log had the decision that the duplicate
 * names. The request is then decided again, after the duplicate. The new decision may itself be a duplicate of a
 * later request, and so on. The last request of such a chain must have a first decision.
 */
function isMadeAnew(decision: Decision, repeat: Decision): boolean {
  return decision.ledgerSequence > repeat.ledgerSequence && decision.ledgerEpoch !== repeat.ledgerEpoch;
}

function answerOf(each: Standing): Decision | Settlement {
  return 'decision' in each ? each.decision : each.settlement;
}

/**
 * True if the answer to a request is a decision about its attempt, or the answer to an outcome is a settlement of its
 * attempt.
 */
function isAnswerTo(record: ActionsRecord, answer: Standing): boolean {
  const { tenant = 'default', agentId, attempt = 1 } = 'action' in record ? record.action : record.outcome;
  const actionId = 'action' in record ? record.action.id : record.outcome.actionId;
  return (
    'action' in record === 'decision' in answer &&
    attemptOf({ tenant, agentId, actionId, attempt }) === attemptOf(answerOf(answer))
  );
}

function counterOf({ scope, subject, id, windowMs }: Balance['budget']): string {
  return JSON.stringify([scope, subject, id, windowMs]);
}

function lifetimeOf(balances: readonly Balance[]): [name: string, micros: number][] {
  return balances.flatMap(({ budget, spent }): [string, number][] =>
    budget.windowMs === null && budget.unit === undefined ? [[counterOf(budget), spent]] : [],
  );
}

function isSame(one: KillTarget, other: KillTarget): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function concerns(target: KillTarget, { tenant, agentId }: Decision): boolean {
  if (target.scope === 'all') return true;
  return target.tenant === tenant && (target.scope === 'tenant' || target.agentId === agentId);
}
