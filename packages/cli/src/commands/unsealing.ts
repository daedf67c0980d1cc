/** The option --unseal of each command that shows texts of agents. It shows the sealed texts of people in clear. */
import type { ApiClient } from '@mandate/client';
import type { Command } from 'commander';

export type UnsealOptions = { unseal?: true };

export type Unseal = <Answer>(answer: Answer) => Promise<Answer>;

export function withUnseal(command: Command): Command {
  return command.option('--unseal', 'show sealed texts of people (scope persons); kept on the record');
}

/** The code for sealed texts is imported only if `--unseal` is given. */
export async function unsealing({ unseal }: UnsealOptions, api: ApiClient): Promise<Unseal> {
  if (!unseal) return async (answer) => answer;
  const { unsealAnswer } = await import('../persons/unseal-answer.ts');
  return (answer) => unsealAnswer(api, answer);
}

const ROWS_AT_A_TIME = 1_000;

export async function* unsealedRows<Row>(rows: AsyncIterable<Row>, unseal: Unseal): AsyncGenerator<Row> {
  let some: Row[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < ROWS_AT_A_TIME) continue;
    yield* await unseal(some);
    some = [];
  }
  yield* await unseal(some);
}
