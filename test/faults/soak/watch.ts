/** Watches the memory of each process during a soak test. Prints its progress to stderr every minute. */
import { writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Bus } from '@mandate/bus';
import { GROUPS, TOPICS } from '@mandate/schemas';
import type { Service } from './faults.ts';
import { debugHeap } from './held-bytes.ts';
import { growth, inMebibytes, residentBytes, type Sample } from './memory.ts';
import type { Traffic } from './traffic.ts';

const SAMPLE_EVERY_MS = 20_000;
const TELL_EVERY_MS = 60_000;
const STDERR = 2;

export type Watch = {
  /** Remembers the name of the last fault. */
  tell(fault: string): void;
  say(text: string): void;
  stop(): Promise<void>;
  /**
   * Returns the processes that use more memory than before, and how much more. Only processes that ran the whole time
   * count.
   */
  grown(): string[];
};

/** @param watched the services by name */
export function watch(bus: Bus, traffic: Traffic, watched: Readonly<Record<string, Service>>): Watch {
  const startMs = performance.now();
  const samples = new Map(Object.keys(watched).map((name) => [name, [] as Sample[]]));
  let faults: string[] = [];
  let isOn = true;
  const since = () => performance.now() - startMs;
  const say = (text: string) => void writeSync(STDERR, `soak ${clock(since())}  ${text}\n`);

  async function openHeaps(): Promise<() => Promise<unknown>> {
    const heaps = await Promise.all(
      Object.entries(watched).map(async ([name, service]) => [name, await debugHeap(service)] as const),
    );
    return () =>
      Promise.all(
        heaps.map(async ([name, heldBytes]) => {
          const bytes = await heldBytes();
          if (bytes !== null) samples.get(name)?.push({ atMs: since(), bytes });
        }),
      );
  }

  async function memoryOf([name, service]: [string, Service]): Promise<string> {
    const held = samples.get(name)?.at(-1)?.bytes ?? 0;
    return `${name} ${inMebibytes(held)} of ${inMebibytes((await residentBytes(service)) ?? 0)}`;
  }

  const done = (async () => {
    const sample = await openHeaps();
    let told = { atMs: 0, decided: traffic.decided() };
    while (isOn) {
      await Promise.all([sample(), sleep(SAMPLE_EVERY_MS)]);
      if (since() - told.atMs < TELL_EVERY_MS) continue;
      const decided = traffic.decided();
      const perSecond = (1_000 * (decided - told.decided)) / (since() - told.atMs);
      told = { atMs: since(), decided };
      const lag = await lagOf(bus).catch(() => ({ deciders: '?', recorders: '?' }));
      const memory = await Promise.all(Object.entries(watched).map(memoryOf));
      say(
        [
          `${Math.round(perSecond)} decisions/s, ${decided} in all`,
          `lag ${lag.deciders} + ${lag.recorders}`,
          memory.join(', '),
          faults.join('; '),
        ].join(' | '),
      );
      faults = [];
    }
  })();
  // An error is not lost: `stop` returns this promise, and every test awaits `stop`.
  done.catch(() => {});
  return {
    tell: (fault) => void faults.push(fault),
    say,
    stop() {
      isOn = false;
      return done;
    },
    grown: () =>
      [...samples].flatMap(([name, its]) => {
        const found = growth(its);
        if (found === null) return [`${name}: it did not say often enough what it holds`];
        const text = `${name}: ${inMebibytes(found.from)} to ${inMebibytes(found.to)}`;
        say(text);
        return found.isFlat ? [] : [text];
      }),
  };
}

/** Returns the number of records that wait for the deciders, and for the recorders. */
export async function lagOf(bus: Bus): Promise<{ deciders: number; recorders: number }> {
  const lagIn = async (group: string, topics: readonly string[]) => {
    const positions = await bus.positions(group);
    const ranges = (await Promise.all(topics.map((topic) => bus.ranges(topic)))).flat();
    return ranges.reduce((lag, { topic, partition, endOffset }) => {
      const position = positions.find((each) => each.topic === topic && each.partition === partition);
      return lag + endOffset - (position?.nextOffset ?? 0);
    }, 0);
  };
  const [deciders, recorders] = await Promise.all([
    lagIn(GROUPS.decider, [TOPICS.actions]),
    lagIn(GROUPS.recorder, [TOPICS.decisions, TOPICS.deadLetters]),
  ]);
  return { deciders, recorders };
}

function clock(ms: number): string {
  const seconds = Math.round(ms / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
