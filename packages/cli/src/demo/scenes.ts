/** What happens in the demo: agents that behave, and agents that do each thing that a plane must stop. */
import type { ApiClient } from '../api-client.ts';
import type { GovernedAgent } from './governed-agent.ts';

export type Scene = { title: string; play(): Promise<void> };

export type Fleet = { agent(id: string): GovernedAgent; api: ApiClient; folder: string };

const LIBRARIANS = 4;
const MATHEMATICIANS = 4;
const ROUNDS = 5;

/** Played one after another; within a scene agents act at the same time. */
export function scenes({ agent, api, folder }: Fleet): readonly Scene[] {
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
      title: 'A denied tool, one that is not allowed, and a path that climbs out',
      play: async () => {
        await agent('snoop').act('everything.get-env', {});
        await agent('snoop').act('everything.echo', { message: 'hello' });
        await agent('snoop').act('files.read_text_file', { path: `${folder}/../../etc/passwd` });
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
      title: 'A call that a person must confirm',
      play: async () => {
        const careful = agent('careful');
        const args = { source: file('librarian-1-0.txt'), destination: file('archived.txt') };
        const { decision } = await careful.act('files.move_file', args, { actionId: 'archive-1' });
        await api.post('/v1/approvals', {
          agentId: 'careful',
          actionId: 'archive-1',
          digest: decision.digest,
          answer: 'granted',
          reason: 'looked at it',
        });
        await careful.act('files.move_file', args, { actionId: 'archive-1' });
      },
    },
  ];
}

const CITIES = ['New York', 'Chicago', 'Los Angeles'];

function numbered(name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, at) => `${name}-${at + 1}`);
}

async function times(count: number, work: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n++) await work(n);
}
