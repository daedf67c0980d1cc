/**
 * The reference model: a second implementation of the ledger's rules, as simple as possible, over a list of all
 * events. It shares no code with the stores. It is slow and only checks the stores.
 */
import { type Clock, MandateError } from '@mandate/runtime';
import { COUNTER_UNITS, type KillTarget, type SettleRequest, type StepRequest } from '@mandate/schemas';
import type {
  BudgetReference,
  Ledger,
  OpenAction,
  QuestionReference,
  StepResult,
  Unpublished,
} from '../../port.ts';
import { decide } from './decide.ts';
import { waiting } from './deferrals.ts';
import { latestOf, verdictOf } from './duplicates.ts';
import { flagOf, flagsInForce, isSame, killStatusOf } from './flags.ts';
import {
  type DecideEvent,
  eventsOf,
  type History,
  isRemembered,
  nextSequence,
  rememberedOf,
  tenantNames,
} from './history.ts';
import { grantOf } from './limits.ts';
import { settle } from './settle.ts';
import {
  balances,
  chargedBudgets,
  chargedUnitCounters,
  counts,
  isOwn,
  releasedBudget,
  spent,
  staysExact,
} from './spending.ts';

export function createModelLedger(options: {
  clock: Clock;
  epoch: string;
  replayMemoryMs: number;
  keptUnremembered?: number;
}): Ledger {
  const { clock, epoch, replayMemoryMs, keptUnremembered = 10_000 } = options;
  const history: History = { events: [], replayMemoryMs, keptUnremembered, nowMs: 0 };
  let closed = false;

  function look(): History {
    if (closed) throw failure('LEDGER_UNAVAILABLE', true);
    history.nowMs = Math.max(history.nowMs, clock());
    return history;
  }

  function again(operation: StepRequest | SettleRequest): StepResult | null {
    const { topic, partition, offset } = operation.source;
    const known = history.events.findLast(
      (event) =>
        (event.type === 'decide' || event.type === 'settle') &&
        event.request.source.topic === topic &&
        event.request.source.partition === partition &&
        event.request.source.offset === offset,
    );
    if (known === undefined || !isRemembered(history, known)) return null;
    if (known.type === 'decide' && operation.op === 'decide' && known.request.digest === operation.digest) {
      if (known.onLog) return { kind: 'published' };
      return { kind: 'decided', plan: known.request.plan, facts: known.facts, redelivered: true };
    }
    if (known.type === 'settle' && operation.op === 'settle') {
      return known.onLog ? { kind: 'published' } : { kind: 'settled', facts: known.facts, redelivered: true };
    }
    throw failure('LEDGER_CORRUPT', false);
  }

  function settled(request: SettleRequest): StepResult {
    return { kind: 'settled', facts: settle(history, epoch, request), redelivered: false };
  }

  /** @param subtree the id of an agent; only actions that are charged to the total of this agent are returned */
  function openOf(tenant: string, agentId?: string, subtree?: string): OpenAction[] {
    return eventsOf(history, 'decide')
      .filter(({ request }) => request.tenant === tenant && (agentId ?? request.agentId) === request.agentId)
      .filter(({ facts }) => facts.leaseExpiresAtMs !== null)
      .filter(({ request }) => subtree === undefined || isOfSubtree(request, subtree))
      .filter((event) => !event.onLog || mayRun(event))
      .map(({ request, facts }) => ({
        tenant,
        agentId: request.agentId,
        actionId: request.actionId,
        attempt: request.attempt,
        type: request.type,
        tool: request.tool,
        digest: request.digest,
        sequence: facts.sequence,
        reservedMicros: facts.chargedMicros,
        decidedAtMs: facts.atMs,
        leaseExpiresAtMs: facts.leaseExpiresAtMs ?? 0,
      }));
  }

  function mayRun(event: DecideEvent): boolean {
    const isSettled = eventsOf(history, 'settle').some((settled) => settled.of === event);
    return !isSettled && (event.facts.leaseExpiresAtMs ?? 0) > history.nowMs;
  }

  function wasRevived(target: KillTarget, commandId: string): boolean {
    return eventsOf(history, 'revive').some(
      (event) =>
        event.commandId === commandId && isSame(event.target, target) && isRemembered(history, event),
    );
  }

  return {
    system: 'memory',
    epoch,
    generation: 0,
    replayMemoryMs,
    step: async (batch) => {
      look();
      const replanned: StepRequest[] = [];
      return batch.map((operation): StepResult => {
        const waits = replanned.some(
          (earlier) => earlier.tenant === operation.tenant && earlier.agentId === operation.agentId,
        );
        if (waits) return { kind: 'replan', atMs: history.nowMs };
        const result =
          again(operation) ??
          (operation.op === 'decide' ? decide(history, epoch, operation) : settled(operation));
        if (result.kind === 'replan' && operation.op === 'decide') replanned.push(operation);
        return result;
      });
    },
    confirm: async (confirmed, published) => {
      look();
      if (confirmed !== epoch) throw failure('LEDGER_EPOCH_CHANGED', true);
      for (const { source } of published) {
        for (const event of history.events) {
          if (event.type !== 'decide' && event.type !== 'settle') continue;
          const { topic, partition, offset } = event.request.source;
          if (topic !== source.topic || partition !== source.partition || offset !== source.offset) continue;
          event.onLog = true;
        }
      }
    },
    kill: async (target, command) => {
      look();
      const known = eventsOf(history, 'kill').findLast(
        (event) => event.command.id === command.id && isSame(event.target, target),
      );
      if (known !== undefined && isRemembered(history, known)) {
        return { ...known.receipt, stands: flagOf(history, target).killed };
      }
      const tenants = target.scope === 'all' ? tenantNames(history) : [target.tenant];
      const agentId = target.scope === 'agent' ? target.agentId : undefined;
      const subtree = target.scope === 'subtree' ? target.agentId : undefined;
      const { killed, revision, heldSince } = flagOf(history, target);
      const read = subtree === undefined ? 0 : (command.controlRevision ?? 0);
      const receipt = {
        revision: revision + 1,
        heldSince: killed ? Math.min(heldSince, read) : read,
        sequences: Object.fromEntries(tenants.map((tenant) => [tenant, nextSequence(history, tenant)])),
        open: tenants.flatMap((tenant) => openOf(tenant, agentId, subtree)),
      };
      history.events.push({ type: 'kill', atMs: history.nowMs, target, command, receipt });
      return { ...receipt, stands: true };
    },
    revive: async (target, revision, commandId) => {
      const { nowMs: atMs } = look();
      if (!wasRevived(target, commandId)) {
        history.events.push({ type: 'revive', atMs, target, revision, commandId });
      }
      return !flagOf(history, target).killed;
    },
    revived: async (target, commandId) => {
      look();
      return wasRevived(target, commandId);
    },
    flag: async (target) => {
      const { killed, revision } = flagOf(history, target);
      return { killed, revision };
    },
    killStatus: async (tenant, agentId, ancestry = {}) => killStatusOf(history, tenant, agentId, ancestry),
    killed: async (tenant) => flagsInForce(history, tenant),
    adjust: async (adjustment) => {
      const { nowMs: atMs } = look();
      const { tenant, budget, id } = adjustment;
      const known = eventsOf(history, 'adjust').findLast(
        (event) => event.adjustment.id === id && event.adjustment.tenant === tenant,
      );
      if (known !== undefined && isRemembered(history, known)) return known.receipt;
      if (!staysExact(history, tenant, budget, adjustment.delta)) {
        throw failure('ADJUSTMENT_TOO_LARGE', false);
      }
      const receipt = { epoch, sequence: nextSequence(history, tenant), atMs, spent: 0 };
      history.events.push({ type: 'adjust', atMs, adjustment, receipt });
      // This sum must be computed after the event is in the history.
      receipt.spent = spent(history, tenant, budget);
      return receipt;
    },
    approve: async (approval) => {
      const { nowMs: atMs } = look();
      const known = eventsOf(history, 'approve').findLast(
        (event) => event.approval.id === approval.id && event.approval.tenant === approval.tenant,
      );
      if (known !== undefined && isRemembered(history, known)) return known.receipt;
      const asked = latestOf(history, approval);
      if (asked === undefined || asked.request.digest !== approval.digest) {
        throw failure('APPROVAL_NOT_FOUND', false);
      }
      const { verdict, final } = verdictOf(asked);
      if (verdict === 'ALLOW' || final) throw failure('APPROVAL_NOT_WAITING', false);
      const sequence = nextSequence(history, approval.tenant);
      const receipt = { epoch, sequence, atMs, expiresAtMs: approval.expiresAtMs };
      history.events.push({ type: 'approve', atMs, approval, receipt });
      return receipt;
    },
    question: async (asked) => {
      const latest = latestOf(look(), asked);
      if (latest === undefined || latest.request.digest !== asked.digest) return NO_QUESTION;
      const { verdict, final } = verdictOf(latest);
      if (verdict === 'ALLOW' || final) return NO_QUESTION;
      const state = grantOf(history, asked);
      if (state === 'none') return verdict === 'DEFER' ? { ...NO_QUESTION, state: 'waiting' } : NO_QUESTION;
      const answers = eventsOf(history, 'approve').filter(({ approval }) => isSameQuestion(approval, asked));
      const expiresAtMs = answers.at(-1)?.approval.expiresAtMs ?? null;
      return { state, expiresAtMs: state === 'denied' ? null : expiresAtMs };
    },
    waiting: async (tenant) => waiting(look(), { tenant }),
    balances: async (tenant) => balances(look(), tenant),
    spent: async (tenant, budgets) => budgets.map((budget) => spent(look(), tenant, budget)),
    open: async (tenant, agentId) => {
      look();
      return openOf(tenant, agentId);
    },
    unpublished: async (tenant) => unpublishedOf(look(), tenant),
    tenants: async () => tenantNames(look()),
    remembered: async (tenant) => rememberedOf(look(), tenant),
    usedShare: async () => null,
    ping: async () => void look(),
    close: async () => {
      closed = true;
    },
  };
}

const NO_QUESTION = { state: 'none', expiresAtMs: null } as const;

function isSameQuestion(one: QuestionReference, other: QuestionReference): boolean {
  return (
    one.tenant === other.tenant &&
    one.agentId === other.agentId &&
    one.actionId === other.actionId &&
    one.digest === other.digest
  );
}

function isOfSubtree(request: StepRequest, agentId: string): boolean {
  return chargedBudgets(request).some(
    ({ scope, subject, id, windowMs }) =>
      scope === 'agent' && subject === agentId && id === 'total' && windowMs === null,
  );
}

function unpublishedOf(history: History, tenant: string): Unpublished[] {
  return history.events.flatMap((event): Unpublished[] => {
    if ((event.type !== 'decide' && event.type !== 'settle') || event.onLog) return [];
    const allow = event.type === 'decide' ? event : event.of;
    if (event.request.tenant !== tenant || allow === null) return [];
    const { agentId, source } = event.request;
    const counting = (all: BudgetReference[]) => all.filter((one) => counts(history, one, allow.atMs));
    const ownOf = (all: BudgetReference[]) => all.filter((one) => isOwn(one, agentId));
    const budgets = counting(chargedBudgets(allow.request));
    const moved =
      event.type === 'decide'
        ? [
            { delta: event.facts.chargedMicros, budgets },
            ...COUNTER_UNITS.map((unit) => ({
              delta: event.facts.chargedUnits?.[unit] ?? 0,
              budgets: counting(chargedUnitCounters(event.request, unit)),
            })),
          ]
        : [
            { delta: event.facts.deltaMicros, budgets },
            { delta: event.facts.excessMicros, budgets: ownOf(budgets) },
            { delta: event.facts.releasedMicros, budgets: [releasedBudget(agentId)] },
            ...COUNTER_UNITS.flatMap((unit) => {
              const settled = event.facts.units?.[unit];
              const counters = counting(chargedUnitCounters(allow.request, unit));
              return [
                { delta: settled?.delta ?? 0, budgets: counters },
                { delta: settled?.excess ?? 0, budgets: ownOf(counters) },
                { delta: settled?.released ?? 0, budgets: [releasedBudget(agentId, unit)] },
              ];
            }),
          ];
    return moved.filter(({ delta }) => delta !== 0).map((each) => ({ tenant, agentId, source, ...each }));
  });
}

function failure(code: string, retryable: boolean): MandateError {
  return new MandateError(code, `The model says ${code}.`, { remedy: 'None: this is a model.', retryable });
}
