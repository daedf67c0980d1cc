/**
 * The process of the attackers. It runs all its attacks at the same time until SIGTERM. Then it prints one line of
 * JSON that says how each attack ended. The variable `ATTACKERS` says what to attack. The process has a low priority,
 * because real attackers would be on other machines.
 */
import { constants, getPriority, setPriority } from 'node:os';
import type { AttackTarget } from './attack.ts';
import { ATTACKS } from './attacks.ts';

export type Attackers = {
  url: string;
  addresses: readonly string[];
  /** The names of the attacks, each with its keys. */
  attacks: readonly { name: string; keys: readonly string[] }[];
};

/** For each attack: null if it gained nothing, otherwise its error. */
export type Ended = Readonly<Record<string, string | null>>;

const LOWER_BY = 10;

setPriority(Math.min(constants.priority.PRIORITY_LOW, getPriority() + LOWER_BY));
const { attacks, ...target } = JSON.parse(process.env.ATTACKERS ?? '') as Attackers;
const over = new AbortController();
process.once('SIGTERM', () => over.abort());
process.stdout.write('"attacking"\n');
const ended = await Promise.all(
  attacks.map(async ({ name, keys }) => [name, await endOf(name, { ...target, keys })] as const),
);
process.stdout.write(`${JSON.stringify(Object.fromEntries(ended) satisfies Ended)}\n`);

async function endOf(name: string, of: AttackTarget): Promise<string | null> {
  const attack = ATTACKS.find((each) => each.name === name)?.attack;
  if (attack === undefined) return `there is no attack "${name}"`;
  try {
    await attack(of, over.signal);
    return over.signal.aborted ? null : 'it ended before it was told to';
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
}
