/**
 * The acts of operators, and changes of agents, keys, policies, rules and mandates, newest first: the events of a
 * tenant, and events that concern every tenant. An event for everyone contains actions of other tenants in its
 * payload, so the payload is left out, and only the tenant's own actions are returned. An event in several partitions
 * is returned once. Times repeat, so the page key is time and id: give `beforeMs` and `beforeId` of the last row.
 */
import { BUDGET_SCOPES, CONTROL_RECORDS, id, tenant, time } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';

export const CONTROL_EVENTS = [
  'agent.killed',
  'agent.revived',
  'budget.adjusted',
  'approval.recorded',
  'ledger.epoch',
  ...CONTROL_RECORDS,
] as const;

export const CHANGE_COLUMNS = `nullIf(subject, '') AS subject, nullIf(policy_version, 0) AS policyVersion,
      nullIf(revision, 0) AS revision, nullIf(refusal, '') AS refusal`;

/** `{tenant}` is the tenant that sees the events. */
export const CONTROL_EVENT_COLUMNS = `id, event, nullIf(scope, '') AS scope, nullIf(agent_id, '') AS agentId, nullIf(made_by, '') AS by, reason,
      nullIf(budget_scope, '') AS budgetScope, if(event = 'budget.adjusted', budget_subject, NULL) AS budgetSubject,
      nullIf(budget_id, '') AS budgetId, nullIf(budget_window_ms, 0) AS budgetWindowMs,
      if(event = 'budget.adjusted', delta_micros, NULL) AS deltaMicros,
      nullIf(action_id, '') AS actionId, nullIf(digest, '') AS digest, nullIf(answer, '') AS answer,
      nullIf(ledger_epoch, '') AS ledgerEpoch, ${CHANGE_COLUMNS},
      if(event = 'role.granted', JSONExtractString(payload, 'role'), NULL) AS role,
      if(event IN ('role.granted', 'key.issued'), JSONExtractString(payload, 'key', 'name'), NULL) AS keyName,
      arrayMap(one -> CAST((one.agentId, one.actionId, one.attempt), 'Tuple(agentId String, actionId String, attempt UInt32)'),
        arrayFilter(one -> one.tenant = {tenant:String}, JSONExtract(payload, 'kill', 'open',
          'Array(Tuple(tenant String, agentId String, actionId String, attempt UInt32))'))) AS open,
      if(event = 'agent.killed' AND control_events.scope != 'all', JSONExtractUInt(payload, 'kill', 'openCount'), NULL)
        AS openCount,
      happened_at AS happenedAt`;

export const controlEventSummary = z.object({
  id: z.string(),
  event: z.enum(CONTROL_EVENTS),
  /** For a kill or revive: its scope. */
  scope: z.enum(['agent', 'family', 'tenant', 'all']).nullable(),
  agentId: z.string().nullable(),
  by: z.string().nullable(),
  reason: z.string(),
  budgetScope: z.enum(BUDGET_SCOPES).nullable(),
  budgetSubject: z.string().nullable(),
  budgetId: z.string().nullable(),
  budgetWindowMs: z.int().nullable(),
  deltaMicros: z.int().nullable(),
  /** For an approval: the request that it answers, as named by the decision that deferred it. */
  actionId: z.string().nullable(),
  digest: z.string().nullable(),
  answer: z.enum(['granted', 'denied']).nullable(),
  ledgerEpoch: z.string().nullable(),
  subject: z.string().nullable().describe('Of a change: the id of the agent, key, policy, rule or mandate.'),
  policyVersion: z.int().nullable().describe('Of a policy that was published: which version this made.'),
  revision: z.int().nullable().describe('Of a change: its place on the control topic, counted from 1.'),
  refusal: z.string().nullable().describe('Why a change never took effect; null where it did.'),
  role: z.string().nullable().describe('Of a key that somebody was issued: with which role.'),
  keyName: z.string().nullable().describe('Of a key that was issued: its name, whose it is.'),
  /** For a kill: the allowed actions of this tenant that might still run, as far as the event names them. */
  open: z.array(z.object({ agentId: z.string(), actionId: z.string(), attempt: z.int() })),
  /**
   * The number of these actions. Null for a kill of everything, because its event counts actions of other tenants
   * too.
   */
  openCount: z.int().nullable(),
  happenedAt: time,
});

export const searchControlEvents = question({
  params: z.strictObject({
    tenant,
    agentId: id.optional(),
    event: z.enum(CONTROL_EVENTS).optional(),
    subject: id.optional(),
    by: z.string().optional(),
    ...period,
    beforeMs: period.fromMs,
    beforeId: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: controlEventSummary,
  sql: (params) => `
    SELECT ${CONTROL_EVENT_COLUMNS}
    FROM control_events FINAL
    WHERE tenant IN ({tenant:String}, '') AND NOT void${narrowed(params, {
      agentId: 'agent_id = {agentId:String}',
      event: 'event = {event:String}',
      subject: 'control_events.subject = {subject:String}',
      // `ann (key_1)` matches by the name, by the id of the key, and by the whole text.
      by: `(made_by = {by:String} OR startsWith(made_by, concat({by:String}, ' (')) OR endsWith(made_by, concat(' (', {by:String}, ')')))`,
      fromMs: "happened_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
      toMs: "happened_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
      beforeMs: `(happened_at, control_events.id) <
        (fromUnixTimestamp64Milli({beforeMs:Int64}, 'UTC'), {beforeId:String})`,
    })}
    ORDER BY happened_at DESC, control_events.id DESC
    LIMIT 1 BY event, control_events.id
    LIMIT {limit:UInt32}`,
});

/** Returns one whole change of the control topic. Its payload names no actions of other tenants. */
export const changeById = question({
  params: z.strictObject({ tenant, id }),
  row: controlEventSummary.extend({ payload: z.string() }),
  sql: () => `
    SELECT ${CONTROL_EVENT_COLUMNS}, payload
    FROM control_events FINAL
    WHERE tenant = {tenant:String} AND NOT void AND control_events.revision > 0 AND id = {id:String}`,
});
