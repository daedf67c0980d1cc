/** Who changed what and why, who read what, and who was refused. */
import type { ControlEventFound, ReadFound } from '@mandate/query';
import { Link } from '@tanstack/react-router';
import { withQuery } from '../data/api.ts';
import { command } from '../data/command.ts';
import { EVENTS } from '../data/events.ts';
import type { LiveEvent } from '../data/live.ts';
import { type Parameters, useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { EventList } from '../parts/event-list.tsx';
import { Newer } from '../parts/newer.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import { ChoiceFilter, PeriodFilter, SearchForm, SwitchFilter, TextFilter } from '../parts/search-form.tsx';
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
  const { agent, event, by, subject, from, to, cursor } = search;
  const path = withQuery('/v1/audit/control-events', {
    agent,
    event,
    by,
    subject,
    from,
    to,
    cursor,
    limit: 50,
  });
  const read = useRead<{ events: ControlEventFound[]; next: string | null }>(path);
  return (
    <Page
      heading="Changes"
      question="Who changed what, and why, the newest first."
      same={{
        cli: command('control-events list', { agent, event, 'made-by': by, subject, from, to, cursor }),
        path,
      }}
    >
      <SearchForm to="/changes">
        <ChoiceFilter name="show" label="Show" choices={SHOWN} />
        <ChoiceFilter name="event" label="Event" choices={EVENT_CHOICES} unset="any" />
        <TextFilter name="agent" label="Agent" field="agent" />
        <TextFilter name="subject" label="About" placeholder="whole name or id" />
        <TextFilter name="by" label="By" placeholder="name or id of a key" />
        <PeriodFilter unset="all time" />
      </SearchForm>
      <details>
        <summary>What the events mean</summary>
        <dl>
          {Object.entries(EVENTS).map(([name, [title, meaning]]) => (
            <div key={name} style={{ display: 'contents' }}>
              <dt>{title}</dt>
              <dd>
                {meaning} <code className="quiet">{name}</code>
              </dd>
            </div>
          ))}
        </dl>
      </details>
      {by !== undefined && <ByWhom who={by} />}
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

const EVENT_CHOICES = Object.entries(EVENTS).map(([name, [title]]) => [name, title] as const);

/** Links from the changes of a person or a key to their reads. */
function ByWhom({ who }: { who: string }) {
  const keyId = /\(([^()]+)\)$/.exec(who)?.[1] ?? who;
  return (
    <p className="row">
      Changes by <strong>{who}</strong>.
      <Link to="/changes" search={{ show: 'reads', key: keyId }}>
        What this key read
      </Link>
      <Link to="/changes" search={{ show: 'refused', key: keyId }}>
        What this key was refused
      </Link>
    </p>
  );
}

/**
 * The routes that every page of the console reads by itself, for its header, its palette, and the sums on the page Now.
 */
const OWN_ROUTES = ['/v1/kills', '/v1/reconcile', '/v1/audit/live', '/v1/audit/values', '/v1/ledger/summary'];

const READ_COLUMNS: readonly Column<ReadFound>[] = [
  { head: 'Time', isClear: true, cell: ({ at }) => <When at={at} /> },
  {
    head: 'Key',
    look: 'wide',
    cell: ({ keyName, keyId }) =>
      keyId === null ? (
        'no known key'
      ) : (
        <Link to="/changes" search={{ show: 'reads', key: keyId }} title={`All reads with the key ${keyId}`}>
          {keyName ?? keyId}
        </Link>
      ),
  },
  { head: 'Route', look: 'wide code', isClear: true, cell: ({ method, route }) => `${method} ${route}` },
  {
    head: 'Asked for',
    look: 'wide',
    cell: ({ parameters }) =>
      Object.entries(parameters)
        .map(([name, value]) => `${name}: ${[value].flat().join(', ')}`)
        .join('; '),
  },
  { head: 'Refused', look: 'code', cell: ({ code }) => code ?? '' },
];

function ReadsPage({ search, isRefused }: { search: Parameters; isRefused: boolean }) {
  const { key, route, from, to, cursor, own } = search;
  // Every page of the console makes these reads. They do not show what the person wanted to see.
  const notRoute = own === 'true' || isRefused || route !== undefined ? undefined : OWN_ROUTES;
  const path = withQuery('/v1/audit/reads', {
    ...{ key, route, notRoute, from, to, cursor, limit: 50 },
    ...(isRefused && { refused: 'true' }),
  });
  const read = useRead<{ reads: ReadFound[]; next: string | null }>(path);
  return (
    <Page
      heading={isRefused ? 'Refused requests' : 'Reads'}
      question={
        isRefused
          ? 'Who was turned away, the newest first.'
          : 'Who looked at what, the newest first. This look is on record too.'
      }
      same={{
        cli: command('reads list', {
          reader: key,
          route,
          'not-route': notRoute,
          from,
          to,
          cursor,
          ...(isRefused && { refused: 'true' }),
        }),
        path,
      }}
    >
      <SearchForm to="/changes">
        <ChoiceFilter name="show" label="Show" choices={SHOWN} />
        <TextFilter name="key" label="Key" placeholder="whole id of a key" />
        <TextFilter name="route" label="Route" placeholder="/v1/audit/decisions/:id" />
        <PeriodFilter unset="all time" />
        {!isRefused && <SwitchFilter name="own" label="Also what pages read by themselves" />}
      </SearchForm>
      {notRoute !== undefined && (
        <p className="quiet">
          Left out: reads that each page of the console makes by itself, of <code>{notRoute.join(', ')}</code>
          .
        </p>
      )}
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
