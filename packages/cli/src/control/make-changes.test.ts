import type { ApiClient } from '@mandate/client';
import type { Change } from '@mandate/control/plan';
import { expect, test } from 'vitest';
import { ApiProblem } from '../api-failure.ts';
import { CommandFailure } from '../exit-codes.ts';
import { makeChanges } from './make-changes.ts';

const add = (kind: Change['kind'], id: string): Change => ({
  ...{ kind, id, does: 'add', revision: 0 },
  ...{ before: null, after: { id }, widens: [] },
});
const CHANGES = [add('agent', 'lead'), add('agent', 'doer'), add('rule', 'r')];

/** A plane that accepts changes until it fails at the agent "doer". */
function planeThat(fails: Error): Pick<ApiClient, 'put' | 'delete'> {
  const put = async <T>(path: string): Promise<T> => {
    if (path === '/v1/agents/doer') throw fails;
    return {} as T;
  };
  return { put, delete: put };
}

const refusal = (status: number, code: string, detail: string) =>
  new ApiProblem({ status, code, detail, remedy: 'Do this.', faults: [] });

test.each([
  [
    refusal(409, 'PARENT_UNKNOWN', 'its parent is not registered'),
    'its parent is not registered (PARENT_UNKNOWN); 1 change made, 2 not',
  ],
  [
    refusal(409, 'REVISION_CONFLICT', 'it is not as you have seen it'),
    'it is not as you have seen it (REVISION_CONFLICT); 1 change made, 2 not',
  ],
  [
    new CommandFailure(1, 'no plane answers', 'Do this.'),
    'no plane answers; 1 change made, 1 not made, and the result of this change is unknown',
  ],
])('reports the change that failed, and how many changes were made', async (fails, said) => {
  const done: string[] = [];
  const makes = makeChanges(planeThat(fails), CHANGES, {
    reason: undefined,
    done: async ({ id }) => void done.push(id),
  });
  const { exitCode } = fails;
  await expect(makes).rejects.toMatchObject({
    ...{ name: 'CommandFailure', message: `the agent "doer": ${said}` },
    ...{ exitCode, remedy: said.includes('REVISION_CONFLICT') ? expect.stringMatching(/again/) : 'Do this.' },
  });
  expect(done).toEqual(['lead']);
});
