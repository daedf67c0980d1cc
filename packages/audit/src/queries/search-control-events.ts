/**
 * The acts of operators, and changes of agents, keys, policies, rules and mandates, newest first. A tenant sees its
 * own events, and events that concern every tenant. Such an event contains actions of other tenants in its payload.
 * So the payload is left out, and only the tenant's own actions are returned. An event in several partitions is
 * returned once. Times repeat, so the page key is time and id: give `beforeMs` and `beforeId` of the last row.
 */
import { BUDGET_SCOPES, CONTROL_RECORDS, described, id, tenant, time } from '@mandate/schemas';
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

/** SQL for the columns of an event. The parameter `{tenant}` is the tenant that sees the events. */
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
  id: described(z.string(), 'The id of the event.', 'chg_issued'),
  event: described(z.enum(CONTROL_EVENTS), 'The kind of the event.'),
  scope: described(
    z.enum(['agent', 'subtree', 'tenant', 'all']).nullable(),
    'What a kill or a revive is about. null: another kind of event.',
    'agent',
  ),
  agentId: described(
    z.string().nullable(),
    'The agent of the event. null: the event is not about one agent.',
    'airline-007',
  ),
  by: described(z.string().nullable(), 'The person or the API key. null: not recorded.', 'key:ops-laptop'),
  reason: described(
    z.string(),
    'Why, in the words of the person. Empty: the person did not say.',
    'runaway loop',
  ),
  budgetScope: described(
    z.enum(BUDGET_SCOPES).nullable(),
    'Who shares the adjusted budget. null: another kind of event.',
    'agent',
  ),
  budgetSubject: described(
    z.string().nullable(),
    'The agent, principal or mandate of the adjusted budget. Empty: the tenant. null: another kind of event.',
    'airline-007',
  ),
  budgetId: described(
    z.string().nullable(),
    'The id of the adjusted budget. null: another kind of event.',
    'total',
  ),
  budgetWindowMs: described(
    z.int().nullable(),
    'The length of the window of the adjusted budget, in milliseconds. null: no window, or another kind of event.',
    86_400_000,
  ),
  deltaMicros: described(
    z.int().nullable(),
    'What an adjustment added, in micro-dollars. Negative: it gave back. null: another kind of event.',
    -2_500_000,
  ),
  actionId: described(
    z.string().nullable(),
    'The action that an approval answers. null: another kind of event.',
    'act_7f41',
  ),
  digest: described(
    z.string().nullable(),
    'The digest of the request that an approval answers. null: another kind of event.',
    'e1e73835b27823313abc982824acbddc97200ce67e99e3e672816a10d5a3afd2',
  ),
  answer: described(
    z.enum(['granted', 'denied']).nullable(),
    'What a person answered. null: another kind of event.',
    'granted',
  ),
  ledgerEpoch: described(
    z.string().nullable(),
    'The epoch of the ledger. null: another kind of event.',
    'epoch_01kc7d5k0g',
  ),
  subject: described(
    z.string().nullable(),
    'The id of the agent, key, policy, rule, grant or tenant that a change is about. null: another kind of event.',
    'read-only',
  ),
  policyVersion: described(
    z.int().nullable(),
    'The version that a publication made. null: another kind of event.',
    3,
  ),
  revision: described(z.int().nullable(), 'The revision of a change. null: another kind of event.', 42),
  refusal: described(
    z.string().nullable(),
    'Why a change never took effect. null: it took effect, or it is another kind of event.',
    'the rule was changed in the meantime',
  ),
  role: described(
    z.string().nullable(),
    'The role of an issued key. null: another kind of event.',
    'operator',
  ),
  keyName: described(z.string().nullable(), 'The name of an issued key. null: another kind of event.', 'ann'),
  open: described(
    z.array(
      z.object({
        agentId: described(z.string(), 'The agent of the action.', 'airline-007'),
        actionId: described(z.string(), 'The action.', 'act_7f3a'),
        attempt: described(z.int(), 'The attempt, from 1.', 1),
      }),
    ),
    'For a kill: the allowed actions of the tenant that might still run, as far as the event names them. Empty for other events.',
  ),
  openCount: described(
    z.int().nullable(),
    'For a kill: the number of these actions. null: a kill of everything, which counts actions of other tenants too, or another kind of event.',
    1,
  ),
  happenedAt: described(time, 'When it happened.'),
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
      // The filter `by` finds a stored `ann (key_1)` by `ann`, by `key_1`, and by the whole text.
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

/** Returns one whole change of the control topic. Its payload contains no actions of other tenants. */
export const changeById = question({
  params: z.strictObject({ tenant, id }),
  row: controlEventSummary.extend({ payload: z.string() }),
  sql: () => `
    SELECT ${CONTROL_EVENT_COLUMNS}, payload
    FROM control_events FINAL
    WHERE tenant = {tenant:String} AND NOT void AND control_events.revision > 0 AND id = {id:String}`,
});
