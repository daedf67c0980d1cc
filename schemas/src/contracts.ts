/**
 * The records and the documents by their names. The JSON Schema files, the AsyncAPI document and the examples are made
 * for all of them. The documents of a manifest are in `manifest.ts`.
 */
import { actionRequested } from './action.ts';
import { agentDocument } from './agent-document.ts';
import {
  alertCleared,
  alertDelivered,
  alertRaised,
  alertReplayed,
  alertsBegun,
  alertUndelivered,
  tenantReconciled,
} from './alert.ts';
import { auditRead } from './audit-read.ts';
import { casesDocument } from './cases-document.ts';
import { contextBuilt } from './context-built.ts';
import {
  agentPut,
  agentRetired,
  grantIssued,
  grantRevoked,
  keyIssued,
  keyRevoked,
  manifestPublished,
  manifestRemoved,
  policyArchived,
  policyPublished,
  roleGranted,
  roleRevoked,
  rulePut,
  ruleRemoved,
  rulesReordered,
  tenantClosed,
  tenantPut,
} from './control-record.ts';
import { deadLetter, deadLetterRepublished } from './dead-letter.ts';
import { actionDecided } from './decision.ts';
import { mandateDocument, policyDocument } from './mandate-document.ts';
import { agentKilled, agentRevived, approvalRecorded, budgetAdjusted, ledgerEpoch } from './operations.ts';
import { actionCompleted } from './outcome.ts';
import { personErased, personsBegun } from './person-erased.ts';
import { ruleDocument } from './rule-document.ts';
import { RUN_EVENTS } from './run-event.ts';
import { sdkDecided, sdkSettled } from './sdk-record.ts';
import { actionSettled } from './settlement.ts';
import { tenantDocument } from './tenant-document.ts';
import { TOPICS } from './topics.ts';

/** The records, by topic. */
export const RECORDS = {
  [TOPICS.actions]: { 'action.requested': actionRequested, 'action.completed': actionCompleted },
  [TOPICS.decisions]: {
    'action.decided': actionDecided,
    'action.settled': actionSettled,
    'agent.killed': agentKilled,
    'agent.revived': agentRevived,
    'budget.adjusted': budgetAdjusted,
    'approval.recorded': approvalRecorded,
    'ledger.epoch': ledgerEpoch,
  },
  [TOPICS.deadLetters]: { 'dead.letter': deadLetter, 'deadletter.republished': deadLetterRepublished },
  [TOPICS.alerts]: {
    'alert.raised': alertRaised,
    'alert.cleared': alertCleared,
    'alert.delivered': alertDelivered,
    'alert.undelivered': alertUndelivered,
    'alert.replayed': alertReplayed,
    'alerts.begun': alertsBegun,
    'tenant.reconciled': tenantReconciled,
  },
  [TOPICS.access]: { 'audit.read': auditRead },
  [TOPICS.sdkRecords]: { 'sdk.decided': sdkDecided, 'sdk.settled': sdkSettled },
  [TOPICS.runs]: RUN_EVENTS,
  [TOPICS.context]: { 'context.built': contextBuilt },
  [TOPICS.persons]: { 'person.erased': personErased, 'persons.begun': personsBegun },
  [TOPICS.control]: {
    'agent.put': agentPut,
    'agent.retired': agentRetired,
    'key.issued': keyIssued,
    'key.revoked': keyRevoked,
    'role.granted': roleGranted,
    'role.revoked': roleRevoked,
    'policy.published': policyPublished,
    'policy.archived': policyArchived,
    'rule.put': rulePut,
    'rule.removed': ruleRemoved,
    'rules.reordered': rulesReordered,
    'grant.issued': grantIssued,
    'grant.revoked': grantRevoked,
    'manifest.published': manifestPublished,
    'manifest.removed': manifestRemoved,
    'tenant.put': tenantPut,
    'tenant.closed': tenantClosed,
  },
} as const;

/** The documents that people write, except those of a manifest. */
export const DOCUMENTS = {
  mandate: mandateDocument,
  agent: agentDocument,
  policy: policyDocument,
  rule: ruleDocument,
  tenant: tenantDocument,
  cases: casesDocument,
} as const;
