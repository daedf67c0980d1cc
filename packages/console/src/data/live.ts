/**
 * The live stream of the audit. All tabs of a browser share one stream, because a browser opens few connections to a
 * server, and each stream takes a place of the tenant. The tab that holds a lock has the stream, and passes its
 * events on. When that tab closes, another tab gets the lock. Lock and channel belong to one key, so that a tab never
 * gets the events of an earlier session with another key.
 */
import type { ControlEventFound, DecisionFound, SettlementFound } from '@mandate/query';
import { useEffect, useSyncExternalStore } from 'react';
import { get } from './api.ts';

/**
 * On a busy plane, more decisions are made than a screen can show. The stream sends only the newest, and counts the
 * others.
 */
const PATH = '/v1/audit/live?events=decision&events=settlement&events=control&newest=50';
const KINDS = ['decision', 'settlement', 'control', 'skipped'] as const;
const AGAIN_MS = 2_000;
/** The maximum number of decisions that a tab keeps. */
const MOST_DECISIONS = 2_000;

export type LiveEvent =
  | { kind: 'decision'; data: DecisionFound }
  | { kind: 'settlement'; data: SettlementFound }
  | { kind: 'control'; data: ControlEventFound }
  /** The number of decisions and settlements that were left out, because too many came at once. */
  | { kind: 'skipped'; data: { count: number } };

/** `ended`: the key is no longer valid. */
type StreamState = 'connecting' | 'live' | 'away' | 'ended';

export type Live = {
  state: StreamState;
  /** The newest decision first. */
  decisions: readonly DecisionFound[];
  control: readonly ControlEventFound[];
  /** The number of decisions and settlements that were left out, because too many came at once. */
  skipped: number;
  /** When the newest event arrived, in milliseconds since 1970. Null: none has come. */
  arrivedAtMs: number | null;
};

let live: Live = { state: 'connecting', decisions: [], control: [], skipped: 0, arrivedAtMs: null };
const watchers = new Set<() => void>();
const listeners = new Set<(event: LiveEvent) => void>();
let channel: BroadcastChannel | null = null;

export function useLive(): Live {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
    () => live,
  );
}

/** Calls `onEvent` for every event that arrives while the component is shown. */
export function useLiveEvents(onEvent: (event: LiveEvent) => void): void {
  useEffect(() => {
    listeners.add(onEvent);
    return () => void listeners.delete(onEvent);
  }, [onEvent]);
}

/** Follows the stream of this key until the page closes: from another tab, or with a stream of its own. */
export function followLive(keyId: string): void {
  if (channel !== null) return;
  const name = `mandate live stream ${keyId}`;
  const shared = new BroadcastChannel(name);
  channel = shared;
  followedSinceMs = performance.now();
  shared.onmessage = ({ data }: MessageEvent<{ event: LiveEvent } | { state: StreamState } | 'state?'>) => {
    if (data === 'state?') {
      if (isLeader) shared.postMessage({ state: live.state });
    } else if ('event' in data) take(data.event);
    else setState(data.state);
  };
  shared.postMessage('state?');
  void navigator.locks.request(name, async () => {
    isLeader = true;
    for (;;) await oneStream();
  });
}

let isLeader = false;
/** The time of the newest event, by the clock of the plane. */
let lastAtMs: number | null = null;
/** The newest events, by kind and id. A new stream repeats some events, so that no event is missed. */
const known = new Set<string>();
const MOST_KNOWN = 5_000;
/** Events of several agents are not strictly in the order of time, so a new stream begins this much earlier. */
const OVERLAP_MS = 5_000;

/** When this tab began to follow the events, by `performance.now()`. */
let followedSinceMs = 0;

/**
 * Where a stream begins. If no tab had a stream, the stream begins now, because pages read the earlier events only after
 * it has begun. If a tab takes over before any event has arrived, the stream begins at the time when the tab began to follow, by
 * the clock of the plane. Otherwise an event between the two streams could be missed.
 */
function since(): string {
  if (lastAtMs !== null) return `&since=${encodeURIComponent(new Date(lastAtMs - OVERLAP_MS).toISOString())}`;
  if (live.state === 'connecting') return '';
  const followedMs = performance.now() - followedSinceMs;
  return `&since=${Math.ceil((followedMs + OVERLAP_MS) / 1_000)}s`;
}

/** Returns false if the same event has already arrived. */
function isNew({ kind, data }: LiveEvent): boolean {
  if (!('id' in data)) return true;
  const name = `${kind} ${'event' in data ? data.event : ''} ${data.id}`;
  if (known.has(name)) return false;
  known.add(name);
  for (const oldest of known) {
    if (known.size <= MOST_KNOWN) break;
    known.delete(oldest);
  }
  return true;
}

function timeOf({ kind, data }: LiveEvent): number {
  if (kind === 'skipped') return 0;
  if (kind === 'decision') return Date.parse(data.decidedAt);
  return Date.parse(kind === 'settlement' ? data.settledAt : data.happenedAt);
}

/** Resolves when the stream has ended and may be opened again. */
async function oneStream(): Promise<void> {
  const source = new EventSource(PATH + since());
  await new Promise<void>((resolve) => {
    source.onopen = () => tell('live');
    source.onerror = () => {
      tell('away');
      // The browser opens a lost stream again by itself, and continues after the last event. It gives up after a
      // refusal.
      if (source.readyState === EventSource.CLOSED) resolve();
    };
    for (const kind of KINDS) {
      source.addEventListener(kind, (message: MessageEvent<string>) => {
        const event = { kind, data: JSON.parse(message.data) } as LiveEvent;
        take(event);
        channel?.postMessage({ event });
      });
    }
  });
  const status = await get('/v1/session').then(
    () => 200,
    (error) => error.status,
  );
  if (status === 401) tell('ended');
  await new Promise((resolve) => setTimeout(resolve, AGAIN_MS));
}

function tell(state: StreamState): void {
  setState(state);
  channel?.postMessage({ state });
}

function setState(state: StreamState): void {
  if (live.state !== state) change({ ...live, state });
}

function take(event: LiveEvent): void {
  if (!isNew(event)) return;
  lastAtMs = Math.max(lastAtMs ?? 0, timeOf(event));
  const arrivedAtMs = Date.now();
  const state = 'live';
  if (event.kind === 'decision') {
    const decisions = [event.data, ...live.decisions].slice(0, MOST_DECISIONS);
    change({ ...live, state, arrivedAtMs, decisions });
  } else if (event.kind === 'control') {
    change({ ...live, state, arrivedAtMs, control: [event.data, ...live.control].slice(0, MOST_DECISIONS) });
  } else if (event.kind === 'skipped')
    change({ ...live, state, arrivedAtMs, skipped: live.skipped + event.data.count });
  else change({ ...live, state, arrivedAtMs });
  for (const listener of listeners) listener(event);
}

/**
 * The components are informed once for each frame of the screen, because a busy plane makes more events than a screen
 * can show.
 */
let isDue = false;
function change(now: Live): void {
  live = now;
  if (isDue) return;
  isDue = true;
  setTimeout(() => {
    isDue = false;
    for (const watcher of watchers) watcher();
  }, 50);
}
