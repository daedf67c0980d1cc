/** Uses everything that a server offers, through a client, and writes down what came back. */
import { waitUntil } from '@mandate/testing';
import type { OfficialClient } from './official-clients.ts';
import type { DrivenServer } from './official-servers.ts';

/** The results, each with the name of its request. */
export type Transcript = Readonly<Record<string, unknown>>;

type Tools = { tools: { name: string }[] };

export async function driveServer(client: OfficialClient, server: DrivenServer): Promise<Transcript> {
  const answers: [string, string][] = [];
  const ask = async (what: string, asked: () => Promise<unknown>) => {
    answers.push([`${answers.length} ${what}`, server.normalise(JSON.stringify(await outcomeOf(asked)))]);
  };
  const expected = new Set([...server.calls, ...server.taskCalls].map(([name]) => name));
  expected.delete('no-such-tool');
  // Some servers add tools after they know what the client can do.
  await waitUntil(`every tool of ${server.name}`, async () => {
    const { tools }: Tools = await client.call('listTools', {});
    return tools.length === expected.size && tools.every(({ name }) => expected.has(name));
  });
  for (const list of ['listTools', 'listResources', 'listResourceTemplates', 'listPrompts']) {
    await ask(list, () => client.call(list, {}));
  }
  for (const [name, args] of server.calls) {
    await ask(`tool ${name}`, () => client.callTool({ name, arguments: args }));
  }
  for (const [name, args] of server.taskCalls) {
    await ask(`task ${name}`, async () => {
      const { runTask } = client;
      if (runTask === null) return client.callTool({ name, arguments: args });
      return withoutTimes(await runTask({ name, arguments: args }));
    });
  }
  for (const uri of server.resources)
    await ask(`resource ${uri}`, () => client.call('readResource', { uri }));
  for (const prompt of server.prompts)
    await ask(`prompt ${prompt.name}`, () => client.call('getPrompt', prompt));
  return Object.fromEntries(answers);
}

async function outcomeOf(asked: () => Promise<unknown>): Promise<unknown> {
  try {
    return { result: await asked() };
  } catch (error) {
    const { code, data, message } = error as { code?: unknown; data?: unknown; message?: string };
    return { code, data, message };
  }
}

/** Keeps the order of the states of a task, and its result. How often a client polls depends on the machine. */
function withoutTimes(messages: readonly unknown[]): unknown {
  const read = messages as { type: string; task?: { status: string }; result?: unknown; error?: unknown }[];
  const states = read.flatMap(({ task }) => (task === undefined ? [] : [task.status]));
  return {
    states: states.filter((state, at) => state !== states[at - 1]),
    end: read.filter(({ type }) => type === 'result' || type === 'error'),
  };
}
