/** What the routes share: the clients they were given, and what of the gateway lives longer than a request. */

import type { HttpReads } from '@mandate/access-log';
import type { Bus } from '@mandate/bus';
import type { AgentRegister } from '@mandate/control';
import type { BudgetReference, KillBroadcast, Ledger, Standing } from '@mandate/ledger';
import type { PersonKeys } from '@mandate/privacy';
import { type Clock, type Logger, MandateError } from '@mandate/runtime';
import type { Action, Decision, TenantLimitsInForce } from '@mandate/schemas';
import type { Metrics } from '@mandate/server';
import type { AnswerBoard } from './answers/answer-board.ts';
import type { ActionName } from './answers/recent-answers.ts';
import type { LastKills } from './commands/last-kills.ts';
import type { CommandJournal } from './journal/command-journal.ts';
import type { GatewayMeasures } from './measures.ts';
import type { UndecidedRecords } from './publish/undecided-records.ts';
import type { RefusedAgents } from './refusals/refused-agents.ts';

export type GatewayDependencies = {
  bus: Bus;
  /** null where another process holds it: then nothing that needs it is answered. */
  ledger: Ledger | null;
  /** The families that an agent is in by the register, and those that it left: a kill of one may stop it. */
  standing(tenant: string, agentId: string): Required<Standing>;
  /** How much of the register was read. */
  controlRevision(): number;
  /** The agents that have a name before they act. */
  register: AgentRegister;
  /** How much the tenant may write. */
  limits(tenant: string): TenantLimitsInForce;
  /** Nothing is allowed in the tenant, so that nothing more is to be asked for. */
  isClosed(tenant: string): boolean;
  /** Whether the operator of the plane limits the tenant by what is counted there. */
  isOfBounds(tenant: string, budget: BudgetReference): boolean;
  /** On which kills are heard of, those of other processes included. */
  kills: KillBroadcast;
  /** Applied to every action before it is published. Throws PERSON_ERASED. */
  redact(action: Action, tenant: string): Action;
  /** Applied to every reason of an operator before it is kept or published. */
  redactText(text: string): string;
  /**
   * A digest of the parts that were removed for good, so that two requests that differ only there are still told apart;
   * null if nothing was removed. Sealed texts go into it as they are sealed, or it would tell of them when their person
   * is forgotten.
   */
  fingerprint(original: Action, redacted: Action, tenant: string): string | null;
  /** The decision that stands, from the audit; null when it knows none. null where there is no audit. */
  findDecision: ((tenant: string, action: ActionName) => Promise<Decision | null>) | null;
  /** With which `redact` seals, and what was sealed is read again. The gateway opens them. */
  personKeys: PersonKeys;
  /** Whether `redact` seals anything now. */
  sealsPersons(): boolean;
  /** Calls it when that may have changed. */
  onPrivacyEdit(listener: () => void): void;
  log: Logger;
  metrics: Metrics;
  clock: Clock;
};

export type Gateway = GatewayDependencies & {
  board: AnswerBoard;
  journal: CommandJournal;
  measures: GatewayMeasures;
  refused: RefusedAgents;
  lastKills: LastKills;
  undecided: UndecidedRecords;
  /** Records who reads sealed values or other people's actions, before the answer shows them. */
  reads: HttpReads;
  /** Before anything is redacted. Throws PERSON_KEYS_NOT_READY. */
  untilSealable(): Promise<void>;
};

/** The ledger, or LEDGER_UNAVAILABLE. */
export function ledgerOf({ ledger }: Pick<Gateway, 'ledger'>): Ledger {
  if (ledger !== null) return ledger;
  throw new MandateError('LEDGER_UNAVAILABLE', 'this gateway has no ledger of its own', {
    remedy: 'Ask the process that holds it (`mandate up`), or give this gateway a shared ledger.',
    retryable: true,
  });
}
