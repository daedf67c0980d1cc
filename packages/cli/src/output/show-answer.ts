import type { CommandContext } from '../command-context.ts';
import { write, writeJsonLine } from './write.ts';

/** Shows an answer as one line of JSON, or as text. Returns the exit code of a command that is done. */
export async function showAnswer(
  { stdout, json }: Pick<CommandContext, 'stdout' | 'json'>,
  answer: unknown,
  text: () => string,
): Promise<0> {
  if (json) await writeJsonLine(stdout, answer);
  else await write(stdout, text());
  return 0;
}
