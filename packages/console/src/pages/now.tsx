/** The agents that run now, their spend, the kills in force, and a way to kill agents. */

import type { AgentInLedger, LedgerSummary } from '@mandate/gateway';
import type { ControlEventFound, DecisionFound } from '@mandate/query';
import { withDurationsInWords } from '@mandate/schemas/duration-in-words';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { changeInWords } from '../data/change-in-words.ts';
import { command } from '../data/command.ts';
import { titleOf } from '../data/events.ts';
import { type LiveEvent, useLive, useLiveEvents } from '../data/live.ts';
import { dollars } from '../data/money.ts';
import { counted } from '../data/numbers.ts';
import { useParameters } from '../data/parameters.ts';
import { useRead } from '../data/read.ts';
import { useSession, useWhyNot } from '../data/session.ts';
import { clockTime } from '../data/time.ts';
import { AgentTable } from '../parts/agent-table.tsx';
import { DECISION_COLUMNS } from '../parts/decision-table.tsx';
import { type Figure, Figures } from '../parts/figures.tsx';
import { useKilling } from '../parts/kill.tsx';
import { May } from '../parts/may.tsx';
import { Page } from '../parts/page.tsx';
import { Read } from '../parts/read.tsx';
import { Section } from '../parts/section.tsx';
import { type Column, Table } from '../parts/table.tsx';

const AGENTS = '/v1/ledger/agents?limit=1000';
const SUMMARY = '/v1/ledger/summary';
/** The number of agents that the page lists. */
const LISTED = 20;
/** The decisions before the page was opened. */
const EARLIER = '/v1/audit/decisions?limit=50';
/** What people did before the page was opened. */
const EARLIER_CONTROL = '/v1/audit/control-events?limit=50';
/** The number of decisions that the river shows. */
const SHOWN = 25;
/** Agents and sums are read again at most this often, and only after a decision or a control event. */
const AGENTS_AGAIN_MS = 10_000;

type Listed = { agents: AgentInLedger[]; next: string | null };

export function Now() {
  const { tenant } = useSession();
  const { kill } = useKilling();
  const mayNotOperate = useWhyNot('operate');
  const agents = useRead<Listed>(AGENTS);
  const summary = useRead<LedgerSummary>(SUMMARY);
  useReadAgain(agents.dataUpdatedAt);
  return (
    <Page
      heading="Now"
      question="What runs, what spends, what is killed."
      same={{ cli: command('summary'), path: SUMMARY }}
      actions={
        <May whyNot={mayNotOperate} onClick={() => kill({ scope: 'tenant' })}>
          Kill every agent of {tenant}
        </May>
      }
    >
      <Read of={summary} what="the sums">
        {({ agents: known, openActions, kills, spentMicros, waiting }) => (
          <Figures
            of={[
              [counted(known), known === 1 ? 'agent' : 'agents'],
              [dollars(spentMicros), 'spent and reserved'],
              openFigure(agents.data, openActions),
              [
                counted(waiting),
                waiting === 1 ? 'action waits for a person' : 'actions wait for a person',
                '/approvals',
              ],
              [counted(kills), kills === 1 ? 'kill stands' : 'kills stand'],
            ]}
          />
        )}
      </Read>
      <div className="columns">
        <Section heading="Agents by spend">
          <Read of={agents} what="agents">
            {({ agents: listed, next }) => (
              <>
                <AgentTable
                  agents={listed.toSorted((a, b) => b.spentMicros - a.spentMicros).slice(0, LISTED)}
                  empty="No agent is known yet. Agents appear with their first action."
                />
                <p className="quiet">
                  What an agent spent includes its sub-agents, and what its open calls have reserved.
                </p>
                {listed.length > LISTED && (
                  <p>
                    These {LISTED} of {counted(listed.length)} agents spent most.{' '}
                    <Link to="/agents">All agents</Link>
                  </p>
                )}
                {next !== null && (
                  <p className="quiet">
                    There are more agents than the {counted(listed.length)} that were compared here.{' '}
                    <Link to="/spend">Spend</Link> compares all.
                  </p>
                )}
              </>
            )}
          </Read>
        </Section>
        <River />
      </div>
    </Page>
  );
}

/**
 * The sums may be two seconds older than the list of agents. So if the list is complete, the open calls are counted
 * from the list.
 */
function openFigure(agents: Listed | undefined, openActions: number): Figure {
  const open =
    agents === undefined || agents.next !== null
      ? openActions
      : agents.agents.reduce((sum, one) => sum + one.openActions, 0);
  return [counted(open), open === 1 ? 'open call' : 'open calls', '/agents', { state: 'open' }];
}

/** Reads the agents again after an event about them: at once after a control event, and rarely after other events. */
function useReadAgain(readAtMs: number): void {
  const queries = useQueryClient();
  const due = useRef<ReturnType<typeof setTimeout> | null>(null);
  useLiveEvents(
    useCallback(
      ({ kind }: LiveEvent) => {
        if (due.current !== null) return;
        const waitMs = kind === 'control' ? 300 : Math.max(300, readAtMs + AGENTS_AGAIN_MS - Date.now());
        due.current = setTimeout(() => {
          due.current = null;
          if (document.hidden) return;
          for (const path of [AGENTS, SUMMARY]) void queries.invalidateQueries({ queryKey: ['read', path] });
        }, waitMs);
      },
      [queries, readAtMs],
    ),
  );
  useEffect(() => () => clearTimeout(due.current ?? undefined), []);
}

/**
 * Returns the decisions and the control events, the newest first. The earlier ones are read only after the stream has
 * begun. Otherwise the page would miss an event that is recorded after the read and before the stream.
 */
function useDecisionsAndChanges() {
  const { state, decisions: arrived, control: arrivedControl, skipped } = useLive();
  const hasBegun = state !== 'connecting';
  const earlier = useRead<{ decisions: DecisionFound[] }>(hasBegun ? EARLIER : null);
  const earlierControl = useRead<{ events: ControlEventFound[] }>(hasBegun ? EARLIER_CONTROL : null);
  const decisions = useMemo(
    () => withEarlier(arrived, earlier.data?.decisions, ({ id }) => id),
    [arrived, earlier.data],
  );
  const control = useMemo(
    () => withEarlier(arrivedControl, earlierControl.data?.events, ({ event, id }) => `${event} ${id}`),
    [arrivedControl, earlierControl.data],
  );
  return { decisions, control, skipped, earlier };
}

function withEarlier<Row>(
  arrived: readonly Row[],
  earlier: readonly Row[] | undefined,
  nameOf: (row: Row) => string,
): readonly Row[] {
  const known = new Set(arrived.map(nameOf));
  return [...arrived, ...(earlier ?? []).filter((row) => !known.has(nameOf(row)))];
}

/** Shows decisions as they are made. Space pauses them; then the arrow keys move back and forth in time. */
function River() {
  const { decisions, control, skipped, earlier } = useDecisionsAndChanges();
  const { at } = useParameters();
  const navigate = useNavigate();
  const heldAtMs = at === undefined || !/^\d{1,15}$/.test(at) ? null : Number(at);
  const shown = useMemo(() => {
    const before =
      heldAtMs === null ? decisions : decisions.filter((one) => Date.parse(one.decidedAt) <= heldAtMs);
    return before.slice(0, SHOWN);
  }, [decisions, heldAtMs]);
  const [newest] = shown;
  const newestMs = newest === undefined ? null : Date.parse(newest.decidedAt);
  const hold = useCallback(
    (ms: number | null) =>
      void navigate({
        to: '/',
        search: ms === null ? {} : { at: String(ms) },
        replace: true,
        resetScroll: false,
      }),
    [navigate],
  );
  const move = useCallback(
    (steps: number) => {
      const index = decisions.findIndex(({ id }) => id === shown[0]?.id);
      const next = decisions[Math.min(Math.max(index + steps, 0), decisions.length - 1)];
      if (next !== undefined) hold(Date.parse(next.decidedAt));
    },
    [decisions, shown, hold],
  );
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      if (
        event.target !== document.body &&
        !(event.target instanceof HTMLElement && event.target.id === 'main')
      )
        return;
      if (event.key === ' ') {
        event.preventDefault();
        hold(heldAtMs === null ? (newestMs ?? Date.now()) : null);
      } else if (heldAtMs !== null && event.key === 'ArrowLeft') move(1);
      else if (heldAtMs !== null && event.key === 'ArrowRight') move(-1);
    }
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [heldAtMs, hold, move, newestMs]);
  return (
    <section className="stack" aria-labelledby="river">
      <div className="row">
        <h2 id="river">Decisions, the newest first</h2>
        {heldAtMs === null ? (
          <button type="button" onClick={() => hold(newestMs ?? Date.now())}>
            Hold <kbd>space</kbd>
          </button>
        ) : (
          <>
            <span>held at {clockTime(heldAtMs)}</span>
            <button type="button" aria-label="Earlier" onClick={() => move(1)}>
              ←
            </button>
            <button type="button" aria-label="Later" onClick={() => move(-1)}>
              →
            </button>
            <button type="button" onClick={() => hold(null)}>
              Go on
            </button>
          </>
        )}
      </div>
      {skipped > 0 && (
        <p className="quiet">
          Too much happens to show all of it: {counted(skipped)} decisions and outcomes are left out here.{' '}
          <Link to="/decisions">All decisions</Link>
        </p>
      )}
      <Read of={earlier} what="decisions">
        {() => (
          <Table
            label="Newest decisions"
            columns={RIVER_COLUMNS}
            rows={withBars(shown, control)}
            nameOf={(row) => ('bar' in row ? row.key : row.id)}
            across={(row) => ('bar' in row ? <strong>▬ {row.bar}</strong> : null)}
            empty={
              heldAtMs === null ? 'No action has been decided yet.' : 'No decision was made before this time.'
            }
          />
        )}
      </Read>
    </section>
  );
}

type Bar = { key: string; bar: string; atMs: number };
type RiverRow = DecisionFound | Bar;

const { time, agent, action, verdict, charged } = DECISION_COLUMNS;

/**
 * The river has little room, so agent and action share a column. A decision that is not a simple ALLOW has its reason
 * below.
 */
const agentAndAction: Column<DecisionFound> = {
  head: 'Agent and action',
  isClear: true,
  look: 'wide',
  cell: (decision) => (
    <>
      <div className="row">
        {agent.cell(decision)} {action.cell(decision)}
      </div>
      {decision.code !== 'ALLOWED' && <div className="quiet">{withDurationsInWords(decision.reason)}</div>}
    </>
  ),
};

/** A bar has no cells. */
const RIVER_COLUMNS: readonly Column<RiverRow>[] = [time, agentAndAction, verdict, charged].map(
  (column): Column<RiverRow> => ({ ...column, cell: (row) => ('bar' in row ? null : column.cell(row)) }),
);

/** Puts kills, revives and changes between the decisions, at their times. */
function withBars(
  decisions: readonly DecisionFound[],
  control: readonly ControlEventFound[],
): readonly RiverRow[] {
  const oldestMs = Date.parse(decisions.at(-1)?.decidedAt ?? '');
  const newestMs = Date.parse(decisions[0]?.decidedAt ?? '');
  const bars = control
    .map((event): Bar => {
      const atMs = Date.parse(event.happenedAt);
      const by = event.by === null ? '' : ` By ${event.by}.`;
      return {
        key: `${event.event} ${event.id}`,
        bar: `${clockTime(atMs)} ${titleOf(event.event)}: ${changeInWords(event)}${by}`,
        atMs,
      };
    })
    .filter(({ atMs }) => atMs >= oldestMs && atMs <= Math.max(newestMs, Date.now()));
  return [...decisions.map((one) => ({ ...one, atMs: Date.parse(one.decidedAt) })), ...bars].sort(
    (a, b) => b.atMs - a.atMs,
  );
}
