/**
 * One bench in a process of its own, started by main.ts: its rows go back over the channel between the two, or what
 * this machine lacks for it.
 */
import { BENCHES } from './benches.ts';
import type { Outcome } from './run-apart.ts';

const [name, decisions] = process.argv.slice(2);
const bench = BENCHES.find((each) => each.name === name);
if (bench === undefined) throw new Error(`there is no bench ${name}`);
const run = await bench.load();
process.send?.(await outcome());
process.disconnect();

async function outcome(): Promise<Outcome> {
  try {
    return { rows: await run({ decisions: Number(decisions) }) };
  } catch (error) {
    // Told by its name: the one who throws it need not be loaded where no server is asked for.
    if (error instanceof Error && error.name === 'MissingServerError') return { lacks: error.message };
    throw error;
  }
}
