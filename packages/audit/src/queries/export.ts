/**
 * Whole tables as files, part by part in the order of ids. A part is everything between two ids: so it can be had again,
 * and the next one begins where it ended. Ids carry a time (of control events behind their kind, if at all), so late rows
 * may land between those of a part that was taken already: a file holds what was on record when it was asked for.
 */
import { CSV_FORMULA, CSV_LEADING, id } from '@mandate/schemas';
import { z } from 'zod';
import { type Asked, narrowed, question } from '../question.ts';
import { DECISION_COLUMNS } from './decision-columns.ts';
import { type DecisionFilter, decisionFilter, decisionsNarrowed } from './decision-filter.ts';
import { CHANGE_COLUMNS, CONTROL_EVENTS } from './search-control-events.ts';
import {
  SETTLEMENT_COLUMNS,
  type SettlementFilter,
  settlementFilter,
  settlementsNarrowed,
} from './search-settlements.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Behind `after`, up to and with `through`; `rows`: no more than so many. */
const bounds = { after: id.optional(), through: id.optional() };
const BETWEEN = { after: 'id > {after:String}', through: 'id <= {through:String}' };

const part = z.object({
  rows: z.int(),
  firstId: z.string().nullable(),
  /** Where the part ends. */
  lastId: z.string().nullable(),
});

type Table = {
  filter: z.ZodObject;
  columns: string;
  /** Every column of text, and every list. In CSV none of their cells is a formula. */
  texts: readonly string[];
  lists: readonly string[];
  /** From FROM on, as far as WHERE goes. */
  source(filter: Asked): string;
};

/** SQL for what `csvText` of @mandate/schemas does. A contract test (exporting.ts) holds the two equal. */
function cellOf(text: string): string {
  const guarded = `replaceRegexpAll(${text}, ${literal(CSV_FORMULA)}, ${literal("\\1'\\2")})`;
  return `if(match(assumeNotNull(${guarded}), ${literal(CSV_LEADING)}), concat('\\'', ${guarded}), ${guarded})`;
}

function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function exported({ filter, columns, texts, lists, source }: Table) {
  const within = ({ after, through, rows: _, ...rest }: Asked) =>
    `${source(rest)}${narrowed({ after, through }, BETWEEN)}`;
  const asked = filter.extend(bounds);
  return {
    params: asked as z.ZodType<Asked>,
    /** The columns that CSV guards against formulas. */
    guarded: [...texts, ...lists],
    /** What the next part will hold, as far as that is known now. */
    part: question({
      params: asked.extend({ rows: z.int().min(1).max(1_000_000) }) as z.ZodType<Asked>,
      row: part,
      sql: (given) => `
    SELECT count() AS rows, minOrNull(id) AS firstId, maxOrNull(id) AS lastId
    FROM (SELECT DISTINCT id ${within(given)} ORDER BY id LIMIT {rows:UInt32})`,
    }),
    sql(given: Asked, format: ExportFormat): string {
      const all = `SELECT ${columns} ${within(given)} ORDER BY id LIMIT 1 BY id`;
      if (format !== 'csv') return all;
      const safe = [
        ...texts.map((name) => `${cellOf(name)} AS ${name}`),
        ...lists.map((name) => `${cellOf(`toJSONString(${name})`)} AS ${name}`),
      ];
      return `SELECT * REPLACE(${safe.join(', ')}) FROM (${all})`;
    },
  };
}

export const EXPORTS = {
  decisions: exported({
    filter: decisionFilter,
    columns: DECISION_COLUMNS,
    texts: [
      ...[
        'id',
        'kind',
        'actionId',
        'agentId',
        'type',
        'subject',
        'tool',
        'model',
        'provider',
        'verdict',
        'code',
      ],
      ...[
        'observedVerdict',
        'observedCode',
        'shadowVerdict',
        'shadowCode',
        'reason',
        'principalId',
        'obligations',
      ],
      ...['principalRole', 'mandateId', 'traceId', 'logTopic'],
    ],
    lists: ['shadowRules', 'policies', 'rules'],
    source: (filter) =>
      `FROM decisions FINAL WHERE tenant = {tenant:String} AND NOT void${decisionsNarrowed(filter as Partial<DecisionFilter>)}`,
  }),
  settlements: exported({
    filter: settlementFilter,
    columns: SETTLEMENT_COLUMNS,
    texts: ['id', 'kind', 'actionId', 'agentId', 'status', 'code', 'reason', 'reportedBy', 'logTopic'],
    lists: ['marks'],
    source: (filter) =>
      `FROM settlements FINAL WHERE tenant = {tenant:String} AND NOT void${settlementsNarrowed(filter as Partial<SettlementFilter>)}`,
  }),
  'control-events': exported({
    filter: settlementFilter.omit({ actionId: true, code: true }).extend({
      event: z.array(z.enum(CONTROL_EVENTS)).min(1).optional(),
    }),
    columns: `id, event, nullIf(scope, '') AS scope, nullIf(agent_id, '') AS agentId, nullIf(made_by, '') AS madeBy, reason,
      nullIf(budget_scope, '') AS budgetScope, nullIf(budget_subject, '') AS budgetSubject,
      nullIf(budget_id, '') AS budgetId, nullIf(budget_window_ms, 0) AS budgetWindowMs,
      if(event = 'budget.adjusted', delta_micros, NULL) AS deltaMicros,
      nullIf(action_id, '') AS actionId, nullIf(digest, '') AS digest, nullIf(answer, '') AS answer,
      nullIf(ledger_epoch, '') AS ledgerEpoch, ${CHANGE_COLUMNS}, happened_at AS happenedAt`,
    texts: [
      ...['id', 'event', 'scope', 'agentId', 'madeBy', 'reason', 'budgetScope', 'budgetSubject', 'budgetId'],
      ...['actionId', 'digest', 'answer', 'ledgerEpoch', 'subject', 'refusal'],
    ],
    lists: [],
    // One event may stand in several partitions of the log: one of them is given.
    source: (filter) =>
      `FROM control_events FINAL WHERE tenant IN ({tenant:String}, '') AND NOT void${narrowed(filter, {
        agentId: 'agent_id IN {agentId:Array(String)}',
        event: 'event IN {event:Array(String)}',
        fromMs: "happened_at >= fromUnixTimestamp64Milli({fromMs:Int64}, 'UTC')",
        toMs: "happened_at < fromUnixTimestamp64Milli({toMs:Int64}, 'UTC')",
      })}`,
  }),
};
export type Exportable = keyof typeof EXPORTS;
