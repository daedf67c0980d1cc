/**
 * A manifest with a workflow runs. Its runner is killed after a tool had its effect, and another runner goes on from the
 * log.
 */
import { join } from 'node:path';
import { type ApiClient, readEvents } from '@mandate/client';
import type { Plane } from '@mandate/plane';
import { readTextFile } from '@mandate/runtime';
import { DEFAULTS, type RunEvent } from '@mandate/schemas';
import { fileKeyStore, issueApiKey } from '@mandate/server';
import { conversation } from './conversation.ts';
import { figuresOfRun, type RunFigures, untilSettled } from './figures-of-run.ts';
import { startModelServer } from './model-server.ts';
import { countPosts, writeNotes, writeRunnerFile } from './research-files.ts';
import { type RunnerProcess, startRunner } from './runner-process.ts';

type Research = {
  plane: Pick<Plane, 'url' | 'folder' | 'atRest'>;
  /** The client of an operator. It must end with `signal`. */
  api: ApiClient;
  /** An empty folder for the notes. */
  folder: string;
  signal: AbortSignal;
  say(text: string): Promise<void>;
  counted(count: number, noun: string): string;
};

/** `posts`: how often the tool with an effect had its effect. */
export type Researched = RunFigures & { posts: number };

const MANIFEST = readTextFile(join(import.meta.dirname, 'manifest.yaml'));
const MOST_DOLLARS = 0.5;

export async function playResearch(research: Research): Promise<Researched> {
  const { plane, api, folder, signal, say, counted } = research;
  await using cleaning = new AsyncDisposableStack();
  const notes = writeNotes(folder);
  const posted = Promise.withResolvers<void>();
  let asked = 0;
  // The model does not answer the first runner after the post, so this runner is killed at the same place each time.
  const script = conversation(notes, () => {
    posted.resolve();
    return asked++ === 0;
  });
  const models = cleaning.adopt(await startModelServer(script), (server) => server.close());
  const settings = {
    data: plane.folder.path,
    file: writeRunnerFile(folder, notes, models.url),
    planeUrl: plane.url,
    key: await issueRunnerKey(plane),
  };
  const start = async (): Promise<RunnerProcess> =>
    cleaning.adopt(await startRunner(settings, signal), (runner) => runner.end('SIGTERM'));

  const { id: manifest } = await api.post<{ id: string }>('/v1/manifests', {
    manifest: MANIFEST,
    options: { maxCostTotal: MOST_DOLLARS },
  });
  await say(
    `The manifest ${manifest} is published: an agent with three tools over MCP, then a model that summarises. Both may spend $${MOST_DOLLARS.toFixed(2)}.`,
  );
  const runner = await start();
  const { id: run } = await api.post<{ id: string }>('/v1/runs', { manifest, inputs: { topic: 'tea' } });
  const events: RunEvent[] = [];
  for await (const event of eventsOf(api, run)) {
    events.push(event);
    if (event.event !== 'step.deferred') continue;
    for (const { agentId, approvalId } of event.waiting) {
      await say(`The agent ${agentId} wants to post on the board. This tool is critical, so the run waits.`);
      await api.post(`/v1/approvals/${approvalId}/approve`, { reason: 'looked at it' });
      await say('The operator approves this call.');
    }
    await untilAborted(posted.promise, signal);
    await runner.end('SIGKILL');
    await start();
  }
  for (const line of takeoverInWords(events)) await say(line);

  await untilSettled(api, manifest, signal);
  await plane.atRest(signal);
  const researched = { posts: countPosts(notes), ...(await figuresOfRun(api, manifest, 'post')) };
  const { posts, allowed, ledgerMicros, auditMicros, failedMicros } = researched;
  await say(
    `The audit has ${counted(allowed, 'allowed call')} of this tool, and the board has ${counted(posts, 'post')}.`,
  );
  await say(
    `The run cost ${inDollars(ledgerMicros)} by the ledger, and ${inDollars(auditMicros)} by the audit. ${inDollars(failedMicros)} of it is the question that the dead runner left open, because the provider may have billed it.`,
  );
  return researched;
}

/** @throws if the run did not complete, or no other runner went on with it */
function takeoverInWords(events: readonly RunEvent[]): readonly string[] {
  const resumed = events.findIndex(({ event }) => event === 'step.resumed');
  const [before, last] = [events[resumed - 1], events.at(-1)];
  if (before === undefined || last?.event !== 'run.completed')
    throw new Error(`the run of the demo ended with ${JSON.stringify(last)}`);
  return [
    `A SIGKILL ended the runner after event ${resumed}, ${before.event}: the tool had answered, and the next question to the model was open.`,
    `Another runner went on with event ${resumed + 1}, up to event ${events.length}, ${last.event}: ${JSON.stringify(last.outputs)}`,
    'A runner that goes on with a step asks for it again. The plane answers DUPLICATE_ACTION, because the step was allowed before, and counts once.',
  ];
}

/** Adds a key to the key file of the plane, as `mandate keys issue` does. */
async function issueRunnerKey({ folder }: Pick<Plane, 'folder'>): Promise<string> {
  const { key, record } = issueApiKey({
    tenant: DEFAULTS.tenant,
    scopes: ['publish', 'report', 'release'],
    agents: ['research', 'research.*'],
    name: 'runner',
  });
  await fileKeyStore(folder.keys).add(record);
  return key;
}

async function* eventsOf(api: ApiClient, run: string): AsyncGenerator<RunEvent> {
  const { body } = await api.stream(`/v1/runs/${run}/stream`, {});
  if (body === null) return;
  for await (const { event, data } of readEvents(body)) {
    if (event !== 'run.text') yield JSON.parse(data).data;
  }
}

/** @throws the reason of the signal, if it aborts first */
function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}

function inDollars(micros: number): string {
  return `$${(micros / 1e6).toFixed(6)}`;
}
