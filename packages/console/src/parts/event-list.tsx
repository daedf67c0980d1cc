import type { ControlEventFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { changeInWords } from '../data/change-in-words.ts';
import { EVENTS, titleOf } from '../data/events.ts';
import { By } from './by.tsx';
import { type Column, Table } from './table.tsx';
import { When } from './when.tsx';

/** For these events, the row contains everything. The other events also have a document, or open actions. */
const WITHOUT_PAGE: ReadonlySet<string> = new Set([
  ...['agent.revived', 'budget.adjusted', 'approval.recorded', 'ledger.epoch'],
]);

const COLUMNS: readonly Column<ControlEventFound>[] = [
  { head: 'Time', isClear: true, cell: ({ happenedAt }) => <When at={happenedAt} /> },
  {
    head: 'What',
    isClear: true,
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
  { head: 'What happened', look: 'wide', isClear: true, cell: changeInWords },
  { head: 'By', look: 'wide', cell: ({ by }) => <By who={by} /> },
  {
    head: 'Why',
    look: 'wide',
    cell: ({ refusal, reason }) => (refusal === null ? reason : <code>{refusal}</code>),
  },
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
