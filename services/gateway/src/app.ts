/**
 * The gateway: HTTP in. Callers that can send JSON publish actions and outcomes here, and wait for decisions. Operators pull
 * the kill switch, correct budgets and answer approvals. The gateway decides nothing itself. It writes records to the log,
 * and the decider answers on the log.
 *
 * Promises:
 * - The tenant comes from the API key, whatever a body says. A key publishes for its own agents only.
 * - Accepted records have passed the strict reader and are redacted. A list is published as a whole or not at all.
 * - 200 with a decision means that the decision is on the log. Before an ALLOW is handed over, the kill flag is read again.
 * - When the log or the ledger is away, the answer is 503 in bounded time, and says what may have happened.
 * - A kill is in force when its request is answered. If the log has not taken the event yet, the answer says so, and the
 *   gateway tries again.
 * - A revive reaches the log before it takes effect.
 *
 * In the flow the gateway comes before the actions topic and after the decisions topic. The parts:
 * - publish/: a body becomes records
 * - answers/: one reader of decisions, and many callers that wait
 * - refusals/: agents that are refused too often wait
 * - recheck-kill-switch.ts: reads the kill flag again before an ALLOW is handed over
 * - commands/: the commands of operators
 * - journal/: writes those commands to the log
 * - dead-letters/, persons/ (forgotten people), and routes/ with one route in each file
 */
import { recordHttpReads } from '@mandate/access-log';
import { ledgerReadiness, withKillBroadcast } from '@mandate/ledger';
import { redactPieces } from '@mandate/privacy';
import { answers, type ReadinessCheck, type Running, sharedByRequests } from '@mandate/runtime';
import type { HttpServer } from '@mandate/server';
import type { z } from 'zod';
import { followDecisions } from './answers/follow-decisions.ts';
import { PendingReplies, type PendingRepliesBounds } from './answers/pending-replies.ts';
import { LastKills } from './commands/last-kills.ts';
import type { gatewaySettings } from './config.ts';
import type { Gateway, GatewayDependencies } from './gateway.ts';
import { CommandJournal } from './journal/command-journal.ts';
import { gatewayMeasures } from './measures.ts';
import { type FollowedErasures, followErasures } from './persons/follow-erasures.ts';
import { UndecidedRecords } from './publish/undecided-records.ts';
import { RefusedAgents } from './refusals/refused-agents.ts';
import { addGatewayRoutes } from './routes/all.ts';

export type RunnableGateway = {
  /** Adds the routes to a server of `createHttpServer`. */
  routes(server: HttpServer): Promise<void>;
  /**
   * Forgets the persons that the log names, and follows the decisions topic, so that requests can wait. Start this
   * before the server listens. After the server has stopped, call `stop`, which answers waiting requests at once.
   * `finished` rejects if the log can no longer be followed; the process must then end.
   */
  start(): Promise<Running>;
  /** Says whether the log and the ledger answer. */
  readiness(): Promise<readonly ReadinessCheck[]>;
};

/** The gateway's settings except its address and port. */
export type GatewaySettings = Pick<
  Readonly<z.output<typeof gatewaySettings>>,
  | 'GATEWAY_MAX_WAITING'
  | 'GATEWAY_MAX_UNDECIDED'
  | 'GATEWAY_RECENT_ANSWERS'
  | 'GATEWAY_RECENT_BYTES'
  | 'GATEWAY_MAX_UNLOGGED'
>;

export function createGateway(dependencies: GatewayDependencies, settings: GatewaySettings): RunnableGateway {
  const { bus, log, metrics, kills, clock, personKeys: keys } = dependencies;
  const ledger = dependencies.ledger && withKillBroadcast(dependencies.ledger, kills, log);
  const bounds: PendingRepliesBounds = {
    maxWaiting: settings.GATEWAY_MAX_WAITING,
    maxRecent: settings.GATEWAY_RECENT_ANSWERS,
    maxRecentBytes: settings.GATEWAY_RECENT_BYTES,
  };
  const replies = new PendingReplies(bounds);
  const journal = sharedByRequests(
    new CommandJournal({ bus, log, maxUnlogged: settings.GATEWAY_MAX_UNLOGGED }),
  );
  const refused = sharedByRequests(refusedAgents(dependencies));
  const undecided = new UndecidedRecords(settings.GATEWAY_MAX_UNDECIDED);
  let erasures: FollowedErasures | null = null;
  const gateway: Gateway = {
    ...dependencies,
    ledger,
    replies,
    journal,
    refused,
    lastKills: new LastKills(),
    undecided,
    measures: gatewayMeasures(metrics, { replies, journal, undecided }),
    reads: recordHttpReads({ bus, source: 'gateway', clock, log, redactText: redactPieces }),
    untilSealable: async () => erasures?.untilSealable(),
  };

  return {
    async routes(server) {
      server.addHook('preClose', async () => replies.close());
      addGatewayRoutes(server, gateway);
    },
    async start() {
      // This must come first. All forgotten persons are then forgotten here before any data is sealed.
      const { sealsPersons: seals, onPrivacyEdit: onEdit } = dependencies;
      const persons = await followErasures({ bus, keys, seals, onEdit, log, clock });
      erasures = sharedByRequests(persons);
      const following = await followDecisions({ bus, replies, refused, undecided, ledger });
      return {
        stop: async () => {
          replies.close();
          await following.stop();
          await persons.stop();
          await journal.stop();
        },
        finished: Promise.all([persons.finished, following.finished]),
      };
    },
    readiness: () =>
      Promise.all([answers('log', bus.ping()), ...(ledger === null ? [] : [ledgerReadiness(ledger)])]),
  };
}

function refusedAgents({
  quotas,
  register,
  clock,
}: Pick<GatewayDependencies, 'quotas' | 'register' | 'clock'>): RefusedAgents {
  return new RefusedAgents({
    quotas: (tenant) => quotas(tenant).refusals,
    isKnown: (tenant, agentId) => {
      const status = register.statusOf(tenant, agentId);
      return status === 'registered' || status === 'named';
    },
    clock,
  });
}
