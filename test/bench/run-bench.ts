/**
 * Runs one bench in its own process, which main.ts starts. Sends the rows back over the IPC channel. If this machine
 * lacks a server, sends a message about the server instead.
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
    // The error is recognized by its name. Loading its class would load code that a bench without servers does not
    // need.
    if (error instanceof Error && error.name === 'MissingServerError') return { lacks: error.message };
    throw error;
  }
}
