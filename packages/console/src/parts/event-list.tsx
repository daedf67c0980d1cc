import type { ControlEventFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
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
          event
        ) : (
          <Link to="/changes/$id" params={{ id }} search={{ event }}>
            {event}
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
        {policyVersion !== null && `@${policyVersion}`}{' '}
        {deltaMicros !== null && <Money micros={deltaMicros} />}
      </>
    ),
  },
  { head: 'By', look: 'wide', cell: ({ by }) => by ?? 'not recorded' },
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
