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

/** The agent that uses the SDK. */
export const SDK_AGENT = 'clerk';

/** The agents of the demo. Rules name the group of an agent, or the agent itself if it has no group. */
export const AGENTS: readonly { id: string; groups: readonly string[] }[] = [
  ...[...numbered('librarian', LIBRARIANS), ...numbered('mathematician', MATHEMATICIANS)].map(inFleet),
  ...['clumsy', 'parrot', 'runaway', SDK_AGENT].map(inFleet),
  ...['big-spender', 'hasty', 'snoop', 'careful'].map((id) => ({ id, groups: [] })),
];

function inFleet(id: string) {
  return { id, groups: ['fleet'] };
}

/** Returns the scenes in order. Within a scene, agents may act at the same time. */
export function scenes({ agent, sdkAgent, api, folder, say, shadowInWords }: Fleet): readonly Scene[] {
  const file = (name: string) => `${folder}/${name}`;
  return [
    {
      title: 'A fleet at work: files and sums',
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
      title: 'Over budget: $0.30 in all, $0.10 a call',
      play: () =>
        times(5, (n) =>
          agent('big-spender').act('everything.get-structured-content', {
            location: CITIES[n % CITIES.length],
          }),
        ),
    },
    {
      title: 'Too fast: three calls a minute',
      play: () => times(5, (n) => agent('hasty').act('everything.echo', { message: `call ${n}` })),
    },
    {
      title: 'A denied tool, a tool that is not allowed, and a path outside of the folder',
      play: async () => {
        await agent('snoop').act('everything.get-env', {});
        await agent('snoop').act('everything.echo', { message: 'hello' });
        await agent('snoop').act('files.read_text_file', { path: `${folder}/../../etc/passwd` });
      },
    },
    {
      title: 'An agent that uses the SDK: the same rules, and a refusal that its model can read',
      play: async () => {
        await say(
          `${SDK_AGENT} called a tool: ${await sdkAgent.call('everything.echo', { message: 'hello' })}`,
        );
        await say(`its model reads: ${await sdkAgent.call('everything.get-env', {})}`);
        await sdkAgent.close();
      },
    },
    {
      title: 'A tool that fails: the charge is given back',
      play: async () => {
        await agent('clumsy').act('files.read_text_file', { path: file('not-there.txt') });
      },
    },
    {
      title: 'The same action twice: decided once',
      play: async () => {
        const args = { message: 'pay the invoice' };
        await agent('parrot').act('everything.echo', args, { actionId: 'invoice-1' });
        await agent('parrot').act('everything.echo', args, { actionId: 'invoice-1' });
      },
    },
    {
      title: 'A policy is changed while agents run: the next action obeys it',
      play: async () => {
        const echo = () => agent('clumsy').act('everything.echo', { message: 'still here?' });
        await echo();
        const { policy } = await api.get<{ policy: { deniedTools: string[] } }>('/v1/policies/fleet');
        const stricter = { ...policy, deniedTools: [...policy.deniedTools, 'everything.echo'] };
        await api.put('/v1/policies/fleet', stricter, { query: { reason: 'they talk too much' } });
        await say('version 2 of the policy fleet is published: it denies everything.echo');
        await echo();
        await api.post('/v1/policies/fleet/rollback', { version: 1 });
        await say('rolled back to version 1');
        await echo();
      },
    },
    {
      title: 'A rule in shadow: the record says what it would refuse, and the call runs',
      play: async () => {
        const action = { id: 'preview', agentId: 'parrot', type: 'tool_call', tool: 'everything.echo' };
        const { refusal, shadow } = await api.post<Previewed>('/v1/mandates/preview', { action });
        await say(
          `a preview: the call gets ${refusal?.code ?? 'ALLOWED'}; with the rule in force, it would get ${shadow?.refusal?.code}`,
        );
        const { decision } = await agent('parrot').act('everything.echo', { message: 'hello' });
        if (decision.shadow !== undefined) await say(`on the record: ${shadowInWords(decision.shadow)}`);
      },
    },
    {
      title: 'A call that a person must confirm: granted for this one, and no other',
      play: async () => {
        const careful = agent('careful');
        const args = { source: file('librarian-1-0.txt'), destination: file('archived.txt') };
        const { decision } = await careful.act('files.move_file', args, { actionId: 'archive-1' });
        await api.post(`/v1/approvals/${approvalId(decision)}/approve`, { reason: 'looked at it' });
        await say('granted, once');
        await careful.act('files.move_file', args, { actionId: 'archive-1' });
        await careful.act('files.move_file', args, { actionId: 'archive-2' });
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
