/** Runs commands on a ledger, and returns the result of each in the form of the log. */
import { isMandateError, type ManualClock } from '@mandate/runtime';
import type { KillTarget, SettleRequest, StepRequest } from '@mandate/schemas';
import type {
  Adjustment,
  Approval,
  KillReceipt,
  Ledger,
  Operation,
  Command as Order,
  QuestionReference,
  Receipt,
  StepResult,
} from '../port.ts';
import { AGENTS, TENANTS } from './arbitrary-history.ts';
import { isOpenLimit, NO_BOUND, planOf } from './builders.ts';
import type { Command, History, OperationCommand } from './history-command.ts';

export type Played =
  | { did: 'step'; operation: Operation; result: StepResult }
  | { did: 'kill'; target: KillTarget; order: Order; receipt: KillReceipt; atMs: number }
  | {
      did: 'revive';
      id: string;
      target: KillTarget;
      revision: number;
      /** True if the command was already carried out earlier, so that it did nothing now. */
      known: boolean;
      cleared: boolean;
      atMs: number;
    }
  | { did: 'adjust'; adjustment: Adjustment; receipt: Receipt & { spent: number } }
  | { did: 'approve'; approval: Approval; receipt: Receipt & { expiresAtMs: number } }
  /** The ledger refused the command, so nothing changed. */
  | { did: 'nothing'; code: string };

export type Driver = {
  ledger: Ledger;
  clock: ManualClock;
  plans: History['plans'];
  /** The topic of the driver's log positions. */
  topic: string;
  sent: Operation[];
  latestMs: number;
  /** The maximum number of remembered deliveries of a tenant. */
  maxRemembered: number;
};

export function createDriver(
  ledger: Ledger,
  clock: ManualClock,
  plans: History['plans'],
  { topic = 'mandate.actions.v1', maxRemembered = NO_BOUND } = {},
): Driver {
  return { ledger, clock, plans, topic, sent: [], latestMs: clock(), maxRemembered };
}

const ORDER = { by: 'operator', reason: 'because' };

export async function play(driver: Driver, command: Command): Promise<Played[]> {
  const played = await carryOut(driver, command);
  driver.latestMs = Math.max(driver.latestMs, driver.clock());
  return played;
}

async function carryOut(driver: Driver, command: Command): Promise<Played[]> {
  const { ledger, clock, sent } = driver;
  const atMs = driver.latestMs;
  switch (command.do) {
    case 'step':
      return playBatch(
        ledger,
        command.operations.flatMap((operation) => operationOf(driver, operation)),
      );
    case 'confirm':
      await ledger.confirm(
        ledger.epoch,
        sent.filter((_, at) => (command.mask >> (at % 8)) & 1),
      );
      return [];
    case 'pass': {
      // A store may note the time only when it writes. So the driver makes the store write before the clock runs
      // back.
      const noted = command.ms < 0 ? await play(driver, noteTheTime) : [];
      clock.advance(command.ms);
      return noted;
    }
    case 'kill': {
      const order = { ...ORDER, id: command.id };
      const { controlRevision } = command;
      const receipt = await ledger.kill(command.target, { ...order, controlRevision });
      return [{ did: 'kill', target: command.target, order, receipt, atMs }];
    }
    case 'revive': {
      const { id, target, ahead } = command;
      const revision = Math.max(0, (await ledger.flag(target)).revision + ahead);
      const known = await ledger.revived(target, id);
      const cleared = await ledger.revive(target, revision, id);
      return [{ did: 'revive', id, target, revision, known, cleared, atMs }];
    }
    case 'adjust': {
      const { budget, delta } = command.adjustment;
      const id = [command.adjustment.id, ...Object.values(budget), delta].join('-');
      const adjustment = { ...ORDER, ...command.adjustment, id };
      return [{ did: 'adjust', adjustment, receipt: await ledger.adjust(adjustment) }];
    }
    case 'approve': {
      const { answer, expiresInMs } = command;
      const request = requestSent(driver, command.back);
      if (request === undefined) return [];
      const { tenant, agentId, actionId, digest } = request;
      const expiresAtMs = atMs + expiresInMs;
      // The id depends on the content, because a client repeats a command with the same content.
      const id = [command.id, answer, agentId, actionId, digest].join('-');
      const approval = { ...ORDER, id, tenant, agentId, actionId, digest, answer, expiresAtMs };
      const approved = await ledger.approve(approval).then(
        (receipt) => ({ did: 'approve' as const, approval, receipt }),
        (error: unknown) => ({ did: 'nothing' as const, code: codeOfRefusal(error) }),
      );
      if (!command.asks) return [approved];
      const again = operationOf(driver, { op: 'ask-again', back: command.back, later: 0 });
      return [approved, ...(await playBatch(ledger, again))];
    }
  }
}

function codeOfRefusal(error: unknown): string {
  if (isMandateError(error) && !error.retryable) return error.code;
  throw error;
}

export async function playBatch(ledger: Ledger, batch: readonly Operation[]): Promise<Played[]> {
  const results = await ledger.step(batch);
  return batch.flatMap((operation, at) => {
    const result = results[at];
    return result === undefined ? [] : [{ did: 'step' as const, operation, result }];
  });
}

/** Returns the log without some records, and the deliveries that are sent again because of the loss. */
export function loseSome(
  played: readonly Played[],
  isLost: Iterator<boolean>,
): { kept: Played[]; again: Operation[] } {
  const lost = new Map<string, boolean>();
  const again = new Map<string, Operation>();
  const kept = played.filter((each) => {
    if (each.did !== 'step') return true;
    const position = JSON.stringify(each.operation.source);
    if (!lost.has(position)) lost.set(position, isLost.next().value);
    if (lost.get(position) === true) again.set(position, each.operation);
    return lost.get(position) !== true;
  });
  return { kept, again: [...again.values()] };
}

const noteTheTime: Command = {
  do: 'step',
  operations: TENANTS.map((tenant) => ({
    op: 'report-unknown',
    tenant,
    outcome: { status: 'cancelled', actualMicros: null, verified: null, mayRelease: false },
  })),
};

function requestSent({ sent }: Driver, back: number): StepRequest | undefined {
  return sent.filter((operation) => operation.op === 'decide').at(-1 - back);
}

function operationOf(driver: Driver, command: OperationCommand): Operation[] {
  if (command.op === 'redeliver') return driver.sent.slice(-1 - command.back).slice(0, 1);
  const operation = newOperation(driver, command);
  if (operation === undefined) return [];
  driver.sent.push(operation);
  return [operation];
}

function newOperation(
  driver: Driver,
  command: Exclude<OperationCommand, { op: 'redeliver' }>,
): Operation | undefined {
  const { maxRemembered } = driver;
  const nowMs = driver.clock();
  const at = driver.sent.length;
  const source = { topic: driver.topic, partition: at % 3, offset: at };
  if (command.op === 'decide') {
    const { deadlineInMs, aheadMs, plan: number, ...request } = command;
    const deadlineAtMs = deadlineInMs === null ? null : nowMs + deadlineInMs;
    const plan = { ...planOf(), ...driver.plans[number % driver.plans.length] };
    const limits = plan.limits.map((limit) =>
      isOpenLimit(limit) ? { ...limit, agentId: request.agentId } : limit,
    );
    return {
      ...{ ...request, source, appendedAtMs: nowMs + aheadMs, deadlineAtMs, maxRemembered },
      ...(at % 3 === 0 ? { type: 'llm_call', tool: null } : { type: 'tool_call', tool: `tool-${at % 3}` }),
      plan: { ...plan, limits },
    };
  }
  if (command.op === 'report-unknown') {
    const { tenant, outcome } = command;
    const nothing = { tenant, agentId: 'nobody', actionId: 'nothing', attempt: 1 };
    return { op: 'settle', source, ...nothing, ...outcome, maxRemembered };
  }
  const request = requestSent(driver, command.back);
  if (request === undefined) return undefined;
  if (command.op === 'ask-again') {
    return {
      ...request,
      source,
      appendedAtMs: nowMs,
      attempt: request.attempt + command.later,
      deadlineAtMs: null,
    };
  }
  const { tenant, agentId, actionId, attempt } = request;
  const settle: SettleRequest = {
    op: 'settle',
    source,
    tenant,
    agentId,
    actionId,
    attempt,
    ...command.outcome,
    maxRemembered,
  };
  return settle;
}

/** Returns a reference to every sent request that may have asked a person. */
export function questionsOf({ sent }: Pick<Driver, 'sent'>): QuestionReference[] {
  return sent.filter((operation) => operation.op === 'decide');
}

/** Returns everything that callers can read from a ledger. Used to compare two ledgers. */
export async function viewOf(ledger: Ledger, questions: readonly QuestionReference[] = []) {
  const tenants = await ledger.tenants();
  return Promise.all(
    tenants.map(async (tenant) => ({
      tenant,
      balances: await ledger.balances(tenant),
      open: await ledger.open(tenant),
      unpublished: await ledger.unpublished(tenant),
      killed: await ledger.killed(tenant),
      waiting: await ledger.waiting(tenant),
      questions: await Promise.all(
        questions.filter((asked) => asked.tenant === tenant).map((asked) => ledger.question(asked)),
      ),
      statuses: await Promise.all(
        AGENTS.flatMap((agentId) => [
          ledger.killStatus(tenant, agentId),
          ledger.killStatus(tenant, agentId, { ancestors: ['cleo'] }),
          ledger.killStatus(tenant, agentId, { formerAncestors: [{ id: 'cleo', leftAt: 2 }] }),
        ]),
      ),
    })),
  );
}
