/** GET /v1/mandates-file: the mandates in force from the file, and the faults of an edit that is not in force. */
import { count, described, id, time, wireTime } from '@mandate/schemas';
import { HttpProblem, type HttpServer } from '@mandate/server';
import { z } from 'zod';
import type { Control } from '../control.ts';

const mandatesFile = z.object({
  revision: described(
    count,
    'Each edit that comes into force raises it. It is 1 at the start of the plane.',
    1,
  ),
  inForceSince: described(time, 'When the plane read the file that is in force.'),
  mandates: described(
    z.array(
      z.object({
        id: described(id, 'The mandate.', 'support-bot'),
        hash: described(
          z.string(),
          'The SHA-256 of the mandate, in hex, as in decisions.',
          'd917f6c0656db7673eea3c6db8b1a231fa5fce9687a95c8e94de3b404a9dacfa',
        ),
        agents: described(z.array(z.string()), 'The agents to which it applies, as the file names them.', [
          'support-*',
        ]),
      }),
    ),
    'The mandates in force. The first one that names an agent applies to it, unless the agent is registered.',
  ),
  faults: described(
    z.array(
      z.object({
        line: described(count, 'The line, from 1.', 4),
        column: described(count, 'The column, from 1.', 1),
        path: described(z.string(), 'The field.', 'maxCostTotal'),
        message: described(z.string(), 'What is wrong.', 'must be at least 0'),
      }),
    ),
    'What is wrong with a newer edit. While there is a fault, the mandates before the edit stay in force.',
  ),
});

export type MandatesFileShown = z.output<typeof mandatesFile>;

export function showMandatesFile(server: HttpServer, control: Control): void {
  server.get(
    '/v1/mandates-file',
    {
      config: {
        scope: 'operate:all',
        refusals: { 404: 'This process follows no mandates file.' },
      },
      schema: {
        tags: ['agents'],
        summary: 'Show the mandates file as the plane has read it',
        description:
          'The file applies to the agents of all tenants, so the key needs `operate:all`. A bad edit does not come into ' +
          'force: `faults` says what is wrong, and the mandates before it stay.',
        response: { 200: mandatesFile },
      },
    },
    async () => {
      if (control.mandatesFile === null)
        throw new HttpProblem(404, 'NOT_FOUND', 'this process follows no mandates file', {
          remedy:
            'Ask a plane (`mandate up`). A decider that runs alone says in /readyz whether its file is good.',
        });
      const { revision, inForceSinceMs, mandates, faults } = control.mandatesFile();
      return {
        revision,
        inForceSince: wireTime(inForceSinceMs),
        mandates: mandates.map(({ reference, agentGlobs }) => ({
          id: reference.id,
          hash: reference.hash,
          agents: [...agentGlobs],
        })),
        faults: [...faults],
      };
    },
  );
}
