/** The frame of every page: the present page, the signed-in person, the age of the numbers, and the kills in force. */

import type { LastReconcile } from '@mandate/alerter';
import type { KillShown } from '@mandate/gateway';
import { useQueryClient } from '@tanstack/react-query';
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useCallback, useEffect, useRef, useState } from 'react';
import { followLive, type LiveEvent, useLive, useLiveEvents } from './data/live.ts';
import { dollars } from './data/money.ts';
import { useRead } from './data/read.ts';
import { useReads } from './data/reads.ts';
import { followSession, sessionQuery, signOut, useSession } from './data/session.ts';
import { clockTime, keepZone, wholeTime, zone, zones } from './data/time.ts';
import { GO, hasLetterKeys, useKeys } from './keys.ts';
import { PAGES, Palette } from './palette.tsx';
import { Ask } from './parts/ask.tsx';
import { KillingProvider } from './parts/kill.tsx';
import styles from './shell.module.css';

const STREAM = {
  connecting: '◌ connecting',
  live: '● live',
  away: '○ the plane is away',
  ended: '○ signed out',
} as const;

export function Shell() {
  const [isPaletteOpen, setPaletteOpen] = useState(false);
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({
    onPalette: useCallback(() => setPaletteOpen(true), []),
    onHelp: useCallback(() => setHelpOpen(true), []),
  });
  const session = useSession();
  const mayRead = session.scopes.includes('audit');
  useEffect(() => followSession(session.keyId), [session.keyId]);
  useEffect(() => {
    if (mayRead) followLive(session.keyId);
  }, [mayRead, session.keyId]);
  return (
    <KillingProvider>
      {(cards) => (
        <>
          <a className={styles.skip} href="#main">
            Skip to the page
          </a>
          <Header onPalette={() => setPaletteOpen(true)} />
          <Pages />
          <main id="main" className={styles.main} tabIndex={-1}>
            {cards}
            <Outlet />
          </main>
          <Footer />
          {isPaletteOpen && <Palette onClose={() => setPaletteOpen(false)} />}
          {isHelpOpen && <Help onClose={() => setHelpOpen(false)} />}
        </>
      )}
    </KillingProvider>
  );
}

/** On a phone the list scrolls, so that the present page is visible. */
function Pages() {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  const [, first = ''] = pathname.split('/');
  useEffect(() => {
    const link = nav.current?.querySelector(`[href="/${CSS.escape(first)}"]`);
    link?.scrollIntoView({ block: 'nearest', inline: 'center' });
  }, [first]);
  return (
    <nav ref={nav} className={styles.nav} aria-label="Pages">
      {PAGES.map(([to, label]) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/' }}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

function Header({ onPalette }: { onPalette: () => void }) {
  const session = useSession();
  const { state, arrivedAtMs } = useLive();
  const queries = useQueryClient();
  useEffect(() => {
    if (state === 'ended') void queries.invalidateQueries({ queryKey: sessionQuery.queryKey });
  }, [state, queries]);
  return (
    <header className={`shell ${styles.header}`}>
      <Link to="/" className={styles.brand}>
        Mandate
      </Link>
      <span title="The tenant of your key">
        <span className="quiet">tenant</span> {session.tenant}
      </span>
      <span className={styles.stream} role="status">
        {STREAM[state]}
        {arrivedAtMs !== null && <span className="quiet">as of {clockTime(arrivedAtMs).slice(0, 8)}</span>}
      </span>
      <StandingKills />
      <Books />
      <span className={styles.grow} />
      <label className="beside">
        <span className="visually-hidden">Time zone</span>
        <select
          className={styles.zone}
          value={zone()}
          onChange={(event) => {
            keepZone(event.target.value);
            location.reload();
          }}
        >
          {zones().map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <button type="button" onClick={onPalette} aria-keyshortcuts="Control+K Meta+K">
        Commands <kbd>Ctrl K</kbd>
      </button>
      <span className="quiet" title={`Key ${session.keyId}, with the scopes ${session.scopes.join(', ')}`}>
        {session.person ?? session.name}
        {session.role !== null && session.role !== session.name && `, ${session.role}`}
      </span>
      <button type="button" onClick={() => void signOut()}>
        Sign out
      </button>
    </header>
  );
}

/** The kills in force, on every page. */
function StandingKills() {
  const queries = useQueryClient();
  const { data } = useRead<{ count: number; kills: KillShown[] }>('/v1/kills?limit=10');
  useLiveEvents(
    useCallback(
      ({ kind, data: event }: LiveEvent) => {
        if (kind !== 'control' || !('event' in event)) return;
        if (event.event !== 'agent.killed' && event.event !== 'agent.revived') return;
        void queries.invalidateQueries({ queryKey: ['read', '/v1/kills?limit=10'] });
      },
      [queries],
    ),
  );
  if (data === undefined || data.count === 0) return null;
  const names = data.kills.map(({ target }) => ('agentId' in target ? target.agentId : target.scope));
  return (
    <Link to="/agents" search={{ state: 'killed' }} className={styles.kills} title={names.join(', ')}>
      ■ {data.count} killed
    </Link>
  );
}

/** Whether log, ledger and audit agree, by the last report of a reconciler. Nothing is shown without a report. */
function Books() {
  const { data } = useRead<LastReconcile>('/v1/reconcile');
  const last = data?.last;
  if (last == null) return null;
  return (
    <Link to="/system" title={`Reported ${wholeTime(Date.parse(last.at))} by ${last.by}`}>
      {last.differences === 0 ? '✓ books agree' : `✕ books differ by ${dollars(last.driftMicros)}`}
    </Link>
  );
}

/** Lists the reads of this page that the audit has recorded. */
function Footer() {
  const reads = useReads();
  const { keyId } = useSession();
  return (
    <footer className={styles.footer}>
      {reads.length === 0 ? (
        'This page has put no read on record.'
      ) : (
        <details>
          <summary>
            This page has put {reads.length} {reads.length === 1 ? 'read' : 'reads'} on record, under the key{' '}
            {keyId}.
          </summary>
          <ul>
            {[...new Set(reads)].map((path) => (
              <li key={path}>
                <code>GET {path}</code>
              </li>
            ))}
          </ul>
          <Link to="/changes" search={{ show: 'reads' }}>
            See all reads
          </Link>
        </details>
      )}
    </footer>
  );
}

function Help({ onClose }: { onClose: () => void }) {
  const [isOn, setOn] = useState(hasLetterKeys());
  return (
    <Ask title="Keys" does="Done" onDo={async () => onClose()} onClose={onClose}>
      <dl>
        <dt>
          <kbd>Ctrl K</kbd> or <kbd>⌘ K</kbd>
        </dt>
        <dd>commands, such as «kill» and the name of an agent</dd>
        <dt>
          <kbd>/</kbd>
        </dt>
        <dd>the first field of the page</dd>
        <dt>
          <kbd>j</kbd> and <kbd>k</kbd>
        </dt>
        <dd>the next row of a list, and the row before</dd>
        <dt>
          <kbd>space</kbd>
        </dt>
        <dd>on Now: hold the stream of decisions, or let it go on</dd>
        {Object.entries(GO).map(([key, to]) => (
          <div key={key} style={{ display: 'contents' }}>
            <dt>
              <kbd>g</kbd> <kbd>{key}</kbd>
            </dt>
            <dd>{PAGES.find(([path]) => path === to)?.[1]}</dd>
          </div>
        ))}
      </dl>
      <label className="beside">
        <input
          type="checkbox"
          checked={isOn}
          onChange={(event) => {
            setOn(event.target.checked);
            localStorage.setItem('mandate.letterKeys', event.target.checked ? 'on' : 'off');
          }}
        />
        Single letters are shortcuts
      </label>
    </Ask>
  );
}
