/** A decision point that decides in this process, by the same rules as a plane. Each mode supplies its state. */
import { type LocalDecider, localDecider } from '@mandate/engine';
import type { Ledger } from '@mandate/ledger';
import {
  type AskedTool,
  budgetsInForce,
  compileActionRedaction,
  leastRemaining,
  permittedTools,
} from '@mandate/policy';
import type { Clock } from '@mandate/runtime';
import {
  type ActionRequested,
  type ActionType,
  DEFAULTS,
  type Decision,
  type Fault,
  faultWithoutSize,
  type Outcome,
  readActionsText,
  type Settlement,
} from '@mandate/schemas';
import { nameFault } from '@mandate/schemas/core';
import { ledgerApprovals } from './approvals.ts';
import type { Audit } from './audit.ts';
import type { DecisionPoint, ReadAction } from './decision-point.ts';
import { killsOfSubtrees, type StateKills } from './kills-of-subtrees.ts';
import { lateFinders } from './late-finders.ts';
import { MandatesOfAgents, readMandate, readMandateFile } from './policy.ts';
import type { Cost, MandateDocument } from './types.ts';

/** A state that is ready for use. */
export type OpenState = {
  readonly ledger: Ledger;
  readonly clock: Clock;
  /** Counts the charge of a decision for its agent. */
  decided(decision: Decision): void;
  /** Counts the change of the charge by an outcome. `type` is the kind of the action. */
  settled(settlement: Settlement, type: ActionType): void;
};

/** The state of a mode, and how decisions use it. */
type Mode = {
  state: {
    readonly kills: StateKills;
    costOf(agentId: string): Cost | Promise<Cost>;
    callsOf(agentId: string): number | Promise<number>;
    close(): Promise<void>;
  };
  open(): OpenState | Promise<OpenState>;
  /** Runs one decision or settlement with the open state. */
  step<T>(work: (open: OpenState) => Promise<T>): Promise<T>;
};

/** The options that all modes have in common. */
export type EngineOptions = {
  /** A mandate as an object, or the path of a mandate file. If absent, no agent has a mandate yet. */
  mandate?: MandateDocument | string | undefined;
  /** The agent of a mandate that is given as an object. Default: every agent. */
  agentId?: string | undefined;
  /** Called after the mandate was read, because an audit locks its folder. If absent, nothing is recorded. */
  openAudit?: () => Audit;
  /** Whether the state is closed together with the decision point. Default: true. */
  closesState?: boolean;
};

/** @throws MandateError MANDATES_INVALID, FILE_UNREADABLE */
export function enginePoint(
  { mandate, agentId, openAudit, closesState = true }: EngineOptions,
  { state, open, step }: Mode,
): DecisionPoint {
  const mandates = mandatesOf(mandate, agentId);
  const audit = openAudit?.();
  const redact = compileActionRedaction();
  const finders = lateFinders();
  const deciders = new WeakMap<OpenState, LocalDecider>();
  const deciderOf = (opened: OpenState): LocalDecider => {
    const known = deciders.get(opened);
    if (known !== undefined) return known;
    const { ledger, clock } = opened;
    const decider = localDecider({ ledger, control: mandates, redact, clock, finders });
    deciders.set(opened, decider);
    return decider;
  };
  /** Returns work that may run again. With the same decider, it is the same delivery, which the ledger counts once. */
  const repeatable = <T>(
    deliver: (decider: LocalDecider) => () => Promise<T>,
    done: (opened: OpenState, made: T) => void,
  ) => {
    let delivery: { by: LocalDecider; again: () => Promise<T> } | null = null;
    return async (opened: OpenState): Promise<T> => {
      const by = deciderOf(opened);
      if (delivery?.by !== by) delivery = { by, again: deliver(by) };
      const made = await delivery.again();
      done(opened, made);
      return made;
    };
  };
  /**
   * The work for each outcome that could not be settled, because such an outcome may be reported again and must then
   * repeat the same work.
   */
  const settling = new WeakMap<Outcome, (opened: OpenState) => Promise<Settlement>>();
  return {
    nameFault,
    readAction,
    async decide(record) {
      const { action } = record;
      const work = repeatable(
        (decider) => decider.deliverRequest(record),
        (opened, made) => opened.decided(made),
      );
      const decision = await step((opened) => {
        const loading = finders.readyFor(action, () => {
          return mandates.mandateFor(DEFAULTS.tenant, action, opened.clock()).mandate;
        });
        return loading === null ? work(opened) : loading.then(() => work(opened));
      });
      audit?.record({ event: 'action.decided', decision });
      return decision;
    },
    async permits(caller, tools) {
      const { clock } = await open();
      return permittedTools(mandates, DEFAULTS.tenant, caller, tools as AskedTool[], clock());
    },
    async settle(outcome, type) {
      const work =
        settling.get(outcome) ??
        repeatable(
          (decider) => decider.deliverOutcome(outcome),
          (opened, made) => opened.settled(made, type),
        );
      try {
        const settlement = await step(work);
        audit?.record({ event: 'action.settled', settlement });
      } catch (error) {
        settling.set(outcome, work);
        throw error;
      }
    },
    kills: killsOfSubtrees(state.kills, mandates),
    approvals: ledgerApprovals(open),
    costOf: async (agent) => state.costOf(agent),
    callsOf: async (agent) => state.callsOf(agent),
    async remainingBudgetOf(agent) {
      const { ledger, clock } = await open();
      const budgets = budgetsInForce(mandates, DEFAULTS.tenant, agent, clock());
      return leastRemaining(budgets, await ledger.spent(DEFAULTS.tenant, budgets));
    },
    delegate(parent, agent, document) {
      const read = document === undefined ? null : readMandate(document, agent);
      mandates.delegate(parent, agent);
      if (read !== null) mandates.state(agent, read);
    },
    addMandate: (agent, document) => mandates.state(agent, readMandate(document, agent)),
    flush: async (options) => void (await audit?.flush(options)),
    ...(audit && { auditCounts: () => audit.counts() }),
    async close(options) {
      await audit?.close(options);
      if (closesState) await state.close();
    },
  };
}

function mandatesOf(mandate: EngineOptions['mandate'], agentId: string | undefined): MandatesOfAgents {
  if (mandate === undefined) return new MandatesOfAgents([]);
  if (typeof mandate === 'string') return new MandatesOfAgents(readMandateFile(mandate));
  return new MandatesOfAgents([readMandate(mandate, agentId ?? null)]);
}

/** Reads a record as strictly as the log of a plane does. */
function readAction(json: string, whole: string): ReadAction {
  const hidden = json === whole ? null : faultWithoutSize(whole);
  if (hidden !== null) return { ok: false, fault: faultOfCall(hidden) };
  const read = readActionsText(json);
  if (read.ok) return { ok: true, value: read.value as ActionRequested };
  return { ok: false, fault: faultOfCall(read.fault) };
}

/** Returns a fault of a record in words for the caller of a tool, who never publishes a record. */
function faultOfCall({ reason, remedy, pointer }: Pick<Fault, 'reason' | 'remedy' | 'pointer'>): {
  reason: string;
  remedy: string;
} {
  if (pointer === '/action/args')
    return { reason: 'the arguments are no object', remedy: 'call the tool with an object of arguments' };
  return {
    reason: reason.replaceAll(/(?<=^|; )\/action\//g, '').replace(/^the record /, 'the call '),
    remedy: remedy.replace(/, then publish the record again$/, '').replace(/^publish /, 'send '),
  };
}
