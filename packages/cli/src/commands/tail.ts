import { setTimeout as sleep } from 'node:timers/promises';
import type { Command } from 'commander';
import { type ApiClient, MissingRoute, type Query } from '../api-client.ts';
import { filtersIn, parametersOf, SEARCHED, withFilters } from '../audit/filters.ts';
import { type CommandContext, CommandFailure, type ExitCode, type RunCommand } from '../command-context.ts';
import { momentBefore, wholeNumber } from '../input/option-values.ts';
import { readEvents } from '../live/server-sent-events.ts';
import { decisionLine, type ShownDecision } from '../output/decision-line.ts';
import { write, writeJsonLine } from '../output/write.ts';
import { type ConnectionOptions, connect, withConnection } from './connection.ts';

type Options = ConnectionOptions & { lines: number; since?: string };

type Found = ShownDecision & { id: string };

type Followed = {
  hasBegun: boolean;
  /** Where the stream goes on. */
  lastId: string | undefined;
  /** What it was begun with, and may tell of again. */
  shown: Set<string>;
};

const MOST_LINES = 1_000;
const FILTERS = SEARCHED.filter((name) => name !== 'from' && name !== 'to');
const TRY_AGAIN_MS = 500;

export function tailCommand(command: Command, run: RunCommand): void {
  withConnection(
    withFilters(
      command.description(
        'Follows the decisions on record, each once, across restarts of the plane too. Ctrl-C ends it.',
      ),
      FILTERS,
    )
      .option('--lines <count>', 'how many to begin with', wholeNumber({ min: 0, max: MOST_LINES }), 10)
      .option(
        '--since <time>',
        'begin with what was decided then, instead: 15m, 2h, or a time',
        momentBefore(Date.now),
      ),
  )
    .addHelpText(
      'after',
      `
Examples:
  mandate tail --verdict BLOCK
  mandate tail --tool send_email --code RATE_LIMIT_EXCEEDED
  mandate tail --agent researcher --lines 0 --json | jq -r .code`,
    )
    .action((options: Options) => run((context) => tail(options, context)));
}

async function tail(options: Options, context: CommandContext): Promise<ExitCode> {
  const { signal, stderr } = context;
  const api = connect(options, context);
  const followed: Followed = { hasBegun: false, lastId: undefined, shown: new Set() };
  let isLost = false;
  while (!signal.aborted) {
    try {
      for await (const decision of decisions(api, options, followed)) {
        isLost = false;
        await show(decision, options, context);
      }
    } catch (error) {
      // Being asked to stop is how this ends well.
      if (signal.aborted) break;
      if (!followed.hasBegun) throw await whyNotBegun(api, error);
      if (!mayPass(error)) throw error;
    }
    if (!isLost && !signal.aborted)
      stderr.write('mandate: the plane is away; tail goes on when it is back\n');
    isLost = true;
    await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  return 0;
}

/** Until the connection ends. The first time, the newest that are there already come first. */
async function* decisions(api: ApiClient, options: Options, followed: Followed): AsyncGenerator<Found> {
  const { lines, since } = options;
  const query: Query = parametersOf(filtersIn(options));
  const from = followed.lastId === undefined ? {} : { 'last-event-id': followed.lastId };
  const response = await api.stream('/v1/audit/live', { ...query, since }, from);
  if (!followed.hasBegun && lines > 0 && since === undefined) {
    // Asked while the stream is open: what comes in between is in both.
    const newest = await api.get<{ decisions: Found[] }>('/v1/audit/decisions', { ...query, limit: lines });
    for (const decision of newest.decisions.toReversed()) {
      followed.shown.add(decision.id);
      yield decision;
    }
  }
  followed.hasBegun = true;
  const ids = (id: string) => {
    followed.lastId = id;
  };
  for await (const { event, data } of readEvents(bytesOf(response), ids)) {
    if (event !== 'decision') continue;
    const decision: Found = JSON.parse(data);
    if (!followed.shown.delete(decision.id)) yield decision;
  }
}

async function* bytesOf({ body, url }: Response): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch {
    throw new CommandFailure(1, `the connection to ${url} was lost`);
  }
}

async function show(decision: Found, { json }: Options, { stdout }: CommandContext): Promise<void> {
  if (json) await writeJsonLine(stdout, decision);
  else await write(stdout, `${decisionLine(decision, stdout)}\n`);
}

/** A plane that knows the search and no stream is older than this command. */
async function whyNotBegun(api: ApiClient, error: unknown): Promise<unknown> {
  if (!(error instanceof MissingRoute)) return error;
  const isOlder = await api.get('/v1/audit/decisions', { limit: 1 }).then(
    () => true,
    () => false,
  );
  if (!isOlder) return error;
  return new CommandFailure(
    1,
    `the plane at ${api.url} is older than this command: it has no live audit`,
    'Upgrade the plane, or ask for what is on record with `mandate query decisions --watch`.',
  );
}

/** What the network or a plane that restarts may say; a wrong key, or a wrong filter, stays wrong. */
function mayPass(error: unknown): boolean {
  return error instanceof CommandFailure && error.exitCode === 1;
}
