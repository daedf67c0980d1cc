/**
 * Lists questions to people, newest first. With `waiting`: the newest question of each action, if nobody has answered
 * it and nothing was decided about the action later. Otherwise: all questions, with their results. A question is a DEFER,
 * or a block APPROVAL_EXPIRED, because the grant came too late. People answer both. A duplicate is not a question.
 *
 * Questions are rare, and the sort key of the table does not help to find them. So the actions of questions are read
 * without FINAL. Then the decisions of these actions are read FINAL, without large columns. The large columns are
 * read for one page only. An answer belongs to the last question before the answer that has the same digest.
 */
import { CODES, described, id, RISK_LEVELS, tenant, time, VERDICTS } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { period } from './decision-filter.ts';
import { STANDS_FOR_ACTION } from './stands-for-action.ts';

export const IS_QUESTION = "(verdict = 'DEFER' OR code = 'APPROVAL_EXPIRED')";
export const OF_ACTIONS = `tenant = {tenant:String} AND NOT void AND ${STANDS_FOR_ACTION}`;
/** The decisions of the actions in `questions`, which the query must have as a WITH clause. */
export const OF_QUESTIONS = `${OF_ACTIONS} AND id IN (
          SELECT id FROM decisions
          WHERE tenant = {tenant:String} AND id >= (SELECT min(id) FROM questions)
            AND action_id IN (SELECT action_id FROM questions)
            AND (agent_id, action_id) IN (SELECT agent_id, action_id FROM questions)
        )`;
/**
 * The time of the last answer about an action: a join for a query with OF_QUESTIONS. The ledger accepts an answer only to
 * the newest question of an action, so an answer after this question belongs to it.
 */
export const WITH_ANSWERS = `LEFT JOIN (
            SELECT agent_id, action_id, max(happened_at) AS answered_at
            FROM control_events FINAL
            WHERE tenant = {tenant:String} AND NOT void AND event = 'approval.recorded'
              AND action_id IN (SELECT action_id FROM questions)
            GROUP BY agent_id, action_id
          ) AS last_answers USING (agent_id, action_id)`;
/** The question \`newest\` is the last decision about its action, and nobody has answered it. */
export const WAITS = 'newest.1 = last_id AND newest.2 > max(answered_at)';
/** Ids have no order within a millisecond. The ledger sequence gives the order there. */
export const IN_ORDER = '(appended_at, ledger_sequence, id)';

const LEVELS = `[${RISK_LEVELS.map((level) => `'${level}'`).join(', ')}]`;

export const approvals = question({
  params: z.strictObject({
    tenant,
    agentId: id.optional(),
    actionId: id.optional(),
    /** True: return only questions without an answer and without a later decision about their action. */
    waiting: z.literal(true).optional(),
    /** The question must have been asked in this period. */
    ...period,
    /** For the next page: the decision id of the last question of this page. */
    before: id.optional(),
    limit: z.int().min(1).max(1_000).default(100),
  }),
  row: z.object({
    decisionId: described(
      z.string(),
      'The decision that asks the question.',
      'dec_01ke6qxba079817457defc4972b9f9',
    ),
    agentId: described(z.string(), 'The agent that asked.', 'airline-007'),
    actionId: described(z.string(), 'The action.', 'act_7f41'),
    attempt: described(z.int(), 'The attempt, from 1.', 1),
    tool: described(z.string().nullable(), 'The tool of the call. null: another kind of action.', 'refund'),
    /** The arguments as JSON text, exactly as the log contains them. */
    arguments: z.string().nullable(),
    code: described(z.enum(CODES), 'The code of the decision.'),
    reason: described(
      z.string(),
      'The reason of the decision, as a sentence.',
      'A person must confirm this call.',
    ),
    /** The cost of the call, as the checked limits computed it. Null if no limit computed a cost. */
    costMicros: z.int().nullable(),
    /** The estimate of the caller. */
    estimatedCostMicros: z.int().nullable(),
    /** The highest risk that a policy states, or else the risk in the request. */
    risk: z.enum(RISK_LEVELS).nullable(),
    principalId: z.string().nullable(),
    principalRole: z.string().nullable(),
    /** The context as JSON text, exactly as the log contains it. */
    context: z.string().nullable(),
    /** The names of the fields that the caller's API key fixed. */
    pinned: z.array(z.string()),
    mandateId: described(z.string().nullable(), 'The mandate of the decision. null: none.', 'support-bot'),
    digest: z.string(),
    since: time,
    /** The latest decision about the action. Null if the question itself is the latest decision. */
    decidedId: z.string().nullable(),
    decidedVerdict: z.enum(VERDICTS).nullable(),
    decidedCode: z.enum(CODES).nullable(),
    decidedAt: time.nullable(),
    answer: z.enum(['granted', 'denied']).nullable(),
    answeredBy: z.string().nullable(),
    answeredWhy: z.string().nullable(),
    answeredAt: time.nullable(),
    /** When the approval expires. */
    expiresAt: time.nullable(),
    /** The decision that used the approval. */
    usedBy: z.string().nullable(),
  }),
  sql: ({ agentId, actionId, fromMs, toMs, before, waiting }) => `
    WITH
      questions AS (
        SELECT id, agent_id, action_id FROM decisions
        WHERE ${OF_ACTIONS} AND ${IS_QUESTION}${narrowed(
          { agentId, actionId, fromMs, toMs, before },
          {
            agentId: 'agent_id = {agentId:String}',
            actionId: 'action_id = {actionId:String}',
            fromMs: "decided_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
            toMs: "decided_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
            before: 'id < {before:String}',
          },
        )}
      ),
      (
        SELECT arrayFlatten(groupArray(ids)) FROM (
          SELECT groupArray(id) AS ids, argMaxIf((id, decided_at), ${IN_ORDER}, ${IS_QUESTION}) AS newest, argMax(id, ${IN_ORDER}) AS last_id
          FROM decisions FINAL ${waiting === undefined ? '' : WITH_ANSWERS}
          WHERE ${OF_QUESTIONS}
          GROUP BY agent_id, action_id
          HAVING newest.1 != ''${narrowed(
            { fromMs, toMs, before, waiting },
            {
              fromMs: "newest.2 >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
              toMs: "newest.2 < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
              before: 'newest.1 < {before:String}',
              waiting: WAITS,
            },
          )}
          ORDER BY newest.1 DESC
          LIMIT {limit:UInt32}
        )
      ) AS taken
    SELECT question.1 AS decisionId, agent_id AS agentId, action_id AS actionId, question.2 AS attempt,
      nullIf(question.3, '') AS tool, nullIf(question.4, '') AS arguments, question.5 AS code, question.6 AS reason,
      nullIf(question.7, '') AS principalId, nullIf(question.8, '') AS mandateId, digest, question.9 AS since,
      nullIf(question.11, '') AS principalRole, nullIf(question.12, '') AS context, question.13 AS pinned,
      question.14 AS estimatedCostMicros, question.15 AS costMicros, nullIf(if(question.16 = 0, question.17, ${LEVELS}[question.16]), '') AS risk,
      last.1 != question.1 AS is_decided, if(is_decided, last.1, NULL) AS decidedId, if(is_decided, last.2, NULL) AS decidedVerdict,
      if(is_decided, last.3, NULL) AS decidedCode, if(is_decided, last.4, NULL) AS decidedAt,
      said.1 != '' AND said.4 >= question.9 AS is_answered, if(is_answered, said.1, NULL) AS answer,
      if(is_answered, said.2, NULL) AS answeredBy, if(is_answered, said.3, NULL) AS answeredWhy,
      if(is_answered, said.4, NULL) AS answeredAt, if(is_answered AND said.1 = 'granted', said.5, NULL) AS expiresAt,
      if(is_answered AND used > question.1, used, NULL) AS usedBy
    FROM (
      SELECT agent_id, action_id,
        argMaxIf(
          (
            id, attempt, tool, arguments, code, reason, principal_id, mandate_id, decided_at,
            JSONExtractString(payload, 'decision', 'digest'), principal_role,
            JSONExtractRaw(payload, 'decision', 'action', 'context'),
            JSONExtract(payload, 'decision', 'action', 'pinned', 'Array(String)'),
            JSONExtract(payload, 'decision', 'action', 'estimatedCostMicros', 'Nullable(Int64)'),
            arrayReduce('max', arrayMap(
              told -> JSONExtract(told, 'evidence', 'costMicros', 'Nullable(Int64)'),
              JSONExtractArrayRaw(payload, 'decision', 'checks')
            )),
            arrayReduce('max', arrayMap(
              told -> if(JSONExtractString(told, 'check') = 'tool-facts', indexOf(${LEVELS}, JSONExtractString(told, 'evidence', 'risk')), 0),
              JSONExtractArrayRaw(payload, 'decision', 'checks')
            )),
            JSONExtractString(payload, 'decision', 'action', 'risk')
          ),
          ${IN_ORDER}, ${IS_QUESTION}
        ) AS question,
        argMax((id, verdict, code, decided_at), ${IN_ORDER}) AS last,
        maxIf(id, JSONExtractBool(payload, 'decision', 'grantConsumed')) AS used,
        question.10 AS digest
      FROM decisions FINAL
      WHERE ${OF_ACTIONS} AND id IN (SELECT arrayJoin(taken))
      GROUP BY agent_id, action_id
    ) AS asked
    LEFT JOIN (
      SELECT agent_id, action_id, digest,
        argMax(
          (answer, made_by, reason, happened_at, JSONExtractString(payload, 'approval', 'expiresAt')),
          (happened_at, JSONExtractUInt(payload, 'approval', 'ledgerSequence'))
        ) AS said
      FROM control_events FINAL
      WHERE tenant = {tenant:String} AND NOT void AND event = 'approval.recorded'
        AND action_id IN (SELECT action_id FROM questions)
      GROUP BY agent_id, action_id, digest
    ) AS answers USING (agent_id, action_id, digest)
    ORDER BY decisionId DESC`,
});
