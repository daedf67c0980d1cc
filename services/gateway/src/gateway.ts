/** The parts that all routes share: clients, and all state that the gateway keeps longer than a request. */

import type { HttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import type { AgentRegister } from '@mandate/control';
import type { Ancestry, BudgetReference, KillBroadcast, Ledger } from '@mandate/ledger';
import type { AskedTool, ToolCaller } from '@mandate/policy';
import type { PersonKeys } from '@mandate/privacy';
import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import type { Action, BudgetLimit, Decision, QuotasInForce } from '@mandate/schemas';
import type { Metrics } from '@mandate/server';
import type { PendingReplies } from './answers/pending-replies.ts';
import type { ActionName } from './answers/recent-answers.ts';
import type { LastKills } from './commands/last-kills.ts';
import type { CommandJournal } from './journal/command-journal.ts';
import type { GatewayMeasures } from './measures.ts';
import type { UndecidedRecords } from './publish/undecided-records.ts';
import type { RefusedAgents } from './refusals/refused-agents.ts';

/** The lifetime usage of an agent, from the audit. `adjustedMicros` is the sum of the corrections by operators. */
export type AuditedUsage = { calls: number; llmMicros: number; toolMicros: number; adjustedMicros: number };

export type GatewayDependencies = {
  bus: Bus;
  /** The ledger. Null if another process holds the ledger; requests that need it are then refused. */
  ledger: Ledger | null;
  /**
   * Returns the subtrees that contain the agent, by the register, now or earlier. A kill of any of these subtrees may
   * stop the agent.
   */
  ancestryOf(tenant: string, agentId: string): Required<Ancestry>;
  /** Returns how many records of the control topic this process has read. */
  controlRevision(): number;
  /** The register of agents. It knows agents before their first action. */
  register: AgentRegister;
  /** The quotas of the tenant that are in force. */
  quotas(tenant: string): QuotasInForce;
  /** True if the tenant is closed. Nothing is allowed in a closed tenant, so no request is published. */
  isClosed(tenant: string): boolean;
  /** True if people of the tenant may not answer for actions that they asked for. */
  forbidsOwnApproval(tenant: string): boolean;
  /** True if the budget is part of the tenant limits. */
  isOfTenantLimits(tenant: string, budget: BudgetReference): boolean;
  /** Reports the kills of this process and of other processes. */
  kills: KillBroadcast;
  /** Redacts an action before it is published. Throws PERSON_ERASED. */
  redact(action: Action, tenant: string): Action;
  /** Redacts an operator's reason before it is stored or published. */
  redactText(text: string): string;
  /**
   * Returns a digest of the values that redaction removed for good; null if it removed none. If two requests differ
   * only in removed values, their digests differ. Sealed values go into the digest in their sealed form, because
   * otherwise the digest could reveal them after their person is forgotten.
   */
  fingerprint(original: Action, redacted: Action, tenant: string): string | null;
  /**
   * Returns the valid decision from the audit, or null if the audit has none. The function itself is null if there is
   * no audit.
   */
  findDecision: ((tenant: string, action: ActionName) => Promise<Decision | null>) | null;
  /**
   * Returns the lifetime usage of an agent. Null if the audit does not answer in time. The function itself is absent if
   * there is no audit.
   */
  findUsage?:
    | ((tenant: string, agentId: string, gone: AbortSignal) => Promise<AuditedUsage | null>)
    | undefined;
  /** Returns the budgets with a limit that hold for a tool call of the agent. */
  budgetsOf(tenant: string, agentId: string): readonly BudgetLimit[];
  /**
   * For each tool: false if the policies refuse every call of it. Null: this process does not have the mandate of the
   * agent.
   */
  permits(tenant: string, caller: ToolCaller, tools: readonly AskedTool[]): (boolean | null)[];
  /**
   * The keys that `redact` uses to seal personal data, and that are used to read the data again. The gateway opens
   * them.
   */
  personKeys: PersonKeys;
  /** True if `redact` seals anything now. */
  sealsPersons(): boolean;
  /** Calls the listener when the result of `sealsPersons` may have changed. */
  onPrivacyEdit(listener: () => void): void;
  log: Logger;
  metrics: Metrics;
  clock: Clock;
};

export type Gateway = GatewayDependencies & {
  replies: PendingReplies;
  journal: CommandJournal;
  measures: GatewayMeasures;
  refused: RefusedAgents;
  lastKills: LastKills;
  undecided: UndecidedRecords;
  /** Records who reads sealed values or the actions of others. The record is on the log before the answer is sent. */
  reads: HttpReads;
  /** Resolves once the keys are ready. Call this before anything is redacted. Throws PERSON_KEYS_NOT_READY. */
  untilSealable(): Promise<void>;
};

/** Returns the ledger. Throws LEDGER_UNAVAILABLE if this process has no ledger. */
export function ledgerOf({ ledger }: Pick<Gateway, 'ledger'>): Ledger {
  if (ledger !== null) return ledger;
  throw new MandateError('LEDGER_UNAVAILABLE', 'this gateway has no ledger of its own', {
    remedy: 'Ask the process that holds it (`mandate up`), or give this gateway a shared ledger.',
    retryable: true,
  });
}
