/** What the routes share: the clients that they were given, and all state of the gateway that outlives a request. */

import type { HttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import type { AgentRegister } from '@mandate/control';
import type { Ancestry, BudgetReference, KillBroadcast, Ledger } from '@mandate/ledger';
import type { PersonKeys } from '@mandate/privacy';
import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import type { Action, Decision, TenantLimitsInForce } from '@mandate/schemas';
import type { Metrics } from '@mandate/server';
import type { PendingReplies } from './answers/pending-replies.ts';
import type { ActionName } from './answers/recent-answers.ts';
import type { LastKills } from './commands/last-kills.ts';
import type { CommandJournal } from './journal/command-journal.ts';
import type { GatewayMeasures } from './measures.ts';
import type { UndecidedRecords } from './publish/undecided-records.ts';
import type { RefusedAgents } from './refusals/refused-agents.ts';

export type GatewayDependencies = {
  bus: Bus;
  /** Null if another process holds the ledger. Requests that need the ledger are then refused. */
  ledger: Ledger | null;
  /**
   * The subtrees that an agent is in by the register, and those that it left. A kill of any of them may stop the
   * agent.
   */
  standing(tenant: string, agentId: string): Required<Ancestry>;
  /** How many records of the control topic this process has read. */
  controlRevision(): number;
  /** The agents that are known before they act. */
  register: AgentRegister;
  /** The quotas of the tenant that are in force. */
  limits(tenant: string): TenantLimitsInForce;
  /** Whether the tenant is closed. Nothing is allowed in a closed tenant, so no request is published. */
  isClosed(tenant: string): boolean;
  /** Whether the budget counts for the tenant limits. */
  isOfBounds(tenant: string, budget: BudgetReference): boolean;
  /** Reports kills, including those of other processes. */
  kills: KillBroadcast;
  /** Redacts an action before it is published. Throws PERSON_ERASED. */
  redact(action: Action, tenant: string): Action;
  /** Redacts an operator's reason before it is stored or published. */
  redactText(text: string): string;
  /**
   * A digest of the values that redaction removed for good; null if nothing was removed. It distinguishes two
   * requests that differ only in removed values. Sealed values enter the digest in their sealed form. Otherwise the
   * digest could reveal them after their person is forgotten.
   */
  fingerprint(original: Action, redacted: Action, tenant: string): string | null;
  /** Returns the valid decision from the audit, or null if the audit has none. Null if there is no audit. */
  findDecision: ((tenant: string, action: ActionName) => Promise<Decision | null>) | null;
  /** The keys with which `redact` seals personal data, and with which it is read again. The gateway opens them. */
  personKeys: PersonKeys;
  /** Whether `redact` seals anything now. */
  sealsPersons(): boolean;
  /** Calls the listener when the answer of `sealsPersons` may have changed. */
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
  /** Records who reads sealed values or other people's actions, before the answer shows them. */
  reads: HttpReads;
  /** Call it before anything is redacted. Resolves once the keys are ready. Throws PERSON_KEYS_NOT_READY. */
  untilSealable(): Promise<void>;
};

/** Returns the ledger. Throws LEDGER_UNAVAILABLE if this process has none. */
export function ledgerOf({ ledger }: Pick<Gateway, 'ledger'>): Ledger {
  if (ledger !== null) return ledger;
  throw new MandateError('LEDGER_UNAVAILABLE', 'this gateway has no ledger of its own', {
    remedy: 'Ask the process that holds it (`mandate up`), or give this gateway a shared ledger.',
    retryable: true,
  });
}
