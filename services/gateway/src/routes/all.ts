/** All routes of the gateway. Each route has its own file. */
import type { HttpServer } from '@mandate/server';
import type { Gateway } from '../gateway.ts';
import { adjustBudgets } from './adjust-budgets.ts';
import { answerApprovals } from './answer-approvals.ts';
import { awaitApproval } from './await-approval.ts';
import { erasePerson } from './erase-person.ts';
import { findPerson } from './find-person.ts';
import { killAgent } from './kill-agent.ts';
import { killEverything } from './kill-everything.ts';
import { listAgents } from './list-agents.ts';
import { listBalances } from './list-balances.ts';
import { listDeadLetters } from './list-dead-letters.ts';
import { listErasures } from './list-erasures.ts';
import { listKills } from './list-kills.ts';
import { listOpenActions } from './list-open-actions.ts';
import { listUnpublished } from './list-unpublished.ts';
import { permittedTools } from './permitted-tools.ts';
import { publishActions } from './publish-actions.ts';
import { recordContextBuilds } from './record-context-builds.ts';
import { recordSdkDecisions } from './record-sdk-decisions.ts';
import { reportOutcomes } from './report-outcomes.ts';
import { republishDeadLetter } from './republish-dead-letter.ts';
import { reviveAgent } from './revive-agent.ts';
import { reviveEverything } from './revive-everything.ts';
import { showDeadLetter } from './show-dead-letter.ts';
import { showDecision } from './show-decision.ts';
import { showKillStatus } from './show-kill-status.ts';
import { showLedger } from './show-ledger.ts';
import { showSummary } from './show-summary.ts';
import { showUsage } from './show-usage.ts';
import { streamKills } from './stream-kills.ts';
import { unsealTexts } from './unseal-texts.ts';

/** If one of these routes refuses a caller, the refusal is recorded. */
export function addGatewayRoutes(server: HttpServer, gateway: Gateway): void {
  server.register(async (scoped) => addRoutes(scoped, gateway));
  server.register(async (scoped) => addPersons(scoped, gateway));
}

function addRoutes(server: HttpServer, gateway: Gateway): void {
  gateway.reads.recordRefusals(server);
  publishActions(server, gateway);
  reportOutcomes(server, gateway);
  recordSdkDecisions(server, gateway);
  recordContextBuilds(server, gateway);
  showDecision(server, gateway);

  killAgent(server, gateway);
  reviveAgent(server, gateway);
  showKillStatus(server, gateway);
  killEverything(server, gateway);
  reviveEverything(server, gateway);
  listKills(server, gateway);
  streamKills(server, gateway);

  adjustBudgets(server, gateway);
  answerApprovals(server, gateway);
  awaitApproval(server, gateway);

  permittedTools(server, gateway);
  showUsage(server, gateway);
  showLedger(server, gateway);
  showSummary(server, gateway);
  listAgents(server, gateway);
  listBalances(server, gateway);
  listOpenActions(server, gateway);
  listUnpublished(server, gateway);

  listDeadLetters(server, gateway);
  showDeadLetter(server, gateway);
  republishDeadLetter(server, gateway);
}

/** The query of such a route may contain the id of a person, so the query is not recorded. */
function addPersons(server: HttpServer, gateway: Gateway): void {
  gateway.reads.recordRefusals(server, {});
  erasePerson(server, gateway);
  findPerson(server, gateway);
  listErasures(server, gateway);
  unsealTexts(server, gateway);
}
