/**
 * Exports whole tables as files, in parts, in the order of ids. A part is everything between two ids, so a caller can
 * export it again. Ids begin with a time (ids of control events with their kind), so a late row may belong to a part
 * that was already exported. A file contains the rows that were stored at the time of the export.
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

/** The range of a part: ids after `after`, up to and including `through`. */
const bounds = { after: id.optional(), through: id.optional() };
const BETWEEN = { after: 'id > {after:String}', through: 'id <= {through:String}' };

const part = z.object({
  rows: z.int(),
  firstId: z.string().nullable(),
  /** The last id of the part. Null if the part is empty. */
  lastId: z.string().nullable(),
});

type Table = {
  filter: z.ZodObject;
  columns: string;
  /** All text columns and list columns. In CSV these columns are escaped, so that a spreadsheet finds no formula. */
  texts: readonly string[];
  lists: readonly string[];
  /** Returns the SQL from FROM to the end of WHERE. */
  source(filter: Asked): string;
};

/**
 * SQL that does the same as `csvText` of @mandate/schemas. A contract test (exporting.ts) compares both functions.
 */
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
    /** The columns with texts that are escaped in CSV, so that a spreadsheet finds no formula. */
    guarded: [...texts, ...lists],
    /** Returns the size and the last id of the next part, as stored now. */
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
        'notes',
        'violations',
      ],
      ...['principalRole', 'mandateId', 'traceId', 'logTopic'],
    ],
    lists: ['shadowRules', 'policies', 'rules', 'events'],
    source: (filter) =>
      `FROM decisions FINAL WHERE tenant = {tenant:String} AND NOT void${decisionsNarrowed(filter as Partial<DecisionFilter>)}`,
  }),
  settlements: exported({
    filter: settlementFilter,
    columns: SETTLEMENT_COLUMNS,
    texts: ['id', 'kind', 'actionId', 'agentId', 'status', 'code', 'reason', 'reportedBy', 'logTopic'],
    lists: ['marks', 'toolCalls'],
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
    // One event may be in several partitions of the log. Only one of its rows is exported.
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
