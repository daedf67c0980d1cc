/** One bench in a process of its own, started by main.ts: its rows go back over the channel between the two. */
import { BENCHES } from './benches.ts';

const [name] = process.argv.slice(2);
const bench = BENCHES.find((each) => each.name === name);
if (bench === undefined) throw new Error(`there is no bench ${name}`);
const run = await bench.load();
process.send?.(await run());
process.disconnect();
