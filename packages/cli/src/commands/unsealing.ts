/** The option of every command that shows what agents sent: to see what was sealed of it. */

import type { ApiClient } from '@mandate/client';
import type { Command } from 'commander';

export type UnsealOptions = { unseal?: true };

/** Gives an answer back, with what is sealed in it as it was. */
export type Unseal = <Answer>(answer: Answer) => Promise<Answer>;

export function withUnseal(command: Command): Command {
  return command.option('--unseal', 'show what was sealed of people (scope persons); it goes on the record');
}

/** What knows tokens is loaded only where it is asked for. */
export async function unsealing({ unseal }: UnsealOptions, api: ApiClient): Promise<Unseal> {
  if (!unseal) return async (answer) => answer;
  const { unsealAnswer } = await import('../persons/unseal-answer.ts');
  return (answer) => unsealAnswer(api, answer);
}

const AT_A_TIME = 1_000;

/** The same of rows, as they come. */
export async function* unsealedRows<Row>(rows: AsyncIterable<Row>, unseal: Unseal): AsyncGenerator<Row> {
  let some: Row[] = [];
  for await (const row of rows) {
    some.push(row);
    if (some.length < AT_A_TIME) continue;
    yield* await unseal(some);
    some = [];
  }
  yield* await unseal(some);
}
