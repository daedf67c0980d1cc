/** Follows the events of a run until it ends, or until it waits for a person. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '@mandate/client';
import type { RunEvent } from '@mandate/schemas';
import type { CommandContext } from '../command-context.ts';
import type { ExitCode } from '../exit-codes.ts';
import { eventsOf, mayPass } from '../live/events-of.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { eventLine, type Run, waitingLines } from './run-text.ts';

const TRY_AGAIN_MS = 500;
/** How long a run may wait for a person before the command stops following it. */
const SETTLE_MS = 300;

const WAITS: ReadonlySet<string> = new Set(['step.deferred', 'step.uncertain']);

/**
 * Prints each event. With --json, each line is an event.
 *
 * @param untilPerson true: ends when the run waits for a person
 * @returns 0 if the run completed, 1 if it failed or was cancelled, 3 if it waits for a person
 */
export async function followRun(
  context: CommandContext,
  api: ApiClient,
  runId: string,
  { untilPerson }: { untilPerson: boolean },
): Promise<ExitCode> {
  const { signal, stdout, json } = context;
  const path = `/v1/runs/${encodeURIComponent(runId)}`;
  let lastId: string | undefined;
  while (!signal.aborted) {
    try {
      const from = lastId === undefined ? {} : { 'last-event-id': lastId };
      const response = await api.stream(`${path}/stream`, {}, from);
      const ids = (id: string) => {
        lastId = id;
      };
      for await (const { event, data } of eventsOf(response, ids)) {
        if (event === 'run.text') continue;
        const { id, data: shown }: { id: string; data: RunEvent } = JSON.parse(data);
        if (json) await writeJsonLine(stdout, shown);
        else await write(stdout, `${eventLine(shown)}\n`);
        if (!untilPerson || !WAITS.has(shown.event)) continue;
        if (await stillWaits(context, api, { path, number: Number(id) })) return 3;
      }
      // The stream ends with the run, and when the runner stops.
      const { status } = await api.get<Run>(path);
      if (status === 'completed') return 0;
      if (status === 'failed' || status === 'cancelled') return 1;
    } catch (error) {
      if (signal.aborted) break;
      if (lastId === undefined || !mayPass(error)) throw error;
    }
    await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  return 130;
}

/** @param shown.number the number of the event that was shown. The run may have gone on since then */
async function stillWaits(
  { json, stdout, signal }: CommandContext,
  api: ApiClient,
  { path, number }: { path: string; number: number },
): Promise<boolean> {
  if ((await api.get<Run>(path)).events > number) return false;
  await sleep(SETTLE_MS, undefined, { signal }).catch(() => {});
  const run = await api.get<Run>(path);
  if (run.waiting === null || run.events > number) return false;
  if (!json) for (const line of waitingLines(run.id, run.waiting)) await write(stdout, `${line}\n`);
  return true;
}
