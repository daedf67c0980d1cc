import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient, Query } from '@mandate/client';
import { CONTROL_RECORDS } from '@mandate/schemas';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { MissingRoute } from '../api-failure.ts';
import { filtersIn, parametersOf, SEARCHED_FOR, withFilters } from '../audit/filters.ts';
import type { CommandContext, RunCommand } from '../command-context.ts';
import { connect } from '../connection.ts';
import { CommandFailure, type ExitCode } from '../exit-codes.ts';
import { momentBefore, wholeNumber } from '../input/option-values.ts';
import { eventsOf, mayPass } from '../live/events-of.ts';
import { type Found, isControlEvent, newestOnRecord } from '../live/newest-on-record.ts';
import { controlEventLine } from '../output/control-event-line.ts';
import { decisionLine } from '../output/decision-line.ts';
import { write, writeJsonLine } from '../output/write.ts';

type Options = { lines: number; since?: string; events?: readonly string[] };

type Followed = {
  hasBegun: boolean;
  /** The id of the last event that arrived. The stream continues after this event. */
  lastId: string | undefined;
  /** The ids of records that were shown at the start. The stream may send these records again. */
  shown: Set<string>;
};

const MOST_LINES = 1_000;
const TRY_AGAIN_MS = 500;
/** The events of a stream. `control` means all the events that follow it in this list. */
const EVENTS: readonly string[] = [
  ...['decision', 'control', 'agent.killed', 'agent.revived', 'budget.adjusted', 'approval.recorded'],
  ...['ledger.epoch', ...CONTROL_RECORDS],
];

export function tailCommand(command: Command, run: RunCommand): void {
  withFilters(command, SEARCHED_FOR)
    .description(
      'Follows decisions and control events (what operators do) as they arrive, each once, also across restarts of the plane. ' +
        'Ctrl-C ends it. Scope audit.',
    )
    .option('--lines <count>', 'earlier ones to begin with', wholeNumber({ min: 0, max: MOST_LINES }), 10)
    .option('--since <time>', 'begin at this time instead: 15m, 2h, or a time', momentBefore(Date.now))
    .addOption(
      new Option('--events <name>', 'only these: decision, control, or the name of a control event')
        .choices(EVENTS)
        .argParser<readonly string[]>(anotherEvent),
    )
    .addHelpText(
      'after',
      `
--agent and --action select control events that name the agent or action, or
that name none, such as a kill of everything. Any other filter hides control
events.

Examples:
  mandate tail --verdict BLOCK
  mandate tail --events agent.killed --events agent.revived --since 1d
  mandate tail --agent researcher --events decision --lines 0 --json`,
    )
    .action((options: Options) => run((context) => tail(options, context)));
}

function anotherEvent(name: string, before: readonly string[] = []): readonly string[] {
  if (!EVENTS.includes(name)) throw new InvalidArgumentError(`Allowed choices are ${EVENTS.join(', ')}.`);
  return [...before, name];
}

async function tail(options: Options, context: CommandContext): Promise<ExitCode> {
  const { signal, stderr } = context;
  const api = connect(context);
  const followed: Followed = { hasBegun: false, lastId: undefined, shown: new Set() };
  let isLost = false;
  while (!signal.aborted) {
    try {
      for await (const found of whatComes(api, options, followed)) {
        isLost = false;
        await show(found, context);
      }
    } catch (error) {
      if (signal.aborted) break;
      if (!followed.hasBegun) throw await whyNotBegun(api, error);
      if (!mayPass(error)) throw error;
    }
    if (!isLost && !signal.aborted)
      stderr.write('mandate: the plane does not answer; tail continues when it answers again\n');
    isLost = true;
    await sleep(TRY_AGAIN_MS, undefined, { signal }).catch(() => {});
  }
  return 0;
}

/** Yields events until the connection ends. The first connection starts with the newest records of the audit. */
async function* whatComes(api: ApiClient, options: Options, followed: Followed): AsyncGenerator<Found> {
  const { lines, since, events } = options;
  const filters = filtersIn(options);
  const query: Query = parametersOf(filters);
  const from = followed.lastId === undefined ? {} : { 'last-event-id': followed.lastId };
  const response = await api.stream('/v1/audit/live', { ...query, events, since }, from);
  if (!followed.hasBegun && lines > 0 && since === undefined) {
    // The stream is open before the audit is read. So no record is missed between the two.
    for (const found of await newestOnRecord(api, filters, query, { events, limit: lines })) {
      followed.shown.add(found.id);
      yield found;
    }
  }
  followed.hasBegun = true;
  const ids = (id: string) => {
    followed.lastId = id;
  };
  for await (const { event, data } of eventsOf(response, ids)) {
    if (event !== 'decision' && event !== 'control') continue;
    const found: Found = JSON.parse(data);
    if (!followed.shown.delete(found.id)) yield found;
  }
}

async function show(found: Found, { json, stdout }: CommandContext): Promise<void> {
  if (json) await writeJsonLine(stdout, found);
  else if (isControlEvent(found)) await write(stdout, `${controlEventLine(found, stdout, Date.now())}\n`);
  else await write(stdout, `${decisionLine(found, stdout, Date.now())}\n`);
}

/** Returns the failure to show. If the plane has the search but no stream, the plane is older than this command. */
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
    'Upgrade the plane, or list the recorded decisions with `mandate decisions list --watch`.',
  );
}
