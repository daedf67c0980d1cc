/** The tables that a listener can follow while they fill, and the questions for each. */
import type { z } from 'zod';
import type { DecisionSummary } from '../queries/decision-columns.ts';
import type { DecisionFilter } from '../queries/decision-filter.ts';
import {
  type ControlEventFilter,
  type LandedControlEvent,
  landedControlEvents,
  landedDecisions,
  landedSettlements,
} from '../queries/landed.ts';
import type { SettlementFilter, SettlementSummary } from '../queries/search-settlements.ts';
import type { Asked, Question } from '../question.ts';

/** Asks the audit on behalf of a listener. */
export type AskAudit = <Params extends z.ZodType<Asked>, Row extends z.ZodType>(
  question: Question<Params, Row>,
  given: z.input<Params>,
) => Promise<z.output<Row>[]>;

type Window = z.input<typeof landedDecisions.ends.params>;
type Behind = z.input<typeof landedDecisions.behind.params>;

export type LogPosition = { logPartition: number; logOffset: number };
/** A row that was stored. It may be void, the repeat of another row, or excluded by the filter. */
export type Landed = LogPosition & { id: string; atMs: number };

export type Feed<Row extends LogPosition & { id: string }> = {
  tenant: string;
  ends(ask: AskAudit, within: Window): Promise<LogPosition[]>;
  behind(ask: AskAudit, from: Behind): Promise<Landed[]>;
  /** Returns the rows of these ids that are valid and pass the filter. */
  standing(ask: AskAudit, ids: string[]): Promise<Row[]>;
  /** Returns the same text for all rows of one event, which may be in several partitions. */
  identityOf(row: Row): string;
};

const byId = ({ id }: { id: string }) => id;

export function decisionFeed(filter: DecisionFilter): Feed<DecisionSummary> {
  return feedOf<DecisionSummary>(landedDecisions, {
    tenant: filter.tenant,
    standing: (ask, ids) => ask(landedDecisions.standing, { ...filter, ids }),
    identityOf: byId,
  });
}

export function settlementFeed(filter: SettlementFilter): Feed<SettlementSummary> {
  return feedOf<SettlementSummary>(landedSettlements, {
    tenant: filter.tenant,
    standing: (ask, ids) => ask(landedSettlements.standing, { ...filter, ids }),
    identityOf: byId,
  });
}

/** Follows acts of operators and ledger epochs: the events of one tenant, and those for every tenant. */
export function controlEventFeed(filter: ControlEventFilter): Feed<LandedControlEvent> {
  return feedOf<LandedControlEvent>(landedControlEvents, {
    tenant: filter.tenant,
    standing: (ask, ids) => ask(landedControlEvents.standing, { ...filter, ids }),
    identityOf: ({ event, id }) => `${event} ${id}`,
  });
}

function feedOf<Row extends LogPosition & { id: string }>(
  { ends, behind }: Pick<typeof landedDecisions, 'ends' | 'behind'>,
  own: Pick<Feed<Row>, 'tenant' | 'standing' | 'identityOf'>,
): Feed<Row> {
  return { ...own, ends: (ask, within) => ask(ends, within), behind: (ask, from) => ask(behind, from) };
}
