import type { DecisionFound } from '@mandate/query';
import { withDurationsInWords } from '@mandate/schemas/duration-in-words';
import { Link } from '@tanstack/react-router';
import { AgentLink } from './agent-link.tsx';
import { Money } from './money.tsx';
import { type Column, Table } from './table.tsx';
import { Verdict } from './verdict.tsx';
import { When } from './when.tsx';

type Row = Pick<
  DecisionFound,
  'id' | 'agentId' | 'type' | 'tool' | 'model' | 'verdict' | 'code' | 'decidedAt' | 'chargedMicros'
> &
  Partial<Pick<DecisionFound, 'subject' | 'reason'>>;

/** The columns of every list of decisions, by name. */
export const DECISION_COLUMNS = {
  time: { head: 'Time', isClear: true, cell: ({ decidedAt }) => <When at={decidedAt} /> },
  agent: {
    head: 'Agent',
    isClear: true,
    look: 'wide',
    cell: ({ agentId }) => <AgentLink id={agentId} />,
  },
  action: {
    head: 'Action',
    isClear: true,
    look: 'wide',
    cell: ({ id, tool, model, subject, type }) => (
      <Link to="/decisions/$id" params={{ id }}>
        {tool ?? model ?? (subject || type)}
      </Link>
    ),
  },
  verdict: { head: 'Verdict', isClear: true, cell: ({ verdict }) => <Verdict is={verdict} /> },
  why: {
    head: 'Why',
    isClear: true,
    look: 'text',
    cell: ({ code, reason }) => (
      <span title={reason}>
        {withDurationsInWords(reason ?? '')} <code className="quiet">{code}</code>
      </span>
    ),
  },
  charged: {
    head: 'Charged',
    look: 'number',
    cell: ({ chargedMicros }) => <Money micros={chargedMicros} />,
  },
} satisfies Readonly<Record<string, Column<Row>>>;

export const ALL_DECISION_COLUMNS: readonly Column<Row>[] = Object.values(DECISION_COLUMNS);

/** Ids begin with their time, so they order decisions of the same millisecond too. */
function newestFirst(one: Row, other: Row): number {
  return Date.parse(other.decidedAt) - Date.parse(one.decidedAt) || (other.id < one.id ? -1 : 1);
}

const { agent: _, ...withoutAgent } = DECISION_COLUMNS;
const COLUMNS_OF_ONE_AGENT: readonly Column<Row>[] = Object.values(withoutAgent);

/**
 * A list of decisions, the newest first.
 *
 * @param isOfOneAgent true if all decisions are about one agent, which the page names
 */
export function DecisionTable({
  label,
  decisions,
  isOfOneAgent = false,
  empty,
}: {
  label: string;
  decisions: readonly Row[];
  isOfOneAgent?: boolean;
  empty?: string;
}) {
  return (
    <Table
      label={label}
      columns={isOfOneAgent ? COLUMNS_OF_ONE_AGENT : ALL_DECISION_COLUMNS}
      rows={decisions.toSorted(newestFirst)}
      nameOf={({ id }) => id}
      {...(empty !== undefined && { empty })}
    />
  );
}
