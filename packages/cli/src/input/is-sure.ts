import { createInterface } from 'node:readline/promises';
import type { CommandContext } from '../command-context.ts';
import { WrongUse } from '../exit-codes.ts';

/** Asks a question on the terminal. Returns true for "yes". Throws WrongUse if there is no terminal. */
export async function isSure(
  { stdin, stderr, signal }: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>,
  question: string,
): Promise<boolean> {
  if (!('isTTY' in stdin) || stdin.isTTY !== true)
    throw new WrongUse('there is no terminal to ask on', 'Give --yes if you are sure.');
  const lines = createInterface({ input: stdin, output: stderr, terminal: true });
  try {
    const answer = await lines.question(`${question} (yes/no) `, { signal });
    return answer.trim().toLowerCase() === 'yes';
  } finally {
    lines.close();
  }
}
