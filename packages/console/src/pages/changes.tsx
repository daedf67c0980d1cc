/** Who changed what and why, who looked at what, and who was turned away. */
import type { ControlEventFound, ReadFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import type { LiveEvent } from '../data/live.ts';
import { type Parameters, useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { EventList } from '../parts/event-list.tsx';
import { Newer } from '../parts/newer.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import { ChoiceFilter, PERIODS, SearchForm, TextFilter } from '../parts/search-form.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { When } from '../parts/when.tsx';

const SHOWN = [
  ['changes', 'changes'],
  ['reads', 'reads'],
  ['refused', 'refused requests'],
] as const;

export function Changes() {
  const search = useParameters();
  const { show = 'changes' } = search;
  return show === 'changes' ? (
    <EventsPage search={search} />
  ) : (
    <ReadsPage search={search} isRefused={show === 'refused'} />
  );
}

function isControl({ kind }: LiveEvent): boolean {
  return kind === 'control';
}

function EventsPage({ search }: { search: Parameters }) {
  const { agent, event, by, subject, from, cursor } = search;
  const path = withQuery('/v1/audit/control-events', { agent, event, by, subject, from, cursor, limit: 50 });
  const read = useRead<{ events: ControlEventFound[]; next: string | null }>(path);
  return (
    <Page
      heading="Changes"
      question="Who changed what, and why."
      same={{
        cli: command('control-events list', { agent, event, 'made-by': by, subject, from, cursor }),
        path,
      }}
    >
      <SearchForm to="/changes">
        <ChoiceFilter name="show" label="Show" choices={SHOWN} />
        <TextFilter name="agent" label="Agent" />
        <TextFilter name="event" label="Event" placeholder="policy.published" />
        <TextFilter name="subject" label="About" />
        <TextFilter name="by" label="By" />
        <ChoiceFilter name="from" label="Period" choices={PERIODS} unset="all time" />
      </SearchForm>
      <Newer isAbout={isControl} />
      <Read of={read} what="changes">
        {({ events, next }) => (
          <>
            <EventList events={events} />
            {next !== null && (
              <Link className="button" to="/changes" search={{ ...search, cursor: next }}>
                Earlier changes
              </Link>
            )}
          </>
        )}
      </Read>
    </Page>
  );
}

const READ_COLUMNS: readonly Column<ReadFound>[] = [
  { head: 'Time', cell: ({ at }) => <When at={at} /> },
  { head: 'Key', look: 'wide', cell: ({ keyName, keyId }) => keyName ?? keyId ?? 'no known key' },
  { head: 'Route', look: 'wide code', cell: ({ method, route }) => `${method} ${route}` },
  { head: 'Parameters', look: 'wide code', cell: ({ parameters }) => JSON.stringify(parameters) },
  { head: 'Refused', cell: ({ code }) => code ?? '' },
];

function ReadsPage({ search, isRefused }: { search: Parameters; isRefused: boolean }) {
  const { key, route, from, cursor } = search;
  const path = withQuery('/v1/audit/reads', {
    ...{ key, route, from, cursor, limit: 50 },
    ...(isRefused && { refused: 'true' }),
  });
  const read = useRead<{ reads: ReadFound[]; next: string | null }>(path);
  return (
    <Page
      heading={isRefused ? 'Refused requests' : 'Reads'}
      question={isRefused ? 'Who was turned away.' : 'Who looked at what. This look is on record too.'}
      same={{
        cli: command('reads list', {
          reader: key,
          route,
          from,
          cursor,
          ...(isRefused && { refused: 'true' }),
        }),
        path,
      }}
    >
      <SearchForm to="/changes">
        <ChoiceFilter name="show" label="Show" choices={SHOWN} />
        <TextFilter name="key" label="Key" />
        <TextFilter name="route" label="Route" placeholder="/v1/audit/decisions/:id" />
        <ChoiceFilter name="from" label="Period" choices={PERIODS} unset="all time" />
      </SearchForm>
      <Read of={read} what="reads">
        {({ reads, next }) => (
          <>
            <Table
              label="Reads"
              columns={READ_COLUMNS}
              rows={reads}
              nameOf={({ id }) => id}
              empty="No such request is on record."
            />
            {next !== null && (
              <Link className="button" to="/changes" search={{ ...search, cursor: next }}>
                Earlier
              </Link>
            )}
          </>
        )}
      </Read>
    </Page>
  );
}
