/**
 * The scenes of the demo. Some agents behave well, and others do each thing that a plane must stop. Meanwhile, people
 * change what agents may do.
 */

import type { ApiClient } from '@mandate/client';
import { approvalId, type Shadow } from '@mandate/schemas';
import type { GovernedAgent } from './governed-agent.ts';
import type { SdkAgent } from './sdk-agent.ts';

export type Scene = { title: string; play(): Promise<void> };

export type Fleet = {
  agent(id: string): GovernedAgent;
  /** The agent that uses the SDK. */
  sdkAgent: SdkAgent;
  /** The client of an operator. */
  api: ApiClient;
  folder: string;
  say(text: string): Promise<void>;
  shadowInWords(shadow: Shadow): string;
};

const LIBRARIANS = 4;
const MATHEMATICIANS = 4;
const ROUNDS = 5;

/** The agent that uses the SDK, because its tools are functions and not MCP servers. */
export const SDK_AGENT = 'clerk';

/** The agent with a proxy of its own. This proxy starts the server. */
export const PROXIED_AGENT = 'archivist';

/** The agents of the demo. Rules name the group of an agent, or the agent itself if it has no group. */
export const AGENTS: readonly { id: string; groups: readonly string[] }[] = [
  ...[...numbered('librarian', LIBRARIANS), ...numbered('mathematician', MATHEMATICIANS)].map(inFleet),
  ...['clumsy', 'parrot', 'runaway', SDK_AGENT].map(inFleet),
  ...['big-spender', 'hasty', 'snoop', 'careful', PROXIED_AGENT].map((id) => ({ id, groups: [] })),
];

function inFleet(id: string) {
  return { id, groups: ['fleet'] };
}

/** Returns the scenes in order. Within a scene, agents may act at the same time. */
export function scenes({ agent, sdkAgent, api, folder, say, shadowInWords }: Fleet): readonly Scene[] {
  const file = (name: string) => `${folder}/${name}`;
  return [
    {
      title: 'A fleet of agents works with files and sums',
      play: async () => {
        await Promise.all([
          ...numbered('librarian', LIBRARIANS).map(async (id) => {
            for (let round = 0; round < ROUNDS; round++) {
              const path = file(`${id}-${round}.txt`);
              await agent(id).act('files.write_file', { path, content: `note ${round} of ${id}` });
              await agent(id).act('files.read_text_file', { path });
            }
            await agent(id).act('files.list_directory', { path: folder });
          }),
          ...numbered('mathematician', MATHEMATICIANS).map(async (id) => {
            for (let round = 0; round < ROUNDS; round++) {
              await agent(id).act('everything.get-sum', { a: round, b: 2 });
            }
          }),
        ]);
      },
    },
    {
      title: 'An agent exceeds its budget: $0.30 in all, $0.10 for each call',
      play: () =>
        times(5, (n) =>
          agent('big-spender').act('everything.get-structured-content', {
            location: CITIES[n % CITIES.length],
          }),
        ),
    },
    {
      title: 'An agent exceeds its rate of three calls a minute',
      play: () => times(5, (n) => agent('hasty').act('everything.echo', { message: `call ${n}` })),
    },
    {
      title: 'An agent tries a denied tool, a tool that is not allowed, and a path outside its folder',
      play: async () => {
        await agent('snoop').act('everything.get-env', {});
        await agent('snoop').act('everything.echo', { message: 'hello' });
        await agent('snoop').act('files.read_text_file', { path: `${folder}/../../etc/passwd` });
      },
    },
    {
      title: 'An agent uses the SDK: the same rules apply, and its model can read a refusal',
      play: async () => {
        await say(
          `The agent ${SDK_AGENT} calls a function of its own program, and gets: ${await sdkAgent.call('own.count_words', { text: 'pay the invoice' })}`,
        );
        await say(
          `The agent ${SDK_AGENT} calls a denied function, and its model reads: ${await sdkAgent.call('own.get-env', {})}`,
        );
        await sdkAgent.close();
      },
    },
    {
      title: 'A tool fails, and the charge of its call is given back',
      play: async () => {
        const missing = { path: file('not-there.txt') };
        await agent('clumsy').act('files.read_text_file', missing);
        const { reason } = await agent('clumsy').settlement();
        await say(`The file does not exist, so the proxy reports a failure. The plane records: ${reason}`);
      },
    },
    {
      title: 'An agent sends the same action twice, and the action runs once',
      play: async () => {
        const args = { message: 'pay the invoice' };
        await agent('parrot').act('everything.echo', args, { idempotencyKey: 'invoice-1' });
        await agent('parrot').act('everything.echo', args, { idempotencyKey: 'invoice-1' });
      },
    },
    {
      title: 'A policy changes while agents run, and the next action obeys the new version',
      play: async () => {
        const echo = () => agent('clumsy').act('everything.echo', { message: 'still here?' });
        await echo();
        const { policy } = await api.get<{ policy: { deniedTools: string[] } }>('/v1/policies/fleet');
        const stricter = { ...policy, deniedTools: [...policy.deniedTools, 'everything.echo'] };
        await api.put('/v1/policies/fleet', stricter, { query: { reason: 'they talk too much' } });
        await say('The operator publishes version 2 of the policy fleet, which denies everything.echo.');
        await echo();
        await api.post('/v1/policies/fleet/rollback', { version: 1 });
        await say('The operator rolls the policy back to version 1.');
        await echo();
      },
    },
    {
      title: 'A rule in shadow would refuse a call: the call runs, and its record names the rule',
      play: async () => {
        const action = { id: 'preview', agentId: 'parrot', type: 'tool_call', tool: 'everything.echo' };
        const { refusal, shadow } = await api.post<Previewed>('/v1/mandates/preview', { action });
        await say(
          `A preview says: the call gets ${refusal?.code ?? 'ALLOWED'}. If the rule were enforced, the call would get ${shadow?.refusal?.code}.`,
        );
        const { decision } = await agent('parrot').act('everything.echo', { message: 'hello' });
        if (decision.shadow !== undefined) await say(`The record says: ${shadowInWords(decision.shadow)}`);
      },
    },
    {
      title: 'A person approves one call, and the approval allows no other call',
      play: async () => {
        const careful = agent('careful');
        const args = { source: file('librarian-1-0.txt'), destination: file('archived.txt') };
        const { decision } = await careful.act('files.move_file', args, { idempotencyKey: 'archive-1' });
        await api.post(`/v1/approvals/${approvalId(decision)}/approve`, { reason: 'looked at it' });
        await say(
          'The operator approves the call. The agent sends the same call again, and then a new call.',
        );
        await careful.act('files.move_file', args, { idempotencyKey: 'archive-1' });
        await careful.act('files.move_file', args, { idempotencyKey: 'archive-2' });
      },
    },
  ];
}

type Previewed = { refusal: { code: string } | null; shadow: { refusal: { code: string } | null } | null };

const CITIES = ['New York', 'Chicago', 'Los Angeles'];

function numbered(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
}

async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work(n);
}
