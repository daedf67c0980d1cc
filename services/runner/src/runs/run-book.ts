/**
 * All runs on the topic of runs. The book folds every event that this process reads. It keeps the events of open runs,
 * and of the newest ended runs. Of older runs it keeps a summary, and reads their events from the log again on request.
 */
import { applyEvent, type RunPlan, type RunState, stateOfRun } from '@mandate/agent-manifest';
import { type LogPosition, type RunEvent, type RunEventOf, runKey } from '@mandate/schemas';

/** A run in the book. */
export type BookedRun = {
  readonly tenant: string;
  readonly runId: string;
  readonly started: RunEventOf<'run.started'>;
  readonly partition: number;
  /** The offsets of its events on the log. */
  readonly offsets: number[];
  /** Null if the events were dropped from memory. */
  events: RunEvent[] | null;
  /** The state, after it was needed for the first time. */
  folded: { plan: RunPlan; state: RunState } | null;
  status: RunState['status'];
  updatedAt: string;
};

/** The place of a run in the list of runs: its start, then its id. */
export type PlaceInList = readonly [startedAt: string, runId: string];

export type RunListener = (run: BookedRun, event: RunEvent) => void;

const MOST_ENDED_WITH_EVENTS = 500;
const MOST_RUNS = 100_000;

const ENDS: ReadonlyMap<RunEvent['event'], RunState['status']> = new Map([
  ['run.completed', 'completed'],
  ['run.failed', 'failed'],
  ['run.cancelled', 'cancelled'],
]);

export class RunBook {
  readonly #runs = new Map<string, BookedRun>();
  /** The keys of ended runs whose events are in memory, the oldest end first. */
  readonly #ended = new Set<string>();
  readonly #listeners = new Set<RunListener>();
  /** All runs. After sorting, the run with the oldest start is first. */
  readonly #byStart: BookedRun[] = [];
  #isSorted = true;

  apply(event: RunEvent, { partition, offset }: Pick<LogPosition, 'partition' | 'offset'>): void {
    const key = runKey(event.tenant, event.runId);
    const known = this.#runs.get(key);
    if (known === undefined) {
      if (event.event === 'run.started') this.#open(key, event, { partition, offset });
      return;
    }
    // Two requests with one idempotency key can both append a start. The first one counts.
    if (event.event === 'run.started') return;
    known.offsets.push(offset);
    known.events?.push(event);
    known.updatedAt = event.at;
    if (known.folded !== null) applyEvent(known.folded.state, event, known.folded.plan.absorb);
    known.status = statusAfter(known, event);
    this.#keepEvents(key, known);
    this.#tell(known, event);
  }

  get(tenant: string, runId: string): BookedRun | null {
    return this.#runs.get(runKey(tenant, runId)) ?? null;
  }

  /**
   * Returns the state of a run. The same object changes when further events are read. Null if the events of the run are
   * no longer in memory.
   */
  stateOf(run: BookedRun, plan: RunPlan): RunState | null {
    if (run.folded === null && run.events !== null) {
      const state = stateOfRun(plan, run.events);
      if (state !== null) {
        run.folded = { plan, state };
        run.status = state.status;
      }
    }
    return run.folded?.state ?? null;
  }

  /** Stores the events of a run in memory again after they were dropped. */
  restore(run: BookedRun, events: readonly RunEvent[]): void {
    run.events ??= [...events];
  }

  /** The open runs of one partition. */
  *openRunsOf(partition: number): Iterable<BookedRun> {
    for (const run of this.#runs.values()) {
      if (run.partition === partition && run.status === 'running') yield run;
    }
  }

  /** The runs of a tenant, the newest first. @param before begins after this place in the list */
  *newestFirst(tenant: string, before: PlaceInList | null = null): Iterable<BookedRun> {
    // At the start of a process, runs are read partition by partition.
    if (!this.#isSorted)
      this.#byStart.sort((one, other) => (isBefore(placeInList(one), placeInList(other)) ? -1 : 1));
    this.#isSorted = true;
    for (let at = this.#byStart.length - 1; at >= 0; at -= 1) {
      const run = this.#byStart[at];
      if (run?.tenant === tenant && (before === null || isBefore(placeInList(run), before))) yield run;
    }
  }

  /** Calls the listener after each event, until the returned function is called. */
  listen(listener: RunListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #open(
    key: string,
    started: RunEventOf<'run.started'>,
    { partition, offset }: Pick<LogPosition, 'partition' | 'offset'>,
  ): void {
    const { tenant, runId, at } = started;
    const run: BookedRun = {
      tenant,
      runId,
      started,
      partition,
      offsets: [offset],
      events: [started],
      folded: null,
      status: 'running',
      updatedAt: at,
    };
    this.#runs.set(key, run);
    const newest = this.#byStart.at(-1);
    if (newest !== undefined && isBefore(placeInList(run), placeInList(newest))) this.#isSorted = false;
    this.#byStart.push(run);
    if (this.#runs.size > MOST_RUNS) this.#dropOldestEnded();
    this.#tell(run, started);
  }

  /** Drops the events of the run that ended first, if there are too many. */
  #keepEvents(key: string, { status }: BookedRun): void {
    if (status === 'running') {
      this.#ended.delete(key);
      return;
    }
    this.#ended.add(key);
    const [oldest] = this.#ended;
    if (this.#ended.size <= MOST_ENDED_WITH_EVENTS || oldest === undefined) return;
    this.#ended.delete(oldest);
    const dropped = this.#runs.get(oldest);
    if (dropped === undefined) return;
    dropped.events = null;
    dropped.folded = null;
  }

  #dropOldestEnded(): void {
    for (const [key, run] of this.#runs) {
      if (run.status === 'running') continue;
      this.#runs.delete(key);
      this.#ended.delete(key);
      this.#byStart.splice(this.#byStart.indexOf(run), 1);
      return;
    }
  }

  #tell(run: BookedRun, event: RunEvent): void {
    for (const listener of this.#listeners) listener(run, event);
  }
}

/**
 * Returns the status after an event. If no folded state is in memory, the status is read from the events, with the same
 * result.
 */
function statusAfter({ folded, status, events }: BookedRun, { event }: RunEvent): RunState['status'] {
  if (folded !== null) return folded.state.status;
  if (event === 'run.retried') {
    return status === 'failed' && !isPastLastStep(events ?? []) ? 'running' : status;
  }
  return status === 'running' ? (ENDS.get(event) ?? 'running') : status;
}

/** A run that failed after its last step has no step that a retry could begin. */
function isPastLastStep(events: readonly RunEvent[]): boolean {
  const last = events.findLast(({ event }) => event.startsWith('step.'));
  return last?.event === 'step.completed' && last.next === null;
}

export function placeInList({ started, runId }: BookedRun): PlaceInList {
  return [started.at, runId];
}

function isBefore([at, runId]: PlaceInList, [otherAt, otherId]: PlaceInList): boolean {
  return at === otherAt ? runId < otherId : at < otherAt;
}
