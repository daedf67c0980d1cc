/**
 * Rows that were stored after a log position, for listeners that follow a table while it fills (see live/). The rows
 * are found by partition and offset first, and filtered after that. So one offset for each partition is enough to
 * continue, and no row is missed or returned twice between two questions.
 *
 * `recordedFromMs` limits the question to the newest granules. Without it every row of the tenant would be read.
 * Control events are few, so all of them are read.
 */
import { id, TOPICS, tenant } from '@mandate/schemas';
import { z } from 'zod';
import { narrowed, question } from '../question.ts';
import { DECISION_COLUMNS, decisionSummary } from './decision-columns.ts';
import { decisionFilter, decisionsNarrowed, period } from './decision-filter.ts';
import { CONTROL_EVENT_COLUMNS, CONTROL_EVENTS, controlEventSummary } from './search-control-events.ts';
import {
  anyOf,
  SETTLEMENT_COLUMNS,
  settlementFilter,
  settlementSummary,
  settlementsNarrowed,
} from './search-settlements.ts';

/**
 * The maximum number of rows of one partition in one answer. A listener with more rows to read asks several times.
 */
export const TAIL_ROWS_A_PARTITION = 1_000;

/** The maximum number of ids in one question. Each id adds 30 characters to the question. */
export const MOST_IDS = 500;

const moment = period.fromMs.unwrap();
const window = { tenant, recordedFromMs: moment, sinceMs: moment };

/** A table that a listener can follow: its time column, and SQL for the rows that a tenant may see. */
type Followed = { table: string; time: string; owned: string; partition?: string };

/**
 * The partition number of control topic events in this table. The table also contains events of decision partitions,
 * which have smaller numbers.
 */
export const CONTROL_PARTITION = 2 ** 32 - 1;
const PARTITION_OF_EITHER = `if(log_topic = '${TOPICS.control}', toUInt32(${CONTROL_PARTITION}), log_partition)`;

const OWN = 'tenant = {tenant:String}';
const OWN_AND_SHARED = "tenant IN ({tenant:String}, '')";

const WITHIN = ({ time, owned }: Followed) => `${owned}
      AND recorded_at >= fromUnixTimestamp64Milli({recordedFromMs:Int64}, 'UTC')
      AND ${time} >= fromUnixTimestamp64Milli({sinceMs:Int64}, 'UTC')`;

/**
 * Returns the next rows of each partition after its offset. `through` contains the offsets in the order of
 * `partitions`. A partition that is not listed is read from its start. Repeats and void rows are included.
 */
function after(followed: Followed) {
  const { table, time, partition = 'log_partition' } = followed;
  return question({
    params: z.strictObject({ ...window, partitions: z.array(z.int()), through: z.array(z.int()) }),
    row: z.object({ id: z.string(), logPartition: z.int(), logOffset: z.int(), atMs: z.int() }),
    sql: () => `
    SELECT id, ${partition} AS logPartition, log_offset AS logOffset, toUnixTimestamp64Milli(${time}) AS atMs
    FROM ${table}
    WHERE ${WITHIN(followed)}
      AND log_offset > transform(logPartition, {partitions:Array(UInt32)}, {through:Array(Int64)}, -1)
    ORDER BY logPartition, log_offset
    LIMIT ${TAIL_ROWS_A_PARTITION} BY logPartition`,
  });
}

/** Returns the last offset of each partition. */
function ends(followed: Followed) {
  const { table, partition = 'log_partition' } = followed;
  return question({
    params: z.strictObject(window),
    row: z.object({ logPartition: z.int(), logOffset: z.int() }),
    sql: () => `
    SELECT ${partition} AS logPartition, max(log_offset) AS logOffset
    FROM ${table}
    WHERE ${WITHIN(followed)}
    GROUP BY logPartition`,
  });
}

/** The questions for the end of a table, and for the rows stored after a log position. */
function tailQuestions(followed: Followed) {
  return { after: after(followed), ends: ends(followed) };
}

const ids = z.array(id).min(1).max(MOST_IDS);

export const decisionTail = {
  ...tailQuestions({ table: 'decisions', time: 'decided_at', owned: OWN }),
  /** Returns the valid rows of these ids that pass the filter, in any order. */
  validRows: question({
    params: decisionFilter.extend({ ids }),
    row: decisionSummary,
    sql: ({ ids: _, ...filter }) => `
    SELECT ${DECISION_COLUMNS}
    FROM decisions FINAL
    WHERE tenant = {tenant:String} AND id IN {ids:Array(String)} AND NOT void${decisionsNarrowed(filter)}`,
  }),
};

export const settlementTail = {
  ...tailQuestions({ table: 'settlements', time: 'settled_at', owned: OWN }),
  validRows: question({
    params: settlementFilter.extend({ ids }),
    row: settlementSummary,
    sql: ({ ids: _, ...filter }) => `
    SELECT ${SETTLEMENT_COLUMNS}
    FROM settlements FINAL
    WHERE tenant = {tenant:String} AND id IN {ids:Array(String)} AND NOT void${settlementsNarrowed(filter)}`,
  }),
};

/**
 * Leaves out events that name another agent or another action. An event without an agent or action concerns all of
 * them.
 */
const controlEventFilter = z.strictObject({
  tenant,
  agentId: anyOf,
  actionId: anyOf,
  event: z.array(z.enum(CONTROL_EVENTS)).min(1).optional(),
});
export type ControlEventFilter = z.output<typeof controlEventFilter>;

const followedControlEvent = controlEventSummary.extend({
  logTopic: z.string(),
  logPartition: z.int(),
  logOffset: z.int(),
});
export type FollowedControlEvent = z.output<typeof followedControlEvent>;

export const controlEventTail = {
  ...tailQuestions({
    table: 'control_events',
    time: 'happened_at',
    owned: OWN_AND_SHARED,
    partition: PARTITION_OF_EITHER,
  }),
  /** Returns an event once for each partition that contains the event. */
  validRows: question({
    params: controlEventFilter.extend({ ids }),
    row: followedControlEvent,
    sql: ({ ids: _, ...filter }) => `
    SELECT ${CONTROL_EVENT_COLUMNS},
      log_topic AS logTopic, ${PARTITION_OF_EITHER} AS logPartition, log_offset AS logOffset
    FROM control_events FINAL
    WHERE ${OWN_AND_SHARED} AND id IN {ids:Array(String)} AND NOT void${narrowed(filter, {
      agentId: "has(arrayConcat({agentId:Array(String)}, ['']), agent_id)",
      actionId: "has(arrayConcat({actionId:Array(String)}, ['']), action_id)",
      event: 'event IN {event:Array(String)}',
    })}`,
  }),
};
