import type { ControlEventFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { EVENTS, titleOf } from '../data/events.ts';
import { By } from './by.tsx';
import { Money } from './money.tsx';
import { type Column, Table } from './table.tsx';
import { When } from './when.tsx';

/** The row of these events says all. The others have a document, or open actions. */
const WITHOUT_PAGE: ReadonlySet<string> = new Set([
  ...['agent.revived', 'budget.adjusted', 'approval.recorded', 'ledger.epoch'],
]);

const COLUMNS: readonly Column<ControlEventFound>[] = [
  { head: 'Time', cell: ({ happenedAt }) => <When at={happenedAt} /> },
  {
    head: 'What',
    cell: ({ id, event, refusal }) => (
      <>
        {WITHOUT_PAGE.has(event) ? (
          <span title={EVENTS[event][1]}>{titleOf(event)}</span>
        ) : (
          <Link to="/changes/$id" params={{ id }} search={{ event }} title={EVENTS[event][1]}>
            {titleOf(event)}
          </Link>
        )}
        {refusal !== null && <strong> (refused)</strong>}
      </>
    ),
  },
  {
    head: 'About',
    look: 'wide',
    cell: ({ subject, agentId, scope, policyVersion, deltaMicros }) => (
      <>
        {subject ?? agentId ?? scope ?? ''}
        {policyVersion !== null && `, version ${policyVersion}`}{' '}
        {deltaMicros !== null && <Money micros={deltaMicros} />}
      </>
    ),
  },
  { head: 'By', look: 'wide', cell: ({ by }) => <By who={by} /> },
  { head: 'Why', look: 'wide', cell: ({ refusal, reason }) => refusal ?? reason },
];

export function EventList({ events }: { events: readonly ControlEventFound[] }) {
  return (
    <Table
      label="Changes"
      columns={COLUMNS}
      rows={events}
      nameOf={({ event, id }) => `${event} ${id}`}
      empty="Nothing changed."
    />
  );
}
