/** The tables that a listener can follow while they fill, and the questions for each. */
import type { z } from 'zod';
import type { DecisionSummary } from '../queries/decision-columns.ts';
import type { DecisionFilter } from '../queries/decision-filter.ts';
import type { SettlementFilter, SettlementSummary } from '../queries/search-settlements.ts';
import {
  type ControlEventFilter,
  controlEventTail,
  decisionTail,
  type FollowedControlEvent,
  settlementTail,
} from '../queries/tail-source.ts';
import type { Asked, Question } from '../question.ts';

/** Asks the audit on behalf of a listener. */
export type AskAudit = <Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  question: Question<Params, Row>,
  given: z.input<Params>,
) => Promise<z.output<Row>[]>;

type Window = z.input<typeof decisionTail.ends.params>;
type AfterPosition = z.input<typeof decisionTail.after.params>;

/** The log position of a row. The table contains the rows of one topic, so the topic is left out. */
export type RowPosition = { logPartition: number; logOffset: number };
/** A row that was stored. It may be void, the repeat of another row, or excluded by the filter. */
export type TailRow = RowPosition & { id: string; atMs: number };

export type Feed<Row extends RowPosition & { id: string }> = {
  tenant: string;
  ends(ask: AskAudit, within: Window): Promise<RowPosition[]>;
  after(ask: AskAudit, from: AfterPosition): Promise<TailRow[]>;
  /** Returns the rows of these ids that are valid and pass the filter. */
  validRows(ask: AskAudit, ids: string[]): Promise<Row[]>;
  /** Returns the same text for all rows of one event, even if several partitions contain the event. */
  identityOf(row: Row): string;
};

const byId = ({ id }: { id: string }) => id;

export function decisionFeed(filter: DecisionFilter): Feed<DecisionSummary> {
  return feedOf<DecisionSummary>(decisionTail, {
    tenant: filter.tenant,
    validRows: (ask, ids) => ask(decisionTail.validRows, { ...filter, ids }),
    identityOf: byId,
  });
}

export function settlementFeed(filter: SettlementFilter): Feed<SettlementSummary> {
  return feedOf<SettlementSummary>(settlementTail, {
    tenant: filter.tenant,
    validRows: (ask, ids) => ask(settlementTail.validRows, { ...filter, ids }),
    identityOf: byId,
  });
}

/** Follows acts of operators and ledger epochs: the events of one tenant, and those for every tenant. */
export function controlEventFeed(filter: ControlEventFilter): Feed<FollowedControlEvent> {
  return feedOf<FollowedControlEvent>(controlEventTail, {
    tenant: filter.tenant,
    validRows: (ask, ids) => ask(controlEventTail.validRows, { ...filter, ids }),
    identityOf: ({ event, id }) => `${event} ${id}`,
  });
}

function feedOf<Row extends RowPosition & { id: string }>(
  { ends, after }: Pick<typeof decisionTail, 'ends' | 'after'>,
  own: Pick<Feed<Row>, 'tenant' | 'validRows' | 'identityOf'>,
): Feed<Row> {
  return { ...own, ends: (ask, within) => ask(ends, within), after: (ask, from) => ask(after, from) };
}
